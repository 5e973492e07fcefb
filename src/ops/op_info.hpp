// The properties of operations. Everything is derived from ops.def: a stage asks a row's class or
// flag and never compares with a list of operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/types.hpp"

namespace hassium {

enum class OpClass : std::uint8_t {
    Map,       // one output element from one element of each input
    Reduce,    // exists only as a reduction (argmin, argmax)
    Generate,  // output from constants and the element's position (arange)
    Gather,    // out = in[index]
    Scatter,   // out[index] = in
    Opaque,    // a block of its own, run through a registered function (matmul)
    System,    // del, sync: no work
};

// How an instruction applies a row: NumPy's ufunc methods that have a native form.
// At: out[index] = op(out[index], in), sequentially in the order of the index.
// Reduceat: reductions of segments along one axis; an index gives their starts.
enum class Method : std::uint8_t { Call, Reduce, Accumulate, At, Reduceat };

enum class Identity : std::uint8_t { None, Zero, One, AllOnes, MinusInf };

// Floating-point conditions a row can raise, as bits.
enum FpFlag : std::uint8_t { kNoFlag = 0, kDivide = 1, kOver = 2, kUnder = 4, kInvalid = 8 };

enum OpFlag : std::uint32_t {
    kNoOpFlag = 0,
    kCommutative = 1u << 0,  // in value; maximum(0., -0.) is either zero
    kAssociative = 1u << 1,  // exact for integers; float reductions use the fixed tree
    kReducible = 1u << 2,    // has reduce and accumulate as native methods
    kReorderable = 1u << 3,  // may be reduced over several axes at once
    kMath = 1u << 4,         // long kernel: out of line, in a unit of its own
    kScalarLoop = 1u << 5,   // no vector form: a scalar loop over the tile
    kUfunc = 1u << 6,        // a public NumPy ufunc of that name
    kExact = 1u << 7,        // bit-identical to NumPy; complex loops within `ulp`
    kBoolResult = 1u << 8,
    kIntRaises = 1u << 9,        // integer loops raise floating-point conditions as well
    kChecksExponent = 1u << 10,  // integer loops reject negative second operands
    kByParts = 1u << 11,         // complex loops apply the row to real and imaginary parts
    kNumberTest = 1u << 12,      // constant for all integers, which are finite
    // Meaning of the row to stages that combine rows into one step.
    kCopy = 1u << 13,           // the input itself, cast
    kSum = 1u << 14,            // a + b
    kDifference = 1u << 15,     // a - b
    kProduct = 1u << 16,        // a * b
    kSquaring = 1u << 17,       // a * a
    kMaximal = 1u << 18,        // of two, or its position; NaN propagates
    kMinimal = 1u << 19,        // the same
    kRealPart = 1u << 20,       // of a complex number
    kImagPart = 1u << 21,       // the same
    kConjugates = 1u << 22,     // changes the sign of the imaginary part
    kEqual = 1u << 23,          // complex numbers: both parts are equal
    kUnequal = 1u << 24,        // complex numbers: some part differs
    kMatrixProduct = 1u << 25,  // one operand may be a vector
    kLeftVector = 1u << 26,     // the first operand is a vector, or a stack of them
    kRightVector = 1u << 27,    // the second operand is
    kWholeDivision = 1u << 28,  // rounds down, or returns the remainder of that
    kOfFinite = 1u << 29,       // a number test that is true for finite numbers
    kQuotient = 1u << 30,       // a / b
    kSignless = 1u << 31,       // the same bits for signed and unsigned integers
    // A binary ufunc; and one that reduces in any order.
    kBinary = kUfunc | kReducible,
    kFold = kBinary | kCommutative | kAssociative | kReorderable,
};

// One dtype rule per row; dtype_rules.def lists the loops of each.
enum class DTypeRule : std::uint8_t {
#define HS_DTYPE_RULE(id, pattern, dtypes, choice, meaning) id,
#include "ops/dtype_rules.def"
#undef HS_DTYPE_RULE
};

enum class Op : std::uint16_t {
#define HS_OP(id, name, nin, nout, cls, rule, flags, identity, cycles, ulp, raises, ...) id,
#include "ops/ops.def"
#undef HS_OP
};

struct OpInfo {
    std::string_view name;  // NumPy's name; of a row that is no ufunc, that in the text form
    std::uint8_t nin;
    std::uint8_t nout;
    OpClass cls;
    DTypeRule rule;
    std::uint32_t flags;
    Identity identity;
    float cycles;         // per element of the widest native dtype, one core, in cache
    float ulp;            // error bound in float64 and float32; 0: exact
    std::uint8_t raises;  // FpFlag bits

    constexpr bool has(OpFlag f) const { return (flags & f) != 0; }

    constexpr bool is_elementwise() const { return cls == OpClass::Map; }
    constexpr bool is_arg_reduction() const { return cls == OpClass::Reduce; }
    constexpr bool is_generator() const { return cls == OpClass::Generate; }
    constexpr bool is_gather() const { return cls == OpClass::Gather; }
    constexpr bool is_scatter() const { return cls == OpClass::Scatter; }
    constexpr bool is_opaque() const { return cls == OpClass::Opaque; }
    constexpr bool is_system() const { return cls == OpClass::System; }
    // Returns whether it computes in loops over its output, without a routine of its own.
    constexpr bool is_loop() const { return is_elementwise() || is_generator(); }

    constexpr bool is_copy() const { return has(kCopy); }
    constexpr bool is_sum() const { return has(kSum); }
    constexpr bool is_difference() const { return has(kDifference); }
    constexpr bool is_product() const { return has(kProduct); }
    constexpr bool is_square() const { return has(kSquaring); }
    constexpr bool is_extremum() const { return has(kMaximal) || has(kMinimal); }
    constexpr bool is_power() const { return has(kChecksExponent); }
    constexpr bool is_matrix_product() const { return has(kMatrixProduct); }
    // A product whose operands are each a vector if they have one axis.
    constexpr bool is_matmul() const {
        return is_matrix_product() && !has(kLeftVector) && !has(kRightVector);
    }
};

inline constexpr OpInfo kOps[] = {
#define HS_OP(id, name, nin, nout, cls, rule, flags, identity, cycles, ulp, raises, ...) \
    {name,   nin, nout,    OpClass::cls, DTypeRule::rule, (flags), Identity::identity,   \
     cycles, ulp, (raises)},
#include "ops/ops.def"
#undef HS_OP
};

inline constexpr int kOpCount = sizeof(kOps) / sizeof(kOps[0]);

constexpr const OpInfo& info(Op op) { return kOps[static_cast<int>(op)]; }
// Returns whether it writes the elements of its output at indices, and keeps the others.
constexpr bool is_scatter(Op op, Method method) {
    return info(op).is_scatter() || method == Method::At;
}
constexpr bool iterates_over_input(Method method) {
    return method == Method::Reduce || method == Method::Accumulate || method == Method::Reduceat;
}
constexpr bool has_at(Op op) {
    return info(op).is_elementwise() && info(op).nin == 2 && info(op).nout == 1;
}

// How complex numbers are computed from their parts by rows on real numbers.
enum class ComplexForm : std::uint8_t {
    None,  // not from parts alone
    ByParts,
    RealPart,
    ImagPart,
    Product,
    Square,
    Conjugate,
    BothParts,   // a bool, from both parts by and
    EitherPart,  // a bool, from both parts by or
};
constexpr ComplexForm complex_form(Op op) {
    const OpInfo& row = info(op);
    if (row.has(kByParts)) return ComplexForm::ByParts;
    if (row.has(kRealPart)) return ComplexForm::RealPart;
    if (row.has(kImagPart)) return ComplexForm::ImagPart;
    if (row.is_product()) return ComplexForm::Product;
    if (row.is_square()) return ComplexForm::Square;
    if (row.has(kConjugates)) return ComplexForm::Conjugate;
    if (row.has(kEqual)) return ComplexForm::BothParts;
    if (row.has(kUnequal)) return ComplexForm::EitherPart;
    return ComplexForm::None;
}

// Cheaper rows for a constant second operand. row_of_power returns the row for x ** exponent,
// `Power` if there is none: like NumPy for a scalar exponent, sqrt gives -0.0 for -0.0 and NaN for
// -inf, unlike power by an array of halves; float16 keeps `Power`.
Op row_of_power(double exponent, DType compute);
// The cheaper row for x // 2**k and x % 2**k of integers (kWholeDivision): a shift or a mask, with
// the operand that replaces the divisor.
struct CheaperRow {
    Op op;
    std::uint64_t operand;
};
CheaperRow row_of_division(Op op, int log2_divisor);

// Returns whether a reduction may combine parts of a line separately. False for products of inexact
// numbers: the product of a part may overflow where the running product does not.
constexpr bool combines_parts(Op op, DType compute) {
    const bool product = info(op).identity == Identity::One && is_inexact(compute);
    return info(op).has(kAssociative) && !product;
}

// Returns the conditions that the loop of `op` in `compute` can raise. float16 rounds its result,
// and complex numbers take several operations, so both can raise more than the row says.
std::uint8_t raises(Op op, DType compute);
// Returns the conditions that a cast can raise.
std::uint8_t cast_raises(DType from, DType to);

// Other names of a row: abs for absolute.
struct OpAlias {
    std::string_view alias;
    std::string_view name;
};
inline constexpr OpAlias kOpAliases[] = {
#define HS_ALIAS(alias, name) {#alias, #name},
#include "ops/aliases.def"
#undef HS_ALIAS
};

// Find a row or dtype by NumPy name or alias, as used by the text form and the Python front end.
std::optional<Op> find_op(std::string_view name);
std::optional<DType> find_dtype(std::string_view name);

}  // namespace hassium
