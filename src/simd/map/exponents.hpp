// ldexp and frexp for normal numbers: a product with a power of two, or moves of bit fields. Other
// elements go one at a time (lane_scalar.hpp), with bit-identical results.
#pragma once

#include "simd/map/map_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <class R, DType D>
inline constexpr bool kHasExponents =
    (R::kOp == Op::Ldexp || R::kOp == Op::Frexp) && (D == DType::F32 || D == DType::F64);

template <DType D>
struct FloatBits {
    using T = Part<D>;
    using I = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    static constexpr int kMantissa = sizeof(T) == 8 ? 52 : 23, kBias = sizeof(T) == 8 ? 1023 : 127;
    static constexpr I kUnit = I{1} << kMantissa, kSpecial = 2 * kBias + 1;  // of infinities
    static constexpr I kSign = static_cast<I>(std::make_unsigned_t<I>{1} << (8 * sizeof(I) - 1));
};

inline constexpr std::int64_t kExponentBlock = 256;

// Returns whether all powers are normal numbers. A product with one of them rounds once, as ldexp
// does.
template <DType D>
HS_INLINE bool normal_powers(const char* exponents, std::int64_t n) {
    using F = FloatBits<D>;
    std::int64_t beyond = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const auto e = load_as<std::int64_t>(exponents + 8 * k);
        beyond |= (e + F::kBias - 1) | (F::kBias - e);  // negative if out of range
    }
    return beyond >= 0;
}

template <DType D>
HS_INLINE Part<D> power_of_two(std::int64_t e) {
    using F = FloatBits<D>;
    return __builtin_bit_cast(
        Part<D>, static_cast<typename F::I>(static_cast<typename F::I>(e + F::kBias) * F::kUnit));
}

template <DType D, bool kOne>
HS_INLINE void scale(char* out, const char* in, const char* exponents, std::int64_t n) {
    using T = Part<D>;
    constexpr std::int64_t kSize = sizeof(T);
    const T one = power_of_two<D>(load_as<std::int64_t>(exponents));
#pragma GCC ivdep
    for (std::int64_t k = 0; k < n; ++k) {
        const T by = kOne ? one : power_of_two<D>(load_as<std::int64_t>(exponents + 8 * k));
        store_as(out + k * kSize, load_as<T>(in + k * kSize) * by);
    }
}

template <DType D>
HS_INLINE bool any_subnormal(const char* in, std::int64_t n) {
    using F = FloatBits<D>;
    using I = typename F::I;
    I any = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const I size = static_cast<I>(load_as<I>(in + k * std::int64_t{sizeof(I)}) & ~F::kSign);
        any |= static_cast<I>((size - 1 < F::kUnit - 1) & (size > 0));
    }
    return any != 0;
}

// Zeros, infinities and NaNs are their own mantissas.
template <DType D>
HS_INLINE void split(char* mantissas, char* exponents, const char* in, std::int64_t n) {
    using F = FloatBits<D>;
    using I = typename F::I;
    constexpr I kExponent = F::kSpecial * F::kUnit, kHalf = (F::kBias - 1) * F::kUnit;
#pragma GCC ivdep
    for (std::int64_t k = 0; k < n; ++k) {
        const I bits = load_as<I>(in + k * std::int64_t{sizeof(I)});
        const I exponent = static_cast<I>((bits & kExponent) >> F::kMantissa);
        const bool special = exponent == 0 || exponent == F::kSpecial;
        const I mantissa = static_cast<I>((bits & ~kExponent) | kHalf);
        store_as(mantissas + k * std::int64_t{sizeof(I)}, special ? bits : mantissa);
        const auto power = static_cast<std::int32_t>(exponent - (F::kBias - 1));
        store_as(exponents + 4 * k, special ? 0 : power);
    }
}

template <class R, DType D>
void map_exponents(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    constexpr std::int64_t kSize = kBytes<D>;
    const bool one = (scalars & 1u) != 0;
    if (R::kOp == Op::Frexp && one) return map_scalars<R, D>(ptr, scalars, n);
    alignas(64) char same[kExponentBlock * kSize];
    for (std::int64_t k = 0; one && k < kExponentBlock; ++k) {
        store_as(same + k * kSize, load_as<Part<D>>(ptr[1]));
    }
    const std::int64_t step = R::kOp == Op::Frexp ? 4 : scalars & 2u ? 0 : 8;
    for (std::int64_t i = 0; i < n; i += kExponentBlock) {
        const std::int64_t count = n - i < kExponentBlock ? n - i : kExponentBlock;
        bool plain;
        if constexpr (R::kOp == Op::Frexp) {
            char* const at[3] = {ptr[0] + i * kSize, ptr[1] + i * step, ptr[2] + i * kSize};
            plain = !any_subnormal<D>(at[2], count);
            plain ? split<D>(at[0], at[1], at[2], count) : map_scalars<R, D>(at, 0, count);
        } else {
            char* const mantissas = one ? same : ptr[1] + i * kSize;
            char* const at[3] = {ptr[0] + i * kSize, mantissas, ptr[2] + i * step};
            plain = normal_powers<D>(at[2], step == 0 ? 1 : count);
            if (!plain) {
                map_scalars<R, D>(at, scalars, count);
            } else if (step == 0) {
                scale<D, true>(at[0], at[1], at[2], count);
            } else {
                scale<D, false>(at[0], at[1], at[2], count);
            }
        }
    }
}

}  // namespace hassium::HS_SIMD_NS
