#pragma once

// Hyperbolic functions and their inverses.
//
// |x| = n ln2 + r, C = cosh(r) - 1, S = sinh(r): two short polynomials. With a = cosh(n ln2) and
// b = sinh(n ln2), which are sums of powers of two,
//     sinh|x| = b + b C + a S,    cosh|x| = a + a C + b S,
// and the leading terms b + a r of the first are added without error. The inverses are log1p of a
// sum carried as a pair.

#include "simd/math/base.hpp"
#include "simd/math/exp.hpp"
#include "simd/math/log.hpp"
#include "simd/math/trig.hpp"

namespace hassium::HS_SIMD_NS::math {

template <class B>
struct HyperbolicParts {
    Pair<B> sinh;
    Pair<B> cosh;
};

// (cosh(r) - 1) / z and (sinh(r) / r - 1) / z, of z = r^2
HS_MATH B cosh_poly(B z) {
    if constexpr (kIsFloat<B>) {
        return poly(z, 0x1p-1, 0x1.5554eap-5, 0x1.6d4324p-10);
    } else {
        return poly(z, 0x1p-1, 0x1.5555555555557p-5, 0x1.6c16c16c15a68p-10, 0x1.a01a01a9e991bp-16,
                    0x1.27e4d41966f2fp-22, 0x1.1f7f2776cfaf2p-29);
    }
}

HS_MATH B sinh_poly(B z) {
    if constexpr (kIsFloat<B>) {
        return poly(z, 0x1.555556p-3, 0x1.1110e0p-7, 0x1.a124f2p-13);
    } else {
        return poly(z, 0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a0196acp-13,
                    0x1.71de3a5aa7bb7p-19, 0x1.ae642c82e33d5p-26, 0x1.61bfaa228dde5p-33);
    }
}

// For arguments up to here e^x and e^-x are normal.
template <class T>
inline constexpr T kHyperbolicLimit = kSame<T, float> ? T(80) : T(600);

// Requires that x is at most kHyperbolicLimit and not negligible.
HS_MATH HyperbolicParts<B> hyperbolic_parts(B x) {
    const auto [shifted, r, r_lo] = by_ln2(x);
    const B z = r * r;
    const B cosh_rest = z * cosh_poly(z);
    const B sinh_tail = z * sinh_poly(z);
    const B sinh_rest = madd(r, sinh_tail, r_lo);
    const IntBatch<B> field = exponent_field(shifted);
    const IntBatch<B> half = bits(B(Lane<B>(0.5)));
    const B up = from_bits<B>(half + field);
    const B down = from_bits<B>(half - field);
    const Pair<B> a = fast_two_sum(up, down);
    const Pair<B> b = fast_two_sum(up, negative(down));
    // b is zero or larger than a r, as fast_two_sum requires.
    const Pair<B> product = two_prod(a.hi, r);
    const Pair<B> head = fast_two_sum(b.hi, product.hi);
    const B low = (head.lo + product.lo) + madd(a.lo, r, b.lo);
    const B sinh_lo = madd(a.hi, sinh_rest, madd(b.hi, cosh_rest, low));
    const B cosh_lo = madd(a.hi, cosh_rest, madd(b.hi, r + sinh_rest, a.lo));
    return {{head.hi, sinh_lo}, {a.hi, cosh_lo}};
}

struct SinhCore {
    static constexpr bool kOdd = true;
    HS_MATH static B f(B x) {
        const HyperbolicParts<B> p = hyperbolic_parts(absolute(x));
        return with_sign(p.sinh.hi + p.sinh.lo, x);
    }
};

struct CoshCore {
    static constexpr bool kOdd = false;
    HS_MATH static B f(B x) {
        const HyperbolicParts<B> p = hyperbolic_parts(absolute(x));
        return p.cosh.hi + p.cosh.lo;
    }
};

template <class Core>
struct Hyperbolic {
    HS_MATH static Mask<B> special(B x) {
        return abs_outside(x, Traits<B>::kNegligible, kHyperbolicLimit<Lane<B>>);
    }
    HS_MATH static B ordinary(B x) { return Core::f(x); }
    // Beyond the limit both are e^|x| / 2.
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const Mask<B> finite = is_finite(x);
        const Mask<B> large = abs_above(x, kHyperbolicLimit<Lane<B>>);
        const B clamp(ExpConstants<Lane<B>>::kClamp);
        const B a = absolute(select(large & finite, x, B(1)));
        const B half_exp = finish_any(exp_scaled(select(a > clamp, clamp, a)), -1);
        const B of_large = select(finite, half_exp, absolute(x));
        B y = Core::f(select(special(x), B(0), x));
        if constexpr (Core::kOdd) {
            y = select(is_negligible(x), x, y);
            return select(x != x, x, select(large, with_sign(of_large, x), y));
        } else {
            return select(x != x, x, select(large, of_large, y));
        }
    }
};

HS_MATH B sinh(B x) { return guarded<Hyperbolic<SinhCore>>(x); }

HS_MATH B cosh(B x) { return guarded<Hyperbolic<CoshCore>>(x); }

// tanh x = 1 - 2 / (e^2x + 1); near zero x plus x^3 times a rational function, which shares the
// division, or in float a polynomial. Both interpolate (tanh x / x - 1) / x^2 at Chebyshev nodes of
// x^2 up to 0.625^2; relative to tanh x the error is within 2^-57 and 2^-25.
struct Tanh {
    HS_MATH static B exp_of_twice(B x) { return ExpCore::normal(x + x); }
#ifdef __AVX512F__
    template <SixteenFloats B>
    [[gnu::always_inline]] static inline B exp_of_twice(B x) {
        return rough_exp_of_twice(x);
    }
#endif
    // From 20 on the result is 1.
    HS_MATH static Mask<B> special(B x) {
        return abs_outside(x, Traits<B>::kNegligible, Lane<B>(20));
    }
    HS_MATH static B ordinary(B x) {
        const B a = absolute(x);
        const B z = a * a;
        const B above = exp_of_twice(a) + B(1);
        const Mask<B> near = abs_below(x, Lane<B>(0.625));
        if constexpr (kIsFloat<B>) {
            const B rest = poly(z, -0x1.555552p-2, 0x1.110e1cp-3, -0x1.b9258ap-5, 0x1.58048ep-6,
                                -0x1.8f8de4p-8);
            const B far = nmadd(B(2), B(1) / above, B(1));
            return with_sign(select(near, madd(a * z, rest, a), far), x);
        } else {
            const B numerator =
                poly(z, -0x1.937c3e9ef0071p+10, -0x1.8d019e1c5db71p+6, -0x1.edc3dfbe1571ep-1);
            const B denominator =
                poly(z, 0x1.2e9d2ef734055p+12, 0x1.174f7f986bfe5p+11, 0x1.c31711cfcd676p+6, 0x1p0);
            const B fraction =
                select(near, (a * z) * numerator, B(-2)) / select(near, denominator, above);
            return with_sign(select(near, a, B(1)) + fraction, x);
        }
    }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const B y = ordinary(select(special(x), B(1), x));
        const Mask<B> large = abs_above(x, Lane<B>(20));
        const Mask<B> itself = is_negligible(x) | (x != x);
        return select(itself, x, select(large, with_sign(B(1), x), y));
    }
};

HS_MATH B tanh(B x) { return guarded<Tanh>(x); }

// ---- inverses ----

// Beyond it asinh and acosh equal log(2x) to the last digit.
template <class T>
inline constexpr T kArcLarge = T(0x1p28);

struct Arcsinh {
    HS_MATH static Mask<B> special(B x) {
        return abs_outside(x, Traits<B>::kNegligible, kArcLarge<Lane<B>>);
    }
    HS_MATH static B ordinary(B x) {
        const B a = absolute(x);
        const B square = a * a;
        const B rest = square / (B(1) + xsimd::sqrt(B(1) + square));
        return with_sign(log1p_pair(two_sum(a, rest)), x);
    }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const Mask<B> large = abs_above(x, kArcLarge<Lane<B>>);
        const B y = ordinary(select(special(x), B(0), x));
        const B of_large =
            math::log(absolute(select(large, x, B(1)))) + B(ExpConstants<Lane<B>>::kLn2);
        const Mask<B> itself = is_negligible(x) | (x != x);
        return select(itself, x, select(large, with_sign(of_large, x), y));
    }
};

HS_MATH B arcsinh(B x) { return guarded<Arcsinh>(x); }

struct Arccosh {
    HS_MATH static Mask<B> special(B x) {
        using I = IntBatch<B>;
        const I v = bits(x);
        return to_mask<B>((v < I(bits_of(Lane<B>(1)))) | (v > I(bits_of(kArcLarge<Lane<B>>))));
    }
    // (x-1) + sqrt((x-1)(x+1)), product, root and sum as pairs; the cancellation near 1 is exact.
    HS_MATH static B ordinary(B x) {
        const B t = x - B(1);
        const Pair<B> upper = two_sum(x, B(1));
        const Pair<B> product = two_prod(t, upper.hi);
        const B product_lo = madd(t, upper.lo, product.lo);
        const B root = xsimd::sqrt(product.hi);
        const Pair<B> square = two_prod(root, root);
        const B error = ((product.hi - square.hi) - square.lo + product_lo) /
                        (root + root + B(Lane<B>(0x1p-100)));
        const Pair<B> sum = two_sum(root, t);
        return log1p_pair<B>({sum.hi, sum.lo + error});
    }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const Mask<B> other = special(x);
        const B y = ordinary(select(other, B(1), x));
        const Mask<B> nan = x != x;
        const Mask<B> large = other & ~has_sign(x) & abs_above(x, kArcLarge<Lane<B>>);
        const Mask<B> outside = other & ~(large | nan);
        if (xsimd::any(outside)) {
            raise_invalid();
        }
        const B of_large = math::log(select(large, x, B(1))) + B(ExpConstants<Lane<B>>::kLn2);
        const B r = select(outside, B(Traits<B>::kNan), select(large, of_large, y));
        return select(nan, x, r);
    }
};

HS_MATH B arccosh(B x) { return guarded<Arccosh>(x); }

struct Arctanh {
    HS_MATH static Mask<B> special(B x) { return abs_at_least(x, Lane<B>(1)); }
    // log1p(2x / (1-x)) / 2
    HS_MATH static B ordinary(B x) {
        const B a = absolute(x);
        const Pair<B> bottom = fast_two_sum(B(1), negative(a));
        const B inverse = B(1) / bottom.hi;
        const B twice = a + a;
        const B q = twice * inverse;
        const Pair<B> p = two_prod(q, bottom.hi);
        const B residual = nmadd(q, flushed(bottom.lo), (twice - p.hi) - p.lo);
        const Pair<B> t = fast_two_madd(residual, inverse, q);
        return with_sign(B(Lane<B>(0.5)) * log1p_pair(t), x);
    }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const Mask<B> other = special(x);
        const Mask<B> one = absolute(x) == B(1);
        const Mask<B> nan = x != x;
        const Mask<B> outside = other & ~(one | nan);
        if (xsimd::any(one)) {
            raise_divide();
        }
        if (xsimd::any(outside)) {
            raise_invalid();
        }
        const B y = ordinary(select(other, B(0), x));
        const B r = select(one, with_sign(B(Traits<B>::kInf), x), y);
        return select(nan, x, select(outside, B(Traits<B>::kNan), r));
    }
};

HS_MATH B arctanh(B x) { return guarded<Arctanh>(x); }

}  // namespace hassium::HS_SIMD_NS::math
