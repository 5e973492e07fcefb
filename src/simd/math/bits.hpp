#pragma once

// Functions of the floating-point representation: neighbours, exponents.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

// Raises overflow where a finite value steps to infinity, and underflow where the result is
// subnormal or zero, as C99 requires.
HS_MATH B nextafter(B x, B y) {
    using I = IntBatch<B>;
    const I ix = bits(x);
    const auto up = to_int_mask<B>(quiet_less(x, y));
    const auto negative_x = ix < I(0);
    // Stepping away from zero adds one to the bits, whatever the sign.
    const I stepped = xsimd::select(up ^ negative_x, ix + I(1), ix - I(1));
    const B tiny = from_bits<B>(I(1) | (bits(y) & I(Traits<B>::kSignMask)));
    B r = select(x == B(0), tiny, from_bits<B>(stepped));
    const Mask<B> equal = x == y;
    const Mask<B> nan = is_nan(x) | is_nan(y);
    const Mask<B> moved = ~(equal | nan);
    r = select(equal, y, r);
    r = select(nan, select(is_nan(x), x, y), r);
    if (xsimd::any(moved & is_inf(r))) [[unlikely]] {
        raise_overflow();
    }
    if (xsimd::any(moved & to_mask<B>(abs_bits(r) < I(Traits<B>::kMinNormalBits)))) [[unlikely]] {
        raise_underflow();
    }
    return r;
}

// 2^n for n in the range of normal exponents.
template <class B>
[[gnu::always_inline]] inline B pow2(IntBatch<B> n) {
    using I = IntBatch<B>;
    return from_bits<B>((n + I(Traits<B>::kBias)) << Traits<B>::kMantissaBits);
}

// Returns x * 2^n, rounded once. Two steps and a last factor span the range from the largest number
// to the smallest. A downward step may round to a subnormal, but then the remaining steps give
// zero.
template <class B>
[[gnu::always_inline]] inline B ldexp(B x, IntBatch<B> n) {
    using I = IntBatch<B>;
    constexpr typename Traits<B>::Int kTop = Traits<B>::kBias;
    const I lowest(1 - kTop);
    const I highest(kTop);
    const I down(1 - kTop + Traits<B>::kMantissaBits + 1);
    for (int i = 0; i < 2; ++i) {
        const I step = xsimd::select(n < lowest, down, xsimd::select(n > highest, highest, I(0)));
        x = x * pow2<B>(step);
        n = n - step;
    }
    n = xsimd::select(n < lowest, lowest, xsimd::select(n > highest, highest, n));
    return x * pow2<B>(n);
}

template <class B>
struct Split {
    B mantissa;
    IntBatch<B> exponent;
};

// x = mantissa * 2^exponent with 0.5 <= |mantissa| < 1; zeros, infinities and NaNs are their own
// mantissa, with exponent 0.
HS_MATH Split<B> frexp(B x) {
    using I = IntBatch<B>;
    using T = Traits<B>;
    const Mask<B> tiny = to_mask<B>(abs_bits(x) < I(T::kMinNormalBits));
    constexpr Lane<B> kScale = kIsFloat<B> ? Lane<B>(0x1p32) : Lane<B>(0x1p64);
    constexpr typename T::Int kScaleBits = kIsFloat<B> ? 32 : 64;
    const I v = bits(select(tiny, x * B(kScale), x));
    const I biased = (v & I(T::kInfBits)) >> T::kMantissaBits;
    const I e = biased - I(T::kBias - 1) - xsimd::select(to_int_mask<B>(tiny), I(kScaleBits), I(0));
    const I half = (v & ~I(T::kInfBits)) | I(bits_of(Lane<B>(0.5)));
    const Mask<B> itself = to_mask<B>((abs_bits(x) == I(0)) | (abs_bits(x) > I(T::kInfBits - 1)));
    return {select(itself, x, from_bits<B>(half)), xsimd::select(to_int_mask<B>(itself), I(0), e)};
}

}  // namespace hassium::HS_SIMD_NS::math
