#pragma once

// Inverse trigonometric functions.

#include "simd/math/base.hpp"
#include "simd/math/guarded.hpp"

namespace hassium::HS_SIMD_NS::math {

template <class T>
struct ArcConstants;

template <>
struct ArcConstants<double> {
    static constexpr double kPi = 0x1.921fb54442d18p+1;
    static constexpr double kPiLo = 0x1.1a62633145c07p-53;
    static constexpr double kHalfPi = 0x1.921fb54442d18p+0;
    static constexpr double kHalfPiLo = 0x1.1a62633145c07p-54;
    static constexpr double kAtanOne = 0x1.921fb54442d18p-1;
    static constexpr double kAtanOneLo = 0x1.1a62633145c07p-55;
    static constexpr double kAtanHalf = 0x1.dac670561bb4fp-2;
    static constexpr double kAtanHalfLo = 0x1.a2b7f222f65e2p-56;
    // Its arctan is pi/2 to the last digit; the square of its inverse does not underflow.
    static constexpr double kSteep = 0x1p64;
    // Between these, sums and quotients of operands neither overflow nor lose digits.
    static constexpr double kSmall = 0x1p-900;
    static constexpr double kLarge = 0x1p1000;
};

template <>
struct ArcConstants<float> {
    static constexpr float kPi = 0x1.921fb6p+1f;
    static constexpr float kPiLo = -0x1.777a5cp-24f;
    static constexpr float kHalfPi = 0x1.921fb6p+0f;
    static constexpr float kHalfPiLo = -0x1.777a5cp-25f;
    static constexpr float kAtanOne = 0x1.921fb6p-1f;
    static constexpr float kAtanOneLo = -0x1.777a5cp-26f;
    static constexpr float kAtanHalf = 0x1.dac67p-2f;
    static constexpr float kAtanHalfLo = 0x1.586ed4p-28f;
    static constexpr float kSteep = 0x1p30f;
    static constexpr float kSmall = 0x1p-100f;
    static constexpr float kLarge = 0x1p120f;
};

// ---- arc tangent ----
//
// For a quotient n/d in [0, 1]: atan(n/d) = atan(c) + atan((n - c d)/(d + c n)) with c = 0, 1/2 or
// 1, for which n - c d is exact. The reduced argument is at most 3/8.

// (t - atan(t)) / t as a function of z = t^2
HS_MATH B arctan_tail(B z) {
    if constexpr (kIsFloat<B>) {
        return z *
               poly(z, 0x1.555554p-2, -0x1.99987p-3, 0x1.244f98p-3, -0x1.bc73dep-4, 0x1.1847c4p-4);
    } else {
        return z * poly(z, 0x1.5555555555555p-2, -0x1.9999999999899p-3, 0x1.24924924806c5p-3,
                        -0x1.c71c71b791254p-4, 0x1.745d13cb63c72p-4, -0x1.3b133c917ed7fp-4,
                        0x1.11077cc75c292p-4, -0x1.e0dd1b99ce1d7p-5, 0x1.a61f69f9dbf17p-5,
                        -0x1.52e8006c88f48p-5, 0x1.6978f4cbdaab5p-6);
    }
}

// Returns base + atan(n/d), or base - atan(n/d) where `minus`; requires 0 <= n <= d and d > 0.
// kMayBeTiny: powers of the quotient may underflow.
template <bool kMayBeTiny, class B>
[[gnu::always_inline]] inline B arctan_quotient(B n, B d, Mask<B> minus, Pair<B> base) {
    using C = ArcConstants<Lane<B>>;
    const B zero(0);
    const B half(Lane<B>(0.5));
    const Mask<B> above_low = n > d * B(Lane<B>(0.375));
    const Mask<B> above_high = n > d * B(Lane<B>(0.6875));
    const B c = select(above_high, B(1), select(above_low, half, zero));
    const B t = nmadd(c, d, n) / madd(c, n, d);
    const B c_hi = select(above_high, B(C::kAtanOne), select(above_low, B(C::kAtanHalf), zero));
    const B c_lo = select(above_high, B(C::kAtanOneLo), select(above_low, B(C::kAtanHalfLo), zero));
    const B flip = select(minus, B(Lane<B>(-0.0)), zero);
    const B angle_hi = xor_sign(c_hi, flip);
    const B angle_lo = xor_sign(c_lo, flip);
    const B short_t = kMayBeTiny ? flushed(t) : t;
    const B signed_t = xor_sign(t, flip);
    const Pair<B> head = fast_two_sum(base.hi, angle_hi);
    const B low = (head.lo + angle_lo) + base.lo;
    return head.hi + (signed_t -
                      madd(xor_sign(short_t, flip), arctan_tail(short_t * short_t), negative(low)));
}

struct Arctan {
    HS_MATH static Mask<B> special(B x) {
        return abs_outside(x, Traits<B>::kNegligible, ArcConstants<Lane<B>>::kSteep);
    }
    HS_MATH static B ordinary(B x) {
        using C = ArcConstants<Lane<B>>;
        const B a = absolute(x);
        const Mask<B> large = abs_above(x, Lane<B>(1));
        const B zero(0);
        const Pair<B> base{select(large, B(C::kHalfPi), zero),
                           select(large, B(C::kHalfPiLo), zero)};
        const B n = select(large, B(1), a);
        const B d = select(large, a, B(1));
        return with_sign(arctan_quotient<false>(n, d, large, base), x);
    }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        using C = ArcConstants<Lane<B>>;
        const B v = select(abs_above(x, C::kSteep), with_sign(B(C::kSteep), x), x);
        const B y = ordinary(select(is_negligible(x), B(1), v));
        return select(is_negligible(x) | (x != x), x, y);
    }
};

HS_MATH B arctan(B x) { return guarded<Arctan>(x); }

// Requires that the larger operand is neither huge nor tiny nor special: then nothing but the
// result itself can overflow or underflow. Zeros are allowed.
HS_MATH B arctan2_ordinary(B y, B x) {
    using C = ArcConstants<Lane<B>>;
    using I = IntBatch<B>;
    const B ax = absolute(x);
    const B ay = absolute(y);
    const Mask<B> steep = to_mask<B>(abs_bits(y) > abs_bits(x));
    const Mask<B> left = has_sign(x);
    const B n = select(steep, ax, ay);
    const B larger = select(steep, ay, ax);
    const B d = select(to_mask<B>(bits(larger) == I(0)), B(1), larger);
    // Steep: pi/2 -+ atan(x/y); otherwise atan(y/x), or pi - it.
    const B zero(0);
    const Pair<B> flat{select(left, B(C::kPi), zero), select(left, B(C::kPiLo), zero)};
    const Pair<B> base{select(steep, B(C::kHalfPi), flat.hi),
                       select(steep, B(C::kHalfPiLo), flat.lo)};
    const Mask<B> minus = to_mask<B>(to_int_mask<B>(steep) ^ to_int_mask<B>(left));
    return with_sign(arctan_quotient<true>(n, d, minus, base), y);
}

HS_MATH Mask<B> arctan2_special(B y, B x) {
    using C = ArcConstants<Lane<B>>;
    using I = IntBatch<B>;
    const I ax = abs_bits(x);
    const I ay = abs_bits(y);
    const I larger = xsimd::select(ay > ax, ay, ax);
    const auto tiny = (larger < I(bits_of(C::kSmall))) & (larger != I(0));
    return to_mask<B>(tiny | (larger > I(bits_of(C::kLarge))));
}

template <class B>
[[gnu::noinline]] B arctan2_edge(B y, B x) {
    const Mask<B> special = arctan2_special(y, x);
    const B r = arctan2_ordinary(select(special, B(0), y), select(special, B(1), x));
    return lanewise(static_cast<Binary>(::atan2), y, x, r, special.mask());
}

HS_MATH B arctan2(B y, B x) {
    if (xsimd::any(arctan2_special(y, x))) [[unlikely]] {
        return arctan2_edge(y, x);
    }
    return arctan2_ordinary(y, x);
}

// ---- arc sine and arc cosine ----
//
// Up to 1/2 a polynomial in x^2; above, asin(x) = pi/2 - 2 asin(s) with s = sqrt((1-x)/2), and s is
// carried with its error.

// asin(x)/x - 1 as a function of z = x^2 <= 1/4
HS_MATH B arcsin_tail(B z) {
    if constexpr (kIsFloat<B>) {
        return z * poly(z, 0x1.555554p-3, 0x1.333430p-4, 0x1.6d5bbap-5, 0x1.fd8da2p-6,
                        0x1.18f91ep-6, 0x1.13fed4p-5);
    } else {
        return z * poly(z, 0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
                        0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6,
                        0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7,
                        0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
                        0x1.d72b2bc8155f8p-6);
    }
}

template <class B>
struct ArcsinParts {
    Mask<B> large;
    Pair<B> s;  // |x|, or the root
    B tail;     // asin(s)/s - 1
};

HS_MATH ArcsinParts<B> arcsin_parts(B x) {
    const B a = absolute(x);
    const Mask<B> large = abs_above(x, Lane<B>(0.5));
    const B z = select(large, madd(B(Lane<B>(-0.5)), a, B(Lane<B>(0.5))), a * a);
    const B root = xsimd::sqrt(z);
    // The root of zero has no error, and division by it is avoided.
    const Pair<B> square = two_prod(root, root);
    const B error = ((z - square.hi) - square.lo) / (root + root + B(Lane<B>(0x1p-100)));
    const Pair<B> s{select(large, root, a), select(large, error, B(0))};
    return {large, s, arcsin_tail(z)};
}

struct ArcsinCore {
    static constexpr bool kOdd = true;
    HS_MATH static B f(B x) {
        using C = ArcConstants<Lane<B>>;
        const ArcsinParts<B> p = arcsin_parts(x);
        const Pair<B> head = fast_two_sum(B(C::kHalfPi), B(-2) * p.s.hi);
        const B low = nmadd(B(2), madd(p.s.hi, p.tail, p.s.lo), head.lo + B(C::kHalfPiLo));
        return with_sign(select(p.large, head.hi + low, madd(p.s.hi, p.tail, p.s.hi)), x);
    }
};

struct ArccosCore {
    static constexpr bool kOdd = false;
    HS_MATH static B f(B x) {
        using C = ArcConstants<Lane<B>>;
        const ArcsinParts<B> p = arcsin_parts(x);
        const Mask<B> left = has_sign(x);
        const B twice = B(2) * p.s.hi;
        const B twice_low = B(2) * madd(p.s.hi, p.tail, p.s.lo);
        const Pair<B> far = fast_two_sum(B(C::kPi), negative(twice));
        const B far_value = far.hi + ((far.lo + B(C::kPiLo)) - twice_low);
        const B of_large = select(left, far_value, twice + twice_low);
        const Pair<B> near = fast_two_sum(B(C::kHalfPi), negative(x));
        const B of_small = near.hi + nmadd(x, p.tail, near.lo + B(C::kHalfPiLo));
        return select(p.large, of_large, of_small);
    }
};

template <class Core>
struct ArcOfRatio {
    HS_MATH static Mask<B> special(B x) {
        return abs_outside(x, Traits<B>::kNegligible, Lane<B>(1));
    }
    HS_MATH static B ordinary(B x) { return Core::f(x); }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const Mask<B> nan = is_nan(x);
        const Mask<B> outside = abs_above(x, Lane<B>(1)) & ~nan;
        if (xsimd::any(outside)) {
            raise_invalid();
        }
        B y = Core::f(select(special(x), B(0), x));
        if constexpr (Core::kOdd) {
            y = select(is_negligible(x), x, y);
        }
        return select(nan, x, select(outside, B(Traits<B>::kNan), y));
    }
};

HS_MATH B arcsin(B x) { return guarded<ArcOfRatio<ArcsinCore>>(x); }

HS_MATH B arccos(B x) { return guarded<ArcOfRatio<ArccosCore>>(x); }

}  // namespace hassium::HS_SIMD_NS::math
