#pragma once

// Sine, cosine, tangent.
//
// x = n pi/2 + hi + lo, |hi| <= pi/4, with pi/2 in four parts: the products of n with the first
// three are exact, so that the remainder keeps full precision however close x is to a multiple of
// pi/2 (Cody and Waite). The polynomials are arranged as in Sun's fdlibm, which takes the low part
// into account. Arguments above 10^6 go to the C library lane by lane; a vector with such a lane is
// rare. Floats are computed in double, where short polynomials and a two-part pi/2 are enough.

#include "simd/math/base.hpp"
#include "simd/math/by_double.hpp"
#include "simd/math/guarded.hpp"

namespace hassium::HS_SIMD_NS::math {

inline constexpr double kTrigLimit = 1e6;

template <class B>
struct Angle {
    B hi;
    B lo;
    IntBatch<B> quadrant;  // in the low bits
};

namespace pio2 {
inline constexpr double kInverse = 0x1.45f306dc9c883p-1;
inline constexpr double kMagic = 0x1.8p52;
// 33 bits each, and the remainder.
inline constexpr double k1 = 0x1.921fb544p+0;
inline constexpr double k2 = 0x1.0b4611a6p-34;
inline constexpr double k3 = 0x1.3198a2ep-69;
inline constexpr double k4 = 0x1.b839a252049c1p-104;
// 25 bits and the remainder.
inline constexpr double kShort1 = 0x1.921fb5p+0;
inline constexpr double kShort2 = 0x1.110b4611a6263p-26;
}  // namespace pio2

HS_MATH Angle<B> reduce_angle(B x) {
    const B shifted = madd(x, B(pio2::kInverse), B(pio2::kMagic));
    const B n = shifted - B(pio2::kMagic);
    const B a = nmadd(n, B(pio2::k1), x);
    // fast_two_sum although n k2 may be the larger one: both are then multiples of 2^-66 so small
    // that the sum is exact. Likewise for n k3.
    const B b = n * B(pio2::k2);
    const B first = a - b;
    const B first_lo = (a - first) - b;
    const B c = n * B(pio2::k3);
    const B hi = first - c;
    const B hi_lo = (first - hi) - c;
    return {hi, nmadd(n, B(pio2::k4), first_lo + hi_lo), bits(shifted)};
}

// For doubles converted from floats.
HS_MATH Angle<B> reduce_short(B x) {
    const B shifted = madd(x, B(pio2::kInverse), B(pio2::kMagic));
    const B n = shifted - B(pio2::kMagic);
    const B hi = nmadd(n, B(pio2::kShort2), nmadd(n, B(pio2::kShort1), x));
    return {hi, B(0), bits(shifted)};
}

// sin(hi + lo) - hi
HS_MATH B sin_rest(B hi, B lo, B z) {
    const B v = z * hi;
    const B r = poly(z, 0x1.1111111110ba5p-7, -0x1.a01a019e80693p-13, 0x1.71de379252004p-19,
                     -0x1.ae60069e53ef1p-26, 0x1.5e098556d302ep-33);
    return madd(v, B(-0x1.5555555555555p-3), nmadd(z, madd(B(0.5), lo, negative(v * r)), lo));
}

// (cos(h) - 1 + z/2) / z, z = h^2
HS_MATH B cos_tail(B z) {
    return z * poly(z, 0x1.5555555555555p-5, -0x1.6c16c16c16960p-10, 0x1.a01a019f4d0edp-16,
                    -0x1.27e4fa15bd814p-22, 0x1.1eeb66b683028p-29, -0x1.907c0e63adbb6p-37);
}

// cos(hi + lo) = head + rest; z_lo is the rounding error of z.
HS_MATH Pair<B> cos_parts(B hi, B lo, B z, B z_lo) {
    const B half = B(0.5) * z;
    const B head = B(1) - half;
    const B low = madd(hi, lo, B(0.5) * z_lo);
    return {head, ((B(1) - head) - half) + msub(z, cos_tail(z), low)};
}

// Odd q selects the cosine, q & 2 the sign.
HS_MATH B sin_of_quadrant(Angle<B> a, IntBatch<B> q) {
    using I = IntBatch<B>;
    const B z = a.hi * a.hi;
    const Pair<B> c = cos_parts(a.hi, a.lo, z, B(0));
    const Mask<B> odd = to_mask<B>((q & I(1)) == I(1));
    const B y = select(odd, c.hi, a.hi) + select(odd, c.lo, sin_rest(a.hi, a.lo, z));
    return from_bits<B>(bits(y) ^ ((q & I(2)) << 62));
}

HS_MATH B short_sin(B r, B z) {
    const B tail = poly(z, -0x1.555555545c0f8p-3, 0x1.11110dea5e8c0p-7, -0x1.a013a11619d1bp-13,
                        0x1.6dbbee1f24647p-19);
    return madd(r * z, tail, r);
}

HS_MATH B short_cos(B z) {
    return poly(z, 1.0, -0x1.fffffffffe656p-2, 0x1.5555555147373p-5, -0x1.6c16badbea939p-10,
                0x1.a01291464359ep-16, -0x1.2473214f428b9p-22);
}

HS_MATH B short_sin_of_quadrant(Angle<B> a, IntBatch<B> q) {
    using I = IntBatch<B>;
    const B z = a.hi * a.hi;
    const Mask<B> odd = to_mask<B>((q & I(1)) == I(1));
    const B y = select(odd, short_cos(z), short_sin(a.hi, z));
    return from_bits<B>(bits(y) ^ ((q & I(2)) << 62));
}

// tan = a / b as pairs. q = a.hi / b.hi is corrected by the residual a - q b over b.
HS_MATH B pair_quotient(Pair<B> a, Pair<B> b) {
    const B inverse = B(1) / b.hi;
    const B q = a.hi * inverse;
    return madd(exact_nmadd(q, b.hi, a.hi) + nmadd(q, b.lo, a.lo), inverse, q);
}

HS_MATH B tan_of_angle(Angle<B> a) {
    using I = IntBatch<B>;
    const Pair<B> z = two_prod(a.hi, a.hi);
    const Pair<B> c_parts = cos_parts(a.hi, a.lo, z.hi, z.lo);
    const Pair<B> c = fast_two_sum(c_parts.hi, c_parts.lo);
    const Pair<B> s = fast_two_sum(a.hi, sin_rest(a.hi, a.lo, z.hi));
    const Mask<B> odd = to_mask<B>((a.quadrant & I(1)) == I(1));
    const Pair<B> top{select(odd, negative(c.hi), s.hi), select(odd, negative(c.lo), s.lo)};
    const Pair<B> bottom{select(odd, s.hi, c.hi), select(odd, s.lo, c.lo)};
    return pair_quotient(top, bottom);
}

HS_MATH B short_tan_of_angle(Angle<B> a) {
    using I = IntBatch<B>;
    const B z = a.hi * a.hi;
    const B s = short_sin(a.hi, z);
    const B c = short_cos(z);
    const Mask<B> odd = to_mask<B>((a.quadrant & I(1)) == I(1));
    return select(odd, negative(c), s) / select(odd, s, c);
}

struct SinCore {
    static constexpr Unary kLibrary = ::sin;
    static constexpr bool kOdd = true;
    HS_MATH static B f(B x) {
        const Angle<B> a = reduce_angle(x);
        return sin_of_quadrant(a, a.quadrant);
    }
    HS_MATH static B f_short(B x) {
        const Angle<B> a = reduce_short(x);
        return short_sin_of_quadrant(a, a.quadrant);
    }
};

struct CosCore {
    static constexpr Unary kLibrary = ::cos;
    static constexpr bool kOdd = false;
    HS_MATH static B f(B x) {
        const Angle<B> a = reduce_angle(x);
        return sin_of_quadrant(a, a.quadrant + IntBatch<B>(1));
    }
    HS_MATH static B f_short(B x) {
        const Angle<B> a = reduce_short(x);
        return short_sin_of_quadrant(a, a.quadrant + IntBatch<B>(1));
    }
};

struct TanCore {
    static constexpr Unary kLibrary = ::tan;
    static constexpr bool kOdd = true;
    HS_MATH static B f(B x) { return tan_of_angle(reduce_angle(x)); }
    HS_MATH static B f_short(B x) { return short_tan_of_angle(reduce_short(x)); }
};

template <class Core>
struct Trigonometric {
    HS_MATH static Mask<B> special(B x) {
        return abs_outside(x, Traits<B>::kNegligible, Lane<B>(kTrigLimit));
    }
    HS_MATH static B ordinary(B x) {
        if constexpr (kIsFloat<B>) {
            return by_double(x, [](auto v) HS_LAMBDA { return Core::f_short(v); });
        } else {
            return Core::f(x);
        }
    }
    // Negligible arguments: an odd function returns them, an even one is 1. Besides, their powers
    // would raise underflow, and the sums of the ordinary path lose the sign of zero.
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const Mask<B> small = is_negligible(x);
        const Mask<B> large = abs_above(x, Lane<B>(kTrigLimit));
        B y = ordinary(select(special(x), B(0), x));
        if constexpr (Core::kOdd) {
            y = select(small, x, y);
        }
        if (xsimd::any(large)) {
            return lanewise(Core::kLibrary, x, y, large.mask());
        }
        return y;
    }
};

HS_MATH B sin(B x) { return guarded<Trigonometric<SinCore>>(x); }

HS_MATH B cos(B x) { return guarded<Trigonometric<CosCore>>(x); }

HS_MATH B tan(B x) { return guarded<Trigonometric<TanCore>>(x); }

}  // namespace hassium::HS_SIMD_NS::math
