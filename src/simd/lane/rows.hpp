// The rows of the op table as types: the lane expression and the facts a kernel needs to apply it.
#pragma once

#include "ops/loop_types.hpp"
#include "ops/op_info.hpp"
#include "simd/lane/lane.hpp"

namespace hassium::HS_SIMD_NS::row {

#define HS_OP(id, name, nin, nout, cls, rule, flags, identity, cycles, ulp, raises, ...) \
    struct id {                                                                          \
        static constexpr Op kOp = Op::id;                                                \
        static constexpr OpClass kClass = OpClass::cls;                                  \
        static constexpr DTypeRule kRule = DTypeRule::rule;                              \
        static constexpr std::uint32_t kFlags = (flags);                                 \
        static constexpr float kCycles = cycles;                                         \
        static constexpr int kRaises = (raises);                                         \
        static constexpr int kInputs = nin;                                              \
        static constexpr int kOutputs = nout;                                            \
        template <class A, class B, class C>                                             \
        HS_INLINE static auto apply([[maybe_unused]] A a, [[maybe_unused]] B b,          \
                                    [[maybe_unused]] C c) {                              \
            return __VA_ARGS__;                                                          \
        }                                                                                \
    };
#include "ops/ops.def"
#undef HS_OP

}  // namespace hassium::HS_SIMD_NS::row

namespace hassium::HS_SIMD_NS {

template <class R>
constexpr bool has(OpFlag flag) {
    return (R::kFlags & flag) != 0;
}

// Returns the unsigned integer dtype of the same width; other dtypes are returned as they are.
constexpr DType unsigned_twin(DType t) {
    constexpr int kDistance = static_cast<int>(DType::U8) - static_cast<int>(DType::I8);
    return kind(t) == DTypeKind::Signed ? static_cast<DType>(static_cast<int>(t) + kDistance) : t;
}

constexpr DType signed_twin(DType t) {
    constexpr int kDistance = static_cast<int>(DType::U8) - static_cast<int>(DType::I8);
    return kind(t) == DTypeKind::Unsigned ? static_cast<DType>(static_cast<int>(t) - kDistance) : t;
}

// ---- rows that share kernels ----

// Of several rows that compute the same from integers, or from bools, one has kernels.
constexpr Op kernel_row(Op op, DType t) {
    if (is_inexact(t)) return op;
    const bool bools = kind(t) == DTypeKind::Bool;
    switch (op) {
        case Op::Fmax:
            return kernel_row(Op::Maximum, t);
        case Op::Fmin:
            return kernel_row(Op::Minimum, t);
        case Op::Add:
        case Op::Maximum:
        case Op::BitwiseOr:
            return bools ? Op::LogicalOr : op;
        case Op::Multiply:
        case Op::Minimum:
        case Op::BitwiseAnd:
            return bools ? Op::LogicalAnd : op;
        case Op::BitwiseXor:
            return bools ? Op::LogicalXor : op;
        default:
            return op;
    }
}

// Returns the comparison whose kernels compute `op` from exchanged operands; `op` itself if its
// kernels are its own.
constexpr Op swapped_comparison(Op op) {
    return op == Op::Greater ? Op::Less : op == Op::GreaterEqual ? Op::LessEqual : op;
}
template <class R>
constexpr bool is_swapped() {
    return swapped_comparison(R::kOp) != R::kOp;
}

// The indices of R on D in a table of kernels, and those of the row and dtype whose kernels it has.
template <class R, DType D>
struct KernelIndex {
    static constexpr int kRow = static_cast<int>(R::kOp), kColumn = static_cast<int>(D);
    static constexpr int kFromRow = static_cast<int>(kernel_row(R::kOp, D));
    static constexpr int kFromColumn = static_cast<int>(has<R>(kSignless) ? signed_twin(D) : D);
    static constexpr bool kShares = kFromRow != kRow || kFromColumn != kColumn;
};

// Rows applied one element at a time: those with the flag, and kMath rows of integers (power).
template <class R, DType D>
inline constexpr bool kScalarRow = has<R>(kScalarLoop) || (has<R>(kMath) && !is_inexact(D));

// Shifts where no instruction has a count for each lane.
template <class R>
inline constexpr bool kLaneByLane =
    HS_SIMD_LEVEL == 2 && (R::kOp == Op::LeftShift || R::kOp == Op::RightShift);

template <class R, DType D>
inline constexpr LoopTypes kLoop = loop_types(R::kRule, D);

template <class R, DType D>
inline constexpr bool kHasMap = R::kClass == OpClass::Map && kLoop<R, D>.exists;

// Rows compiled out of line, in a unit that may contract: floats. float16 uses the float32 kernel.
template <class R, DType D>
inline constexpr bool kMathUnit = has<R>(kMath) && kind(D) == DTypeKind::Float;

// Reductions and accumulations do not change the dtype.
template <class R, DType D>
inline constexpr bool kHasFold =
    kHasMap<R, D> && has<R>(kReducible) && R::kInputs == 2 && R::kOutputs == 1 &&
    kLoop<R, D>.in[0] == D && kLoop<R, D>.in[1] == D && kLoop<R, D>.out[0] == D;

}  // namespace hassium::HS_SIMD_NS
