#pragma once

// Powers.

#include "simd/math/base.hpp"
#include "simd/math/by_double.hpp"
#include "simd/math/exp.hpp"
#include "simd/math/guarded.hpp"
#include "simd/math/half_powers.hpp"
#include "simd/math/log.hpp"
#include "simd/math/log_table.hpp"

namespace hassium::HS_SIMD_NS::math {

// 2^(y log2 x) with the logarithm in at least 61 bits: s = (m-1)/(m+1), s^2 and the term 2/3 s^3 as
// pairs, the rest of the series in plain arithmetic; or in 66 bits by a table. Everything but a
// positive normal base with a result in the normal range leaves this path: negative bases with an
// integral exponent by their magnitude, the rest lane by lane in the C library.

// log2(x); requires a positive normal x.
HS_MATH Pair<B> log2_pair(B x) {
    constexpr double kTwoThirds = 0x1.5555555555555p-1;
    constexpr double kTwoThirdsLo = 0x1.5555555555555p-55;
    constexpr double kLog2E = 0x1.71547652b82fep+0;
    constexpr double kLog2ELo = 0x1.777d0ffda0d24p-56;
    const LogParts<B> p = log_parts(x);
    const B f = p.m - B(1);
    const Pair<B> d = fast_two_sum(B(1), p.m);
    const B inverse = B(1) / d.hi;
    const B s = f * inverse;
    const Pair<B> back = two_prod(s, d.hi);
    const B s_lo = nmadd(s, d.lo, (f - back.hi) - back.lo) * inverse;
    const Pair<B> z = two_prod(s, s);
    const B z_lo = madd(s + s, s_lo, z.lo);
    const Pair<B> t = two_prod(z.hi, B(kTwoThirds));
    const B t_lo = t.lo + madd(z.hi, B(kTwoThirdsLo), z_lo * B(kTwoThirds));
    const B u_lo = madd(s, t_lo, s_lo * t.hi);
    const B rest = z.hi * poly(z.hi, 0x1.999999999999ap-2, 0x1.2492492492522p-2,
                               0x1.c71c71c6ea5acp-3, 0x1.745d177ad436ap-3, 0x1.3b1395b82701ep-3,
                               0x1.1118cd67251c5p-3, 0x1.df7ba1f4809c3p-4, 0x1.e03a7acf07f85p-4);
    const Pair<B> first = fast_two_fma(s, t.hi, s + s);
    const Pair<B> second = fast_two_madd(s * z.hi, rest, first.hi);
    const B natural_lo = (second.lo + first.lo) + (u_lo + (s_lo + s_lo));
    const Pair<B> sum = fast_two_fma(second.hi, B(kLog2E), p.k);
    return {sum.hi, sum.lo + madd(second.hi, B(kLog2ELo), natural_lo * B(kLog2E))};
}

HS_MATH Pair<B> exponent_pair(B x, B y) {
    const Pair<B> l = log2_pair(x);
    const Pair<B> e = two_prod(y, l.hi);
    return fast_two_sum(e.hi, madd(y, l.lo, e.lo));
}

#ifdef __AVX512F__
// The table of powers of two accepts the pair without a second sum.
template <Whole B>
[[gnu::always_inline]] inline Pair<B> exponent_pair(B x, B y) {
    const Pair<B> l = log2_pair(x);
    const Pair<B> e = two_prod(y, l.hi);
    return {e.hi, madd(y, l.lo, e.lo)};
}
#endif

inline constexpr double kPowerLargeExponent = 0x1p60;
inline constexpr double kPowerNormal = 1021;

// For smaller exponents the power is 1 whatever the base, and low parts of the product might
// underflow.
inline constexpr double kPowerSmallExponent = 0x1p-100;

// y log2(x). kShort: the power is rounded to float, so plain arithmetic and shorter polynomials
// suffice.
template <bool kShort, class B>
[[gnu::always_inline]] inline Pair<B> power_exponent(B x, B exponent) {
    if constexpr (kShort) {
        constexpr double kTwoLog2E = 0x1.71547652b82fep+1;
        const LogParts<B> p = log_parts(x);
        const B s = (p.m - B(1)) / (p.m + B(1));
        // log2(m) = s (2 + R(s^2)) / ln 2
        const B ratio = poly(s * s, 1.0, 0x1.5555555564fdap-2, 0x1.999998ca249fbp-3,
                             0x1.249324907dae3p-3, 0x1.c67a84e8a4ba0p-4, 0x1.8c92867b49a01p-4);
        return {exponent * madd(s * B(kTwoLog2E), ratio, p.k), B(0)};
    }
    const B y = select(abs_above(exponent, kPowerSmallExponent), exponent, B(0));
    return exponent_pair(x, y);
}

// 2^e
template <bool kShort, class B>
[[gnu::always_inline]] inline B power_of_exponent(Pair<B> e) {
    if constexpr (kShort) {
        using C = ExpConstants<double>;
        const B shifted = e.hi + B(C::kMagic);
        const B f = e.hi - (shifted - B(C::kMagic));
        const B h = poly(f, 0x1.62e42fefa39efp-1, 0x1.ebfbe00e63baep-3, 0x1.c6b08d77217ecp-5,
                         0x1.3b2a53045179ap-7, 0x1.5d87c0e6921b1p-10, 0x1.4413896e1ad27p-13,
                         0x1.008a1fbaf9058p-16);
        return finish_normal(Scaled<B>{madd(f, h, B(1)), shifted});
    }
    return exp2_normal(e.hi, e.lo);
}

HS_MATH Mask<B> power_special(B x, B y) {
    return log_special(x) | abs_above(y, kPowerLargeExponent);
}

// Ordinary lanes have the same bits as in a batch of ordinary lanes.
template <bool kShort, class B>
[[gnu::noinline]] B power_edge(B x, B y) {
    const Mask<B> ordinary_y = ~abs_above(y, kPowerLargeExponent);
    const B safe_y = select(ordinary_y, y, B(1));
    const Mask<B> integral = ordinary_y & (xsimd::trunc(safe_y) == safe_y);
    const B half = safe_y * B(0.5);
    const Mask<B> odd = integral & (xsimd::trunc(half) != half);
    const Mask<B> negative_base = has_sign(x) & integral;
    const B base = select(negative_base, absolute(x), x);
    const Mask<B> special = power_special(base, y);
    const Pair<B> e = power_exponent<kShort>(select(special, B(1), base), select(special, B(1), y));
    const Mask<B> beyond = abs_above(e.hi, kPowerNormal);
    const Pair<B> within{select(beyond, B(0), e.hi), select(beyond, B(0), e.lo)};
    const B magnitude = power_of_exponent<kShort>(within);
    B r = select(negative_base & odd, negative(magnitude), magnitude);
    // Powers of zero with a positive exponent are common (x**2 of data with zeros).
    const Mask<B> zero = (x == B(0)) & ordinary_y & to_mask<B>(bits(y) > IntBatch<B>(0));
    r = select(zero, select(odd, x, B(0)), r);
    const Mask<B> library = (special & ~zero) | beyond;
    if (xsimd::any(library)) {
        return lanewise(static_cast<Binary>(::pow), x, y, r, library.mask());
    }
    return r;
}

template <bool kShort, class B>
[[gnu::always_inline]] inline B power_by_logarithm(B x, B y) {
    if (xsimd::any(power_special(x, y))) [[unlikely]] {
        return power_edge<kShort>(x, y);
    }
    const Pair<B> e = power_exponent<kShort>(x, y);
    if (xsimd::any(abs_above(e.hi, kPowerNormal))) [[unlikely]] {
        return power_edge<kShort>(x, y);
    }
    return power_of_exponent<kShort>(e);
}

// ---- all exponents ----

// For batches in which some exponents are multiples of a half, but differ or have a base out of
// range.
template <bool kShort, class B>
[[gnu::noinline]] B power_mixed(B x, B y) {
    Mask<B> halves = has_halves(y);
    const HalfPowers<B> by(select(halves, y, B(1)));
    halves = halves & by.in_range(x);
    B r = power_by_each<kShort>(select(halves, x, B(1)), by);
    if (xsimd::all(halves)) return r;
    const B other = power_by_logarithm<kShort>(select(halves, B(1), x), select(halves, B(1), y));
    return select(halves, r, other);
}

template <bool kShort, class B>
[[gnu::always_inline]] inline B power_of_doubles(B x, B y) {
    const Mask<B> halves = has_halves(y);
    if (!xsimd::any(halves)) return power_by_logarithm<kShort>(x, y);
    const double first = y.get(0);
    if (xsimd::all(halves & (y == B(first)))) {
        const int twice = static_cast<int>(first + first);
        if (xsimd::all(halves_in_range(x, twice))) [[likely]] {
            return power_by_halves<kShort>(x, twice);
        }
    }
    return power_mixed<kShort>(x, y);
}

HS_MATH B power(B x, B y) {
    if constexpr (kIsFloat<B>) {
        return by_double(x, y,
                         [](auto v, auto w) HS_LAMBDA { return power_of_doubles<true>(v, w); });
    } else {
        return power_of_doubles<false>(x, y);
    }
}

template <class B, int N>
[[gnu::always_inline]] inline Together<B, N> power(Together<B, N> x, Together<B, N> y) {
    return in_turn(x, y, [](B v, B w) HS_LAMBDA { return math::power(v, w); });
}

#ifdef __AVX512F__

// Ordinary lanes, by tables, and for floats by pairs of floats. A special lane takes the other path
// whatever its neighbours; so do multiples of a half in double, where whole powers are faster.
template <class T>
struct TablePower;

template <>
struct TablePower<double> {
    static constexpr double kLeast = kPowerSmallExponent;
    static constexpr double kMost = kPowerLargeExponent;
    static constexpr double kNormal = kPowerNormal;
};

template <>
struct TablePower<float> {
    static constexpr float kLeast = 0x1p-40f;
    static constexpr float kMost = 0x1p20f;
    static constexpr float kNormal = 125;
};

HS_MATH Mask<B> table_power_special(B x, B y) {
    using C = TablePower<Lane<B>>;
    return log_special(x) | abs_outside(y, C::kLeast, C::kMost);
}

template <class B>
[[gnu::noinline]] B table_power_edge(B x, B y) {
    if constexpr (!kIsFloat<B>) return power_of_doubles<false>(x, y);
    const auto by_doubles = [](auto v, auto w) HS_LAMBDA { return power_of_doubles<true>(v, w); };
    Mask<B> special = table_power_special(x, y);
    if (xsimd::all(special)) return by_double(x, y, by_doubles);
    const Pair<B> e = exponent_pair(select(special, B(1), x), select(special, B(1), y));
    special = special | abs_above(e.hi, TablePower<Lane<B>>::kNormal);
    const B ordinary = exp2_normal(select(special, B(0), e.hi), select(special, B(0), e.lo));
    const B other = by_double(select(special, x, B(1)), select(special, y, B(0)), by_doubles);
    return select(special, other, ordinary);
}

template <class B, int N>
[[gnu::always_inline]] inline Together<B, N> table_power_edges(Together<B, N> x, Together<B, N> y) {
    return in_turn(x, y, [](B v, B w) HS_LAMBDA { return table_power_edge(v, w); });
}

template <Whole B, int N>
[[gnu::always_inline]] inline Together<B, N> power(Together<B, N> x, Together<B, N> y) {
    if constexpr (!kIsFloat<B>) {
        Mask<B> halves(false);
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) halves = halves | is_multiple_of_half(y.x[k]);
        if (xsimd::any(halves)) {
            return in_turn(x, y, [](B v, B w) HS_LAMBDA { return power_of_doubles<false>(v, w); });
        }
    }
    Mask<B> special(false);
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) special = special | table_power_special(x.x[k], y.x[k]);
    if (xsimd::any(special)) [[unlikely]] {
        return table_power_edges(x, y);
    }
    Pair<B> e[N];
    Mask<B> beyond(false);
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) {
        e[k] = exponent_pair(x.x[k], y.x[k]);
        beyond = beyond | abs_above(e[k].hi, TablePower<Lane<B>>::kNormal);
    }
    if (xsimd::any(beyond)) [[unlikely]] {
        return table_power_edges(x, y);
    }
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) x.x[k] = exp2_normal(e[k].hi, e[k].lo);
    return x;
}

template <Whole B>
[[gnu::always_inline]] inline B power(B x, B y) {
    return power(Together<B, 1>{{x}}, Together<B, 1>{{y}}).x[0];
}

#endif

HS_MATH B float_power(B x, B y) { return math::power(x, y); }

}  // namespace hassium::HS_SIMD_NS::math
