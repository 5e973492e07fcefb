#pragma once

// Exponential and logarithm of complex numbers.
//
// e^(x + iy) = e^x cos y + i e^x sin y, and log z = log |z| + i arg z with log |z| half the
// logarithm of x^2 + y^2. Factors, squares and their sum are kept as a value and its rounding
// error, so that each part is rounded little more than once, and the logarithm is accurate where
// |z| is close to 1. Elements outside the range in which that is exact go to the C library one by
// one. Parts of float are computed in double.

#include "simd/math/arc.hpp"
#include "simd/math/base.hpp"
#include "simd/math/by_double.hpp"
#include "simd/math/complex.hpp"
#include "simd/math/exp.hpp"
#include "simd/math/log.hpp"
#include "simd/math/trig.hpp"

namespace hassium::HS_SIMD_NS::math::cplx {

// Applies F to doubles, or to floats through double.
template <class F, class B>
[[gnu::always_inline]] inline Complex<B> in_double(Complex<B> z) {
    if constexpr (kIsFloat<B>) {
        const auto re = to_double(z.re);
        const auto im = to_double(z.im);
        using D = DoubleBatch<B>;
        const Complex<D> low = F::f(Complex<D>{re.low, im.low});
        const Complex<D> high = F::f(Complex<D>{re.high, im.high});
        return {to_float(Halves<D>{low.re, high.re}), to_float(Halves<D>{low.im, high.im})};
    } else {
        return F::f(z);
    }
}

// Returns the C library's f for the lanes set in `lanes`, `others` for the rest.
template <class B>
[[gnu::noinline, gnu::cold]] Complex<B> lanewise(Scalar<double> (*f)(Scalar<double>), Complex<B> z,
                                                 Complex<B> others, uint64_t lanes) {
    alignas(64) double part[4][B::size];
    z.re.store_aligned(part[0]);
    z.im.store_aligned(part[1]);
    others.re.store_aligned(part[2]);
    others.im.store_aligned(part[3]);
    for (unsigned i = 0; i < B::size; ++i) {
        if ((lanes >> i & 1) == 0) continue;
        const Scalar<double> r = f(scalar(part[0][i], part[1][i]));
        part[2][i] = __real__ r;
        part[3][i] = __imag__ r;
    }
    return {B::load_aligned(part[2]), B::load_aligned(part[3])};
}

// Special elements are computed by the C library, batches without any by `ordinary`.
template <class F>
struct GuardedComplex {
    template <class B>
    [[gnu::always_inline]] static inline Complex<B> f(Complex<B> z) {
        if (xsimd::any(F::special(z))) [[unlikely]] {
            return edge(z);
        }
        return F::ordinary(z);
    }
    template <class B>
    [[gnu::noinline]] static Complex<B> edge(Complex<B> z) {
        const Mask<B> special = F::special(z);
        const Complex<B> safe{select(special, B(1), z.re), select(special, B(1), z.im)};
        return cplx::lanewise(F::kLibrary, z, F::ordinary(safe), special.mask());
    }
};

// ---- exponential ----

// e^x = (hi + lo) 2^n, with 2^n as two factors, so that both are in range whenever a result is.
template <class B>
struct PairScaled {
    Pair<B> mantissa;
    B power, more_power;

    [[gnu::always_inline]] B scaled(B x) const { return x * power * more_power; }
};

HS_MATH PairScaled<B> exp_pair(B x) {
    using C = ExpConstants<double>;
    using I = IntBatch<B>;
    const auto [shifted, r, r_lo] = by_ln2(x);
    const Pair<B> head = fast_two_sum(B(1), r);
    const B tail = madd(r * r, exp_tail(r), madd(r_lo, head.hi, head.lo));
    const I half = bits(madd(shifted - B(C::kMagic), B(0.5), B(C::kMagic)));
    const I one(bits_of(1.0)), rest = bits(shifted) - half;
    return {fast_two_sum(head.hi, tail), from_bits<B>((half << 52) + one),
            from_bits<B>((rest << 52) + one)};
}

template <class B>
struct SinCos {
    Pair<B> sin, cos;
};

HS_MATH SinCos<B> sin_cos_pairs(B x) {
    using I = IntBatch<B>;
    const Angle<B> a = reduce_angle(x);
    const Pair<B> z = two_prod(a.hi, a.hi);
    const Pair<B> parts = cos_parts(a.hi, a.lo, z.hi, z.lo);
    const Pair<B> c = fast_two_sum(parts.hi, parts.lo);
    const Pair<B> s = fast_two_sum(a.hi, sin_rest(a.hi, a.lo, z.hi));
    const Mask<B> odd = to_mask<B>((a.quadrant & I(1)) == I(1));
    const I sin_sign = (a.quadrant & I(2)) << 62;
    const I cos_sign = ((a.quadrant + I(1)) & I(2)) << 62;
    const auto signed_by = [](I sign, B v) HS_LAMBDA { return from_bits<B>(bits(v) ^ sign); };
    return {{signed_by(sin_sign, select(odd, c.hi, s.hi)),
             signed_by(sin_sign, select(odd, c.lo, s.lo))},
            {signed_by(cos_sign, select(odd, s.hi, c.hi)),
             signed_by(cos_sign, select(odd, s.lo, c.lo))}};
}

HS_MATH B product(Pair<B> a, Pair<B> b) {
    const Pair<B> head = two_prod(a.hi, b.hi);
    return head.hi + madd(a.hi, b.lo, madd(a.lo, b.hi, head.lo));
}

struct Exp {
    static constexpr Scalar<double> (*kLibrary)(Scalar<double>) = __builtin_cexp;
    // Between these no factor overflows or loses digits; results may.
    static constexpr double kNormal = 1400;
    static constexpr double kTiny = 0x1p-900;

    HS_MATH static Mask<B> special(Complex<B> z) {
        using I = IntBatch<B>;
        const I y = abs_bits(z.im);
        const auto tiny = (y < I(bits_of(kTiny))) & (y != I(0));
        return abs_above(z.re, kNormal) | to_mask<B>(tiny | (y > I(bits_of(kTrigLimit))));
    }
    HS_MATH static Complex<B> ordinary(Complex<B> z) {
        const PairScaled<B> size = exp_pair(flushed(z.re));
        const SinCos<B> turn = sin_cos_pairs(flushed(z.im));
        const B im = product(size.mantissa, turn.sin);
        // Keeps the sign of a zero; powers of negligible values would raise underflow.
        return {size.scaled(product(size.mantissa, turn.cos)),
                size.scaled(select(is_negligible(z.im), z.im * size.mantissa.hi, im))};
    }
};

HS_MATH Complex<B> exp(Complex<B> z) { return in_double<GuardedComplex<Exp>>(z); }

// ---- logarithm ----

// x^2 + y^2 with its rounding error, the error itself rounded once; |x| >= |y|.
HS_MATH Pair<B> sum_of_squares(B x, B y) {
    const Pair<B> a = two_prod(x, x);
    const Pair<B> b = two_prod(y, y);
    const Pair<B> heads = fast_two_sum(a.hi, b.hi);
    const Pair<B> tails = two_sum(a.lo, b.lo);
    const Pair<B> rest = two_sum(heads.lo, tails.hi);
    const Pair<B> sum = fast_two_sum(heads.hi, rest.hi);
    return {sum.hi, sum.lo + (rest.lo + tails.lo)};
}

struct Log {
    static constexpr Scalar<double> (*kLibrary)(Scalar<double>) = __builtin_clog;
    // Between these, the squares of the larger part and their errors are normal. So are those of
    // the smaller part unless it is tiny, where they do not matter unless the other part is 1.
    static constexpr double kSmall = 0x1p-300;
    static constexpr double kLarge = 0x1p400;
    static constexpr double kTiny = 0x1p-400;

    // Magnitudes of the parts, as bits.
    template <class B>
    struct Sizes {
        IntBatch<B> large, small;
    };
    HS_MATH static Sizes<B> sizes(Complex<B> z) {
        const IntBatch<B> x = abs_bits(z.re), y = abs_bits(z.im);
        const auto swap = y > x;
        return {xsimd::select(swap, y, x), xsimd::select(swap, x, y)};
    }
    HS_MATH static Mask<B> special(Complex<B> z) {
        using I = IntBatch<B>;
        const auto [large, small] = sizes(z);
        return to_mask<B>(
            (large < I(bits_of(kSmall))) | (large > I(bits_of(kLarge))) |
            ((small < I(bits_of(kTiny))) & (small != I(0)) & (large == I(bits_of(1.0)))));
    }
    HS_MATH static Complex<B> ordinary(Complex<B> z) {
        using I = IntBatch<B>;
        const auto [large, small] = sizes(z);
        const I seen = xsimd::select(small < I(bits_of(kTiny)), I(0), small);
        const PairLogParts<B> p =
            log_parts_of(sum_of_squares(from_bits<B>(large), from_bits<B>(seen)));
        return {B(0.5) * log_sum(p.k, p.m - B(1), p.low), math::arctan2(z.im, z.re)};
    }
};

HS_MATH Complex<B> log(Complex<B> z) { return in_double<GuardedComplex<Log>>(z); }

// NumPy scales the natural logarithm and the argument of exp.
HS_MATH Complex<B> scaled(Complex<B> z, double factor) {
    const B f(static_cast<Lane<B>>(factor));
    return {z.re * f, z.im * f};
}
HS_MATH Complex<B> log2(Complex<B> z) {
    return scaled(cplx::log(z), 1.442695040888963407359924681001892137);
}
HS_MATH Complex<B> log10(Complex<B> z) {
    return scaled(cplx::log(z), 0.434294481903251827651128918916605082);
}
HS_MATH Complex<B> exp2(Complex<B> z) {
    return cplx::exp(scaled(z, 0.693147180559945309417232121458176568));
}

}  // namespace hassium::HS_SIMD_NS::math::cplx
