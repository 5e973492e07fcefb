#pragma once

// Logarithms.
//
// x = 2^k m with m in [sqrt(1/2), sqrt(2)), found on the bits; f = m - 1, s = f / (2 + f), and
// log(m) = f - (f^2/2 - s (f^2/2 + R(s^2))) as in Sun's fdlibm, R a near-minimax polynomial. log2
// and log10 truncate f - f^2/2 so that its product with the head of the factor is exact (FreeBSD's
// method). Zero, negative, subnormal and non-finite arguments take a second path for the whole
// batch.

#include "simd/math/base.hpp"
#include "simd/math/guarded.hpp"
#include "simd/math/log_table.hpp"

namespace hassium::HS_SIMD_NS::math {

template <class T>
struct LogConstants;

template <>
struct LogConstants<double> {
    static constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
    static constexpr double kToFloat = 0x1p52;
    static constexpr double kLn2Hi = 0x1.62e42feep-1;
    static constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
    // Heads are short enough that their products with a truncated logarithm, or with k, are exact.
    static constexpr int64_t kHeadMask = ~int64_t{0x3ffffff};
    static constexpr double kLog2EHi = 0x1.715476p+0;
    static constexpr double kLog2ELo = 0x1.4ae0bf85ddf44p-26;
    static constexpr double kLog10EHi = 0x1.bcb7b1p-2;
    static constexpr double kLog10ELo = 0x1.49b9438ca9aaep-28;
    static constexpr double kLog10Of2Hi = 0x1.34413508p-2;
    static constexpr double kLog10Of2Lo = 0x1.f79fef311f12bp-34;
    static constexpr double kScale = 0x1p54;
    static constexpr double kScaleExponent = 54;
};

template <>
struct LogConstants<float> {
    static constexpr float kSqrtHalf = 0x1.6a09e6p-1f;
    static constexpr float kToFloat = 0x1p23f;
    static constexpr float kLn2Hi = 0x1.62e3p-1f;
    static constexpr float kLn2Lo = 0x1.2fefa2p-17f;
    static constexpr int32_t kHeadMask = ~int32_t{0xfff};
    static constexpr float kLog2EHi = 0x1.716p+0f;
    static constexpr float kLog2ELo = -0x1.7135a8p-13f;
    static constexpr float kLog10EHi = 0x1.bccp-2f;
    static constexpr float kLog10ELo = -0x1.09d5b2p-15f;
    static constexpr float kLog10Of2Hi = 0x1.3441p-2f;
    static constexpr float kLog10Of2Lo = 0x1.a84fb6p-21f;
    static constexpr float kScale = 0x1p25f;
    static constexpr float kScaleExponent = 25;
};

template <class B>
struct LogParts {
    B k;
    IntBatch<B> k_field;  // k + bias in the exponent field
    B m;
};

// Requires a positive normal x.
HS_MATH LogParts<B> log_parts(B x) {
    using T = Traits<B>;
    using C = LogConstants<Lane<B>>;
    using I = IntBatch<B>;
    constexpr auto kRoot = bits_of(C::kSqrtHalf);
    constexpr typename T::Int kFraction = (typename T::Int{1} << T::kMantissaBits) - 1;
    const I shifted = bits(x) + I(bits_of(Lane<B>(1)) - kRoot);
    const auto biased = recast<typename T::Uint>(shifted) >> T::kMantissaBits;
    const I as_float = recast<typename T::Int>(biased) | I(bits_of(C::kToFloat));
    const B k = from_bits<B>(as_float) - B(C::kToFloat + T::kBias);
    const B m = from_bits<B>((shifted & I(kFraction)) + I(kRoot));
    return {k, shifted & I(~kFraction), m};
}

// (log((1+s)/(1-s)) - 2s) / s, of z = s^2
HS_MATH B log_tail(B z) {
    if constexpr (kIsFloat<B>) {
        return z * poly(z, 0x1.555556p-1, 0x1.9999ecp-2, 0x1.245c28p-2, 0x1.ddd4dap-3);
    } else {
        return z * poly(z, 0x1.5555555555558p-1, 0x1.9999999995273p-2, 0x1.2492492dfd86cp-2,
                        0x1.c71c62d5e53e0p-3, 0x1.7462b91b8df65p-3, 0x1.39fdcceb4bb45p-3,
                        0x1.2b5f68a50d903p-3);
    }
}

// k ln2 + log(1 + f) + low, where low is far below f.
HS_MATH B log_sum(B k, B f, B low) {
    using C = LogConstants<Lane<B>>;
    const B s = f / (B(2) + f);
    const B half = B(Lane<B>(0.5)) * f;
    const B tail = madd(s, madd(half, f, log_tail(s * s)), madd(k, B(C::kLn2Lo), low));
    return madd(k, B(C::kLn2Hi), f - msub(half, f, tail));
}

struct LogCore {
    HS_MATH static B f(B x, B k_extra) {
        const LogParts<B> p = log_parts(x);
        return log_sum(p.k + k_extra, p.m - B(1), B(0));
    }
};

// log(m) + low = hi + lo, where hi has at most half of the bits.
HS_MATH Pair<B> log_head_tail(B m, B low) {
    const B f = m - B(1);
    const B s = f / (B(2) + f);
    const B half = B(Lane<B>(0.5)) * f;
    const IntBatch<B> head_mask(LogConstants<Lane<B>>::kHeadMask);
    const B hi = from_bits<B>(bits(nmadd(half, f, f)) & head_mask);
    return {hi, madd(s, madd(half, f, log_tail(s * s)), nmadd(half, f, f - hi) + low)};
}

// k + (m.hi + m.lo) / ln 2
HS_MATH B log2_sum(B k, Pair<B> m) {
    using C = LogConstants<Lane<B>>;
    const B low = madd(m.lo + m.hi, B(C::kLog2ELo), m.lo * B(C::kLog2EHi));
    const Pair<B> sum = fast_two_madd(m.hi, B(C::kLog2EHi), k);
    return sum.hi + (sum.lo + low);
}

struct Log2Core {
    HS_MATH static B f(B x, B k_extra) {
        const LogParts<B> p = log_parts(x);
        return log2_sum(p.k + k_extra, log_head_tail(p.m, B(0)));
    }
#ifdef __AVX512F__
    template <SixteenFloats B>
    [[gnu::always_inline]] static inline B f(B x, B k_extra) {
        return log2_by_table(x, k_extra);
    }
#endif
};

struct Log10Core {
    HS_MATH static B f(B x, B k_extra) {
        using C = LogConstants<Lane<B>>;
        const LogParts<B> p = log_parts(x);
        const B k = p.k + k_extra;
        const Pair<B> m = log_head_tail(p.m, B(0));
        const B low =
            madd(k, B(C::kLog10Of2Lo), madd(m.lo + m.hi, B(C::kLog10ELo), m.lo * B(C::kLog10EHi)));
        const Pair<B> sum = fast_two_madd(m.hi, B(C::kLog10EHi), k * B(C::kLog10Of2Hi));
        return sum.hi + (sum.lo + low);
    }
#ifdef __AVX512F__
    template <SixteenFloats B>
    [[gnu::always_inline]] static inline B f(B x, B k_extra) {
        return log10_by_table(x, k_extra);
    }
#endif
};

// True for everything but positive normal numbers.
HS_MATH Mask<B> log_special(B x) {
    using I = IntBatch<B>;
    const I v = bits(x);
    return to_mask<B>((v < I(Traits<B>::kMinNormalBits)) | (v > I(Traits<B>::kInfBits - 1)));
}

// Returns the logarithm of a number that is not positive and finite: -inf for zero, NaN for
// negative numbers, else x itself.
HS_MATH B log_of_special(B x) {
    const Mask<B> zero = x == B(0);
    const Mask<B> below = has_sign(x) & ~(zero | is_nan(x));
    if (xsimd::any(zero)) {
        raise_divide();
    }
    if (xsimd::any(below)) {
        raise_invalid();
    }
    return select(zero, B(-Traits<B>::kInf), select(below, B(Traits<B>::kNan), x));
}

template <class Core>
struct Logarithm {
    HS_MATH static Mask<B> special(B x) { return log_special(x); }
    HS_MATH static B ordinary(B x) { return Core::f(x, B(0)); }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        using C = LogConstants<Lane<B>>;
        using I = IntBatch<B>;
        const Mask<B> other = special(x);
        const I v = bits(x);
        const Mask<B> subnormal = to_mask<B>((v > I(0)) & (v < I(Traits<B>::kMinNormalBits)));
        const B safe = select(other & ~subnormal, B(1), x);
        const B scaled = select(subnormal, select(subnormal, x, B(1)) * B(C::kScale), safe);
        const B y = Core::f(scaled, select(subnormal, B(-C::kScaleExponent), B(0)));
        const Mask<B> outside = other & ~subnormal;
        return select(outside, log_of_special(select(outside, x, B(1))), y);
    }
};

HS_MATH B log(B x) { return guarded<Logarithm<LogCore>>(x); }

HS_MATH B log2(B x) { return guarded<Logarithm<Log2Core>>(x); }

HS_MATH B log10(B x) { return guarded<Logarithm<Log10Core>>(x); }

// Parts for the logarithm of u.hi + u.lo, which is positive, normal and finite. The error u.lo
// becomes a correction of log(u.hi), for which 1/(1+f) needs few digits.
template <class B>
struct PairLogParts {
    B k;
    B m;
    B low;
};

HS_MATH PairLogParts<B> log_parts_of(Pair<B> u) {
    using I = IntBatch<B>;
    const LogParts<B> p = log_parts(u.hi);
    // 2^(1-k), which is representable for the largest k as well.
    constexpr auto kTwo = bits_of(Lane<B>(2));
    const B scale = from_bits<B>(I(kTwo + bits_of(Lane<B>(1))) - p.k_field);
    const B half_inverse =
        poly(p.m - B(1), 0.5, -0x1.ff51p-2, 0x1.02e7p-1, -0x1.1a48p-1, 0x1.c653p-2);
    return {p.k, p.m, u.lo * (scale * half_inverse)};
}

// Parts for the logarithm of 1 + t.hi + t.lo.
HS_MATH PairLogParts<B> log1p_parts(Pair<B> t) {
    const Pair<B> u = two_sum(B(1), t.hi);
    return log_parts_of<B>({u.hi, u.lo + t.lo});
}

HS_MATH B log1p_pair(Pair<B> t) {
    const PairLogParts<B> p = log1p_parts(t);
    return log_sum(p.k, p.m - B(1), p.low);
}

// log2(1 + t), t >= 0. A negligible t takes a single product, as low parts of it might underflow.
HS_MATH B log2_1p(B t) {
    const PairLogParts<B> p = log1p_parts<B>({flushed(t), B(0)});
    const B r = log2_sum(p.k, log_head_tail(p.m, p.low));
    return select(is_negligible(t), t * B(static_cast<Lane<B>>(0x1.71547652b82fep+0)), r);
}

// For u = 1 + x. Sums so large that their correction would underflow are special too; log(x)
// handles them.
HS_MATH Mask<B> log1p_special(B u) {
    using I = IntBatch<B>;
    constexpr auto kLarge = bits_of(kIsFloat<B> ? Lane<B>(0x1p100f) : Lane<B>(0x1p900));
    const I v = bits(u);
    return to_mask<B>((v < I(Traits<B>::kMinNormalBits)) | (v > I(kLarge)));
}

struct Log1p {
    HS_MATH static Mask<B> special(B x) { return log1p_special(B(1) + x); }
    HS_MATH static B ordinary(B x) { return with_sign(log1p_pair<B>({x, B(0)}), x); }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const B u = B(1) + x;
        const Mask<B> other = log1p_special(u);
        const Mask<B> large = other & ~log_special(u);
        const B y = ordinary(select(other, B(0), x));
        const B outside = log_of_special(select(other & ~large, u, B(1)));
        const B of_large = LogCore::f(select(large, u, B(1)), B(0));
        return select(is_nan(x), x, select(large, of_large, select(other, outside, y)));
    }
};

HS_MATH B log1p(B x) { return guarded<Log1p>(x); }

}  // namespace hassium::HS_SIMD_NS::math
