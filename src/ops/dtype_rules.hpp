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
// NumPy's word for a rule, and the rule of a word: empty for a word that is none of the five.
std::string_view casting_name(Casting casting);
std::optional<Casting> find_casting(std::string_view word);

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

// The loop that NumPy would choose. UserError (Type, Casting) when it has none, with NumPy's
// wording. A comparison of a signed with a 64-bit unsigned integer resolves to another row, hence
// `op` is in and out. A table look-up for one and two operands.
Loop resolve(Op& op, std::span<const OperandType> ins);
// The same with dtype= or signature= given: the loop whose output is `dtype`, to which the inputs
// cast by `casting`.
Loop resolve_as(Op& op, std::span<const OperandType> ins, DType dtype, Casting casting);
// The loop of a row that computes in `compute`; empty when the row has none.
std::optional<Loop> loop_of(Op op, DType compute);
// The dtype in which a reduction or accumulation of `in` computes and which it gives: sums of small
// integers widen. With dtype= given any input is cast to it. UserError when there is no such loop.
DType reduction_dtype(Op op, DType in);
DType reduction_dtype(Op op, DType in, DType dtype);
// The same where the result goes to an output of a dtype that nobody has asked to compute in.
DType reduction_dtype_into(Op op, DType in, DType out);

DType promote(DType a, DType b);
// The dtype of all operands together; weak ones adapt to the strong ones.
DType result_type(std::span<const OperandType> operands);
// What a weak scalar becomes beside an operand of dtype `strong`.
DType adapt_weak(Weak weak, DType strong);
bool can_cast(DType from, DType to, Casting casting);

// Whether the value is in the range of an integer dtype. Python ints beside integer arrays must be.
bool fits(std::int64_t value, DType dtype);
bool fits(std::uint64_t value, DType dtype);

}  // namespace hassium
