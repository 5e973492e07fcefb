#pragma once

// Cube root and hypot.

#include "simd/math/base.hpp"
#include "simd/math/by_double.hpp"
#include "simd/math/guarded.hpp"

namespace hassium::HS_SIMD_NS::math {

// ---- cube root ----
//
// A third of the bits of |x|, subtracted from a constant, are the bits of r = |x|^(-1/3) to 3.4 %:
// this divides the exponent and takes the mantissa's logarithm as linear. One step by a polynomial
// of h = 1 - |x| r^3 leaves an error of 2^-32 of r (2^-18 in float), and y = |x| r^2 is corrected
// once by (|x| - y^3) / (3 y^2), the cube as a pair. No division, table or exponent remainder.

template <class T>
struct CbrtConstants;

template <>
struct CbrtConstants<double> {
    // Between these, neither the cube overflows nor its error underflows.
    static constexpr double kSmall = 0x1p-900;
    static constexpr double kLarge = 0x1p1000;
    static constexpr double kScale = 0x1p300;
    static constexpr double kScaleRoot = 0x1p100;
};

template <>
struct CbrtConstants<float> {
    static constexpr float kSmall = 0x1p-90f;
    static constexpr float kLarge = 0x1p120f;
    static constexpr float kScale = 0x1p90f;
    static constexpr float kScaleRoot = 0x1p30f;
};

// Estimates r for |x|. The bits of a double are divided as its mantissa, without the lowest twelve.
HS_MATH B inverse_cbrt_guess(B x) {
    using I = IntBatch<B>;
    const B third(Lane<B>(0x1.5555555555555p-2));
    if constexpr (kIsFloat<B>) {
        constexpr float kStart = 0x54a1f800;
        return from_bits<B>(xsimd::to_int(nmadd(xsimd::to_float(bits(x)), third, B(kStart))));
    } else {
        constexpr double kStart = 0x1.54fba8p+50;
        const I as_double = (bits(x) >> 12) | I(bits_of(0x1p52));
        const B start(0x1p52 + 0x1p52 / 3 + kStart);
        return from_bits<B>(bits(nmadd(from_bits<B>(as_double), third, start)) << 12);
    }
}

// ((1 - h)^(-1/3) - 1) / h
HS_MATH B inverse_cbrt_tail(B h) {
    if constexpr (kIsFloat<B>) {
        return poly(h, 0x1.5553d4p-2, 0x1.c9b11ep-3, 0x1.65cc56p-3);
    } else {
        return poly(h, 0x1.5555562df8345p-2, 0x1.c71c75ba7afbbp-3, 0x1.61f49484481dbp-3,
                    0x1.26f3355d89c9p-3, 0x1.0374290828fb6p-3, 0x1.cefa2efdbcb23p-4);
    }
}

struct CubeRoot {
    HS_MATH static Mask<B> special(B x) {
        using C = CbrtConstants<Lane<B>>;
        return abs_outside(x, C::kSmall, C::kLarge);
    }
    HS_MATH static B ordinary(B x) {
        const B a = absolute(x);
        const B r0 = inverse_cbrt_guess(a);
        const B h = nmadd(a * r0, r0 * r0, B(1));
        const B r = madd(r0 * h, inverse_cbrt_tail(h), r0);
        const B square_inverse = r * r;
        const B y = a * square_inverse;
        const Pair<B> square = two_prod(y, y);
        const B miss = nmadd(square.lo, y, exact_nmadd(square.hi, y, a));
        const B slope = square_inverse * B(Lane<B>(0x1.5555555555555p-2));
        return with_sign(madd(miss, slope, y), x);
    }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        using C = CbrtConstants<Lane<B>>;
        const Mask<B> itself = ~is_finite(x) | (x == B(0));
        const B safe = select(itself, B(1), x);
        const Mask<B> small = abs_below(safe, C::kSmall);
        const Mask<B> large = abs_above(safe, C::kLarge);
        const B down(1 / C::kScale), back(1 / C::kScaleRoot);
        const B scale = select(small, B(C::kScale), select(large, down, B(1)));
        const B unscale = select(small, back, select(large, B(C::kScaleRoot), B(1)));
        return select(itself, x, ordinary(safe * scale) * unscale);
    }
};

HS_MATH B cbrt(B x) { return guarded<CubeRoot>(x); }

// ---- length ----

// The smaller square is dropped where it cannot matter, before it underflows.
HS_MATH B hypot_normal(B x, B y) {
    using I = IntBatch<B>;
    const I ax = abs_bits(x);
    const I ay = abs_bits(y);
    const auto swap = ay > ax;
    const B large = from_bits<B>(xsimd::select(swap, ay, ax));
    const I small_bits = xsimd::select(swap, ax, ay);
    const Mask<B> negligible = to_mask<B>(small_bits < bits(large * B(0x1p-60)));
    const B small = select(negligible, B(0), from_bits<B>(small_bits));
    return xsimd::sqrt(madd(large, large, small * small));
}

// True if squares overflow or underflow, or an operand is not finite. Two zeros are ordinary.
HS_MATH Mask<B> hypot_special(B x, B y) {
    using I = IntBatch<B>;
    const I ax = abs_bits(x);
    const I ay = abs_bits(y);
    const I large = xsimd::select(ay > ax, ay, ax);
    const auto tiny = (large < I(bits_of(0x1p-400))) & (large != I(0));
    return to_mask<B>(tiny | (large > I(bits_of(0x1p500))));
}

// An infinity wins over a NaN.
template <class B>
[[gnu::noinline]] B hypot_edge(B x, B y) {
    const Mask<B> inf = is_inf(x) | is_inf(y);
    const Mask<B> nan = is_nan(x) | is_nan(y);
    const Mask<B> special = hypot_special(x, y);
    const B safe_x = select(inf | nan, B(1), x);
    const B safe_y = select(inf | nan, B(1), y);
    const Mask<B> huge = special & (abs_above(safe_x, 0x1p500) | abs_above(safe_y, 0x1p500));
    const Mask<B> tiny = special & ~(huge | inf | nan);
    const B scale = select(huge, B(0x1p-600), select(tiny, B(0x1p600), B(1)));
    const B back = select(huge, B(0x1p600), select(tiny, B(0x1p-600), B(1)));
    // Beside a huge operand a small one is negligible, and scaled down it would underflow.
    const B seen_x = select(huge & abs_below(x, 1.0), B(0), safe_x);
    const B seen_y = select(huge & abs_below(y, 1.0), B(0), safe_y);
    const B r = hypot_normal(seen_x * scale, seen_y * scale) * back;
    const B of_nan = select(is_nan(x), x, y);
    return select(inf, B(Traits<B>::kInf), select(nan, of_nan, r));
}

HS_MATH B hypot(B x, B y) {
    return by_double(x, y, [](auto v, auto w) HS_LAMBDA {
        if (xsimd::any(hypot_special(v, w))) [[unlikely]] {
            return hypot_edge(v, w);
        }
        return hypot_normal(v, w);
    });
}

}  // namespace hassium::HS_SIMD_NS::math
