// The reference executor's functions as tables of pointers: one element at a time, type-erased.
#pragma once

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium::reference {

// A value of any native dtype.
struct Value {
    alignas(16) unsigned char bytes[16];
};

// Inputs have the dtypes of loop_of(op, compute); outputs likewise. float16 results are rounded.
using ElementFn = void (*)(const Value* in, Value* out);
// Returns null if the row has no loop in `compute`, or is no map.
ElementFn element_fn(Op op, DType compute);

using CastFn = void (*)(const void* from, void* to);
CastFn cast_fn(DType from, DType to);

// Sets start + position * step, in the arithmetic of the dtype (float16 in float32).
void range_value(DType dtype, const Value& start, const Value& step, std::int64_t position,
                 Value& out);
// Sets the value that a PCG64 with 128 bits each of state and increment draws at a position.
void random_value(DType dtype, const Value& state, const Value& increment, std::int64_t position,
                  Value& out);
// Returns whether a wins over b in argmax (argmin if `least`): it is better, or NaN while b is not.
bool beats(DType dtype, bool least, const Value& a, const Value& b);
// Returns false if the row has no identity.
bool identity_value(Identity identity, DType dtype, Value& out);

}  // namespace hassium::reference
