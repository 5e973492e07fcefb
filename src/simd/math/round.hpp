#pragma once

// Rounding, and rows of one or two exact instructions. All are bit-identical to NumPy.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

HS_MATH B floor(B x) { return xsimd::floor(x); }
HS_MATH B ceil(B x) { return xsimd::ceil(x); }
HS_MATH B trunc(B x) { return xsimd::trunc(x); }
// Rounds half to even; the rounding instruction keeps the sign of zero.
HS_MATH B rint(B x) { return xsimd::nearbyint(x); }

HS_MATH B sqrt(B x) { return xsimd::sqrt(x); }
HS_MATH B square(B x) { return x * x; }
HS_MATH B reciprocal(B x) { return B(1) / x; }
HS_MATH B positive(B x) { return x; }
HS_MATH B fabs(B x) { return absolute(x); }

// NumPy computes the factor in the type of the argument.
HS_MATH B deg2rad(B x) {
    constexpr Lane<B> kPi = static_cast<Lane<B>>(3.141592653589793238462643383279502884L);
    return x * B(kPi / Lane<B>(180));
}
HS_MATH B rad2deg(B x) {
    constexpr Lane<B> kPi = static_cast<Lane<B>>(3.141592653589793238462643383279502884L);
    return x * B(Lane<B>(180) / kPi);
}
HS_MATH B radians(B x) { return deg2rad(x); }
HS_MATH B degrees(B x) { return rad2deg(x); }

HS_MATH B copysign(B x, B y) { return with_sign(x, y); }

HS_MATH Mask<B> isnan(B x) { return is_nan(x); }
HS_MATH Mask<B> isinf(B x) { return is_inf(x); }
HS_MATH Mask<B> isfinite(B x) { return is_finite(x); }
HS_MATH Mask<B> signbit(B x) { return has_sign(x); }

// -1, 0, 1 or NaN; both zeros give +0.
HS_MATH B sign(B x) {
    const B one = with_sign(B(1), x);
    const IntBatch<B> a = abs_bits(x);
    const B y = select(to_mask<B>(a == IntBatch<B>(0)), B(0), one);
    return select(is_nan(x), x, y);
}

// 0 below zero, h at zero, 1 above, NaN for NaN.
HS_MATH B heaviside(B x, B h) {
    const B step = select(has_sign(x), B(0), B(1));
    const B y = select(to_mask<B>(abs_bits(x) == IntBatch<B>(0)), h, step);
    return select(is_nan(x), x, y);
}

// Returns fraction (hi) and integer part (lo), both with the sign of x. An infinity has fraction
// zero.
HS_MATH Pair<B> modf(B x) {
    const B whole = xsimd::trunc(x);
    const B finite = select(is_inf(x), B(0), x - select(is_inf(x), B(0), whole));
    return {select(is_nan(x), x, with_sign(finite, x)), whole};
}

}  // namespace hassium::HS_SIMD_NS::math
