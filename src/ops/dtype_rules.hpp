// Result dtypes and casts: NumPy 2 promotion (NEP 50), derived from a row's rule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

enum class Casting : std::uint8_t { No, Equiv, Safe, SameKind, Unsafe };
// NumPy's word for a casting rule, and the inverse: empty for an unknown word.
std::string_view casting_name(Casting casting);
std::optional<Casting> find_casting(std::string_view word);

// One ufunc operand as promotion sees it. Python's int, float and complex are weak: they take the
// dtype of the other operands and can only raise its kind. Python's bool is a strong bool.
enum class Weak : std::uint8_t { Strong, Int, Float, Complex };
struct OperandType {
    DType dtype;  // the default dtype of its kind if weak
    Weak weak = Weak::Strong;
};

// One native inner loop: instructions name it by `compute`; inputs are cast to `in`, results have
// dtypes `out`.
struct Loop {
    DType compute;
    DType in[3];
    DType out[2];
};

// Returns the loop that NumPy would choose. Throws UserError (Type, Casting) with NumPy's wording
// if there is none. A comparison of a signed with a 64-bit unsigned integer resolves to another
// row, so `op` is in and out. A table lookup for one and two operands.
Loop resolve(Op& op, std::span<const OperandType> ins);
// The same with dtype= or signature= given: returns the loop with output `dtype`, to which the
// inputs cast by `casting`.
Loop resolve_as(Op& op, std::span<const OperandType> ins, DType dtype, Casting casting);
// Returns the loop of a row that computes in `compute`; empty if the row has none.
std::optional<Loop> loop_of(Op op, DType compute);
// Returns the dtype in which a reduction or accumulation of `in` computes and of its result: sums
// of small integers widen. With dtype= given any input is cast to it. Throws UserError if there is
// no such loop.
DType reduction_dtype(Op op, DType in);
DType reduction_dtype(Op op, DType in, DType dtype);
// The same for a result that is written to an output of dtype `out`, without dtype=.
DType reduction_dtype_into(Op op, DType in, DType out);

DType promote(DType a, DType b);
// Returns the common dtype of all operands; weak ones adapt to the strong ones.
DType result_type(std::span<const OperandType> operands);
// Returns the dtype of a weak scalar beside an operand of dtype `strong`.
DType adapt_weak(Weak weak, DType strong);
bool can_cast(DType from, DType to, Casting casting);

// Returns whether the value is in the range of an integer dtype. Python ints beside integer arrays
// must be.
bool fits(std::int64_t value, DType dtype);
bool fits(std::uint64_t value, DType dtype);

}  // namespace hassium
