// Result dtypes and casts: NumPy 2 promotion (NEP 50), derived from a row's rule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

enum class Casting : std::uint8_t { No, Equiv, Safe, SameKind, Unsafe };

// One ufunc operand as promotion sees it. Python's int, float and complex are weak: they take the
// dtype of the others and only lift its kind. Python's bool is a strong bool.
enum class Weak : std::uint8_t { Strong, Int, Float, Complex };
struct OperandType {
    DType dtype;  // for a weak operand the default dtype of its kind
    Weak weak = Weak::Strong;
};

// One native inner loop: `compute` names it in instructions; inputs are cast to `in`, results come
// as `out`.
struct Loop {
    DType compute;
    DType in[3];
    DType out[2];
};

// The loop that NumPy would choose. UserError (Type) when it has none, with NumPy's wording.
// A mixed int64/uint64 comparison resolves to another row, hence `op` is in and out.
Loop resolve(Op& op, std::span<const OperandType> ins);
// The same with dtype= or signature= given: the loop whose output is `dtype`.
Loop resolve_as(Op& op, std::span<const OperandType> ins, DType dtype, Casting casting);
// The loop of a row that computes in `compute`; empty when the row has none. Kernel units evaluate
// the same rules at compile time: constexpr `loop_types(rule, compute)` in ops/loop_types.hpp.
std::optional<Loop> loop_of(Op op, DType compute);
// dtype of a reduction or accumulation when none is given (sums of small integers widen).
DType reduction_dtype(Op op, DType in);

DType promote(DType a, DType b);
DType result_type(std::span<const OperandType> operands);
bool can_cast(DType from, DType to, Casting casting);

}  // namespace hassium
