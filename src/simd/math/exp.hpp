#pragma once

// Exponentials.
//
// x = n ln2 + r with |r| <= ln2 / 2; e^r = 1 + r h(r), h a near-minimax
// polynomial, and n goes into the exponent. n is found by adding 1.5 *
// 2^(mantissa bits): the sum holds the nearest integer in its low bits, so
// neither the rounding nor the conversion to an integer needs an instruction of
// its own (the conversion is scalar below AVX-512). Arguments whose result
// leaves the normal range, and NaNs, take a second path for the whole batch.

#include "simd/math/base.hpp"
#include "simd/math/bits.hpp"
#include "simd/math/guarded.hpp"
#include "simd/math/table.hpp"

namespace hassium::HS_SIMD_NS::math {

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<double> {
    static constexpr double kMagic = 0x1.8p52;
    static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
    static constexpr double kLn2Rest = 0x1.abc9e3b39803fp-56;
    static constexpr double kHalfLn2Square = 0x1.ebfbdff82c58fp-3;
    static constexpr double kLog2E = 0x1.71547652b82fep+0;
    // Has few enough bits that n * kLn2Hi is exact.
    static constexpr double kLn2Hi = 0x1.62e42feep-1;
    static constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
    static constexpr double kNormal = 708;
    static constexpr double kClamp = 1000;
    // Beyond it the parts of expm1 may underflow.
    static constexpr double kNormalM1 = 600;
    static constexpr double kNormal2 = 1022;
    static constexpr double kClamp2 = 1200;
};

template <>
struct ExpConstants<float> {
    static constexpr float kMagic = 0x1.8p23f;
    static constexpr float kLn2 = 0x1.62e430p-1f;
    static constexpr float kHalfLn2Square = 0x1.ebfbe0p-3f;
    static constexpr float kLog2E = 0x1.715476p+0f;
    static constexpr float kLn2Hi = 0x1.63p-1f;
    static constexpr float kLn2Lo = -0x1.bd0106p-13f;
    static constexpr float kNormal = 87;
    static constexpr float kClamp = 140;
    static constexpr float kNormalM1 = 60;
    static constexpr float kNormal2 = 126;
    static constexpr float kClamp2 = 200;
};

// mantissa * 2^n; shifted holds n in its low bits.
template <class B>
struct Scaled {
    B mantissa;
    B shifted;
};

// n in the exponent field.
HS_MATH IntBatch<B> exponent_field(B shifted) { return bits(shifted) << Traits<B>::kMantissaBits; }

HS_MATH B finish_normal(Scaled<B> v) {
    return from_bits<B>(bits(v.mantissa) + exponent_field(v.shifted));
}

// Multiplies by 2^extra; overflow and underflow happen here, and raise their flags.
HS_MATH B finish_any(Scaled<B> v, int extra) {
    constexpr auto kMagicBits = bits_of(ExpConstants<Lane<B>>::kMagic);
    return math::ldexp(v.mantissa, bits(v.shifted) - IntBatch<B>(kMagicBits - extra));
}

// (e^r - 1 - r) / r^2
HS_MATH B exp_tail(B r) {
    if constexpr (kIsFloat<B>) {
        return poly(r, 0x1.000000p-1, 0x1.55547cp-3, 0x1.5554eap-5, 0x1.123d90p-7, 0x1.6d4324p-10);
    } else {
        return poly(r, 0x1p-1, 0x1.555555555555ap-3, 0x1.5555555555557p-5, 0x1.111111110f21ep-7,
                    0x1.6c16c16c15a68p-10, 0x1.a01a01b1461c5p-13, 0x1.a01a01a9e991bp-16,
                    0x1.71ddf56d8deb5p-19, 0x1.27e4d41966f2fp-22, 0x1.af632a0f7e2cep-26,
                    0x1.1f7f2776cfaf2p-29);
    }
}

// (2^f - 1 - f ln2 - f^2 kHalfLn2Square) / f^3
HS_MATH B exp2_tail(B f) {
    if constexpr (kIsFloat<B>) {
        return poly(f, 0x1.c6b08ep-5, 0x1.3b2a1cp-7, 0x1.5d879ep-10, 0x1.444000p-13,
                    0x1.00a582p-16);
    } else {
        return poly(f, 0x1.c6b08d704a0c6p-5, 0x1.3b2ab6fba4e79p-7, 0x1.5d87fe78a3f9cp-10,
                    0x1.430912f86b7dbp-13, 0x1.ffcbfc6da6ed1p-17, 0x1.62c02242b879cp-20,
                    0x1.b524ebd13a55fp-24, 0x1.e4cf10dec0f59p-28, 0x1.e9ec1fcb69a7fp-32,
                    0x1.c4a29324a1038p-36);
    }
}

// x = n ln2 + r + r_lo; `shifted` holds n in its low bits.
template <class B>
struct ByLn2 {
    B shifted, r, r_lo;
};
HS_MATH ByLn2<B> by_ln2(B x) {
    using C = ExpConstants<Lane<B>>;
    const B shifted = madd(x, B(C::kLog2E), B(C::kMagic));
    const B n = shifted - B(C::kMagic);
    const B r_hi = nmadd(n, B(C::kLn2Hi), x);
    const B r = nmadd(n, B(C::kLn2Lo), r_hi);
    return {shifted, r, nmadd(n, B(C::kLn2Lo), r_hi - r)};
}

HS_MATH Scaled<B> exp_scaled(B x) {
    const auto [shifted, r, r_lo] = by_ln2(x);
    const B h = madd(exp_tail(r), r, B(1));
    return {madd(r, h, B(1)), shifted};
}

HS_MATH Scaled<B> exp2_scaled(B x) {
    using C = ExpConstants<Lane<B>>;
    const B shifted = x + B(C::kMagic);
    const B f = x - (shifted - B(C::kMagic));
    const B curve = madd(f, exp2_tail(f), B(C::kHalfLn2Square));
    return {madd(f, madd(f, curve, B(C::kLn2)), B(1)), shifted};
}

// 2^(x + lo), |lo| at most a unit in the last place of x, for double. The terms
// up to f^2 are computed with their errors, so that little but the last
// rounding is lost and exact powers come out exact.
HS_MATH Scaled<B> exp2_scaled(B x, B lo) {
    using C = ExpConstants<double>;
    const B shifted = x + B(C::kMagic);
    const B f = x - (shifted - B(C::kMagic));
    const Pair<B> chord = fast_two_fma(f, B(C::kHalfLn2Square), B(C::kLn2));
    const Pair<B> head = fast_two_fma(f, chord.hi, B(1));
    const B square = f * f;
    const B curve = f * exp2_tail(f);
    const B slope = madd(square, curve, head.hi) * B(C::kLn2);
    const B low = madd(lo, slope, madd(f, chord.lo + B(C::kLn2Rest), head.lo));
    return {head.hi + madd(square, curve, low), shifted};
}

// The same, if the result is normal.
HS_MATH B exp2_normal(B x, B lo) { return finish_normal(exp2_scaled(x, lo)); }

#ifdef __AVX512F__

// Two registers hold sixteen doubles, from which one instruction looks up any eight: with x = (n +
// j / 16) ln2 + r, |r| <= ln2 / 32, half as many terms suffice.

template <class B>
concept EightDoubles = !kIsFloat<B> && B::size == 8;

// 2^(j / 2^kBits): its bits, less j in the exponent field, so that n and j are shifted into place
// together; and the relative amount by which it exceeds its rounded value.
template <class T>
struct OctaveTable;

template <>
struct OctaveTable<double> {
    static constexpr int kBits = 4;
    alignas(64) static constexpr int64_t kPower[16] = {
        0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
        0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
        0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
        0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da};
    alignas(64) static constexpr double kRest[16] = {0x0p+0,
                                                     0x1.79aa65d837b6dp-54,
                                                     -0x1.01b15eaa59348p-55,
                                                     0x1.68efde3a8a894p-54,
                                                     0x1.34d754db0abb6p-55,
                                                     0x1.59f48a72a4c6dp-55,
                                                     0x1.690cebb7aafb0p-56,
                                                     0x1.063e1e21c5409p-54,
                                                     -0x1.3b3efbf5e2228p-54,
                                                     -0x1.b32dcb94da51dp-56,
                                                     0x1.db72fc1f0eab4p-55,
                                                     0x1.1affc2b91ce27p-56,
                                                     0x1.c1a7792cb3387p-55,
                                                     0x1.36eae30af0cb3p-56,
                                                     0x1.4a385a63d07a7p-56,
                                                     -0x1.ff7128fd391f0p-55};
};

template <>
struct OctaveTable<float> {
    static constexpr int kBits = 5;
    alignas(64) static constexpr int32_t kPower[32] = {
        0x3f800000, 0x3f7ecd87, 0x3f7daac3, 0x3f7c980f, 0x3f7b95c2, 0x3f7aa43a, 0x3f79c3d3,
        0x3f78f4f0, 0x3f7837f0, 0x3f778d3a, 0x3f76f532, 0x3f767043, 0x3f75fed7, 0x3f75a15b,
        0x3f75583f, 0x3f7523f6, 0x3f7504f3, 0x3f74fbaf, 0x3f7508a4, 0x3f752c4d, 0x3f75672a,
        0x3f75b9be, 0x3f76248c, 0x3f76a81e, 0x3f7744fd, 0x3f77fbb8, 0x3f78ccdf, 0x3f79b907,
        0x3f7ac0c7, 0x3f7be4ba, 0x3f7d257d, 0x3f7e83b3};
    alignas(64) static constexpr float kRest[32] = {
        0x0p+0,           -0x1.947414p-25f, 0x1.8d96d4p-25f,  -0x1.dda2fcp-25f, -0x1.9c0c22p-27f,
        -0x1.a2fbb2p-25f, 0x1.964904p-25f,  -0x1.2b0dbcp-25f, 0x1.125002p-25f,  -0x1.cde8cep-26f,
        0x1.370be4p-25f,  0x1.336de2p-30f,  -0x1.0a355p-25f,  -0x1.c541b4p-26f, -0x1.00d8acp-27f,
        -0x1.6cb284p-25f, 0x1.26055cp-26f,  0x1.8b2bb8p-26f,  -0x1.05cb44p-25f, -0x1.1c2142p-26f,
        0x1.67a1cap-28f,  -0x1.348e56p-25f, 0x1.a3b5e4p-28f,  -0x1.0b7ec8p-25f, -0x1.f9c304p-27f,
        -0x1.e4c886p-26f, -0x1.6961b4p-28f, -0x1.b5151ep-28f, -0x1.a5217cp-28f, -0x1.ab7132p-26f,
        0x1.61428ep-28f,  -0x1.2ad5f8p-27f};
};

// 16 n + j in the low bits of `shifted`; entry j of the table; e^r - 1 of the remainder.
template <class B>
struct BySixteenths {
    B shifted;
    IntBatch<B> power;
    B less_one;
};

HS_MATH BySixteenths<B> by_sixteenths(B x) {
    using C = ExpConstants<double>;
    const B shifted = madd(x, B(16 * C::kLog2E), B(C::kMagic));
    const B n = shifted - B(C::kMagic);
    const B r = nmadd(n, B(C::kLn2Lo / 16), nmadd(n, B(C::kLn2Hi / 16), x));
    const IntBatch<B> j = bits(shifted);
    const B rest = of_two_registers<B>(OctaveTable<double>::kRest, j);
    const B power = of_two_registers<B>(OctaveTable<double>::kPower, j);
    const B tail = poly(r, 0x1.0000000000005p-1, 0x1.555555548f853p-3, 0x1.5555555462560p-5,
                        0x1.11123ab0f6b1ap-7, 0x1.6c185a5836611p-10);
    return {shifted, bits(power), madd(r, madd(tail, r, B(1)), rest)};
}

HS_MATH B exp_by_sixteenths(B x) {
    const BySixteenths<B> v = by_sixteenths(x);
    const B power = from_bits<B>(v.power + (bits(v.shifted) << 48));
    return madd(power, v.less_one, power);
}

HS_MATH Scaled<B> exp_scaled_by_sixteenths(B x) {
    using I = IntBatch<B>;
    const BySixteenths<B> v = by_sixteenths(x);
    const I magic(bits_of(ExpConstants<double>::kMagic)), shifted = bits(v.shifted);
    const B power = from_bits<B>(v.power + ((shifted & I(15)) << 48));
    return {madd(power, v.less_one, power), from_bits<B>(((shifted - magic) >> 4) + magic)};
}

// (2^f - 1) / f, |f| at most half a step of the table
HS_MATH B octave_slope(B f) {
    if constexpr (kIsFloat<B>) {
        return poly(f, 0x1.62e430p-1, 0x1.ebfce8p-3, 0x1.c69ea6p-5);
    } else {
        return broad_poly(f, 0x1.62e42fefa39fdp-1, 0x1.ebfbdff82c59cp-3, 0x1.c6b08d6e8c0fcp-5,
                          0x1.3b2ab6fa9f8a2p-7, 0x1.5d89bde82195bp-10, 0x1.430a943dedb3p-13);
    }
}

// 2^(x + lo); requires |lo| below a step and a normal result.
template <Whole B>
[[gnu::always_inline]] inline B exp2_normal(B x, B lo) {
    using T = OctaveTable<Lane<B>>;
    // Its last bit is one step.
    const B magic(ExpConstants<Lane<B>>::kMagic / (1 << T::kBits));
    const B shifted = (x + lo) + magic;
    const IntBatch<B> j = bits(shifted);
    const B f = (x - (shifted - magic)) + lo;
    const B less_one = madd(f, octave_slope(f), of_two_registers<B>(T::kRest, j));
    const IntBatch<B> field = j << (Traits<B>::kMantissaBits - T::kBits);
    const B power = from_bits<B>(bits(of_two_registers<B>(T::kPower, j)) + field);
    return madd(power, less_one, power);
}

// e^(2x), normal, with an error of (1 + 2x) 2^-24: enough for tanh, where it counts less the larger
// it is.
template <SixteenFloats B>
[[gnu::always_inline]] inline B rough_exp_of_twice(B x) {
    using T = OctaveTable<float>;
    const B magic(ExpConstants<float>::kMagic / (1 << T::kBits));
    const B twice_log2e(2 * ExpConstants<float>::kLog2E);
    const B shifted = madd(x, twice_log2e, magic);
    const IntBatch<B> j = bits(shifted);
    const B f = msub(x, twice_log2e, shifted - magic);
    const IntBatch<B> field = j << (Traits<B>::kMantissaBits - T::kBits);
    const B power = from_bits<B>(bits(of_two_registers<B>(T::kPower, j)) + field);
    return madd(power, f * octave_slope(f), power);
}

#endif

// e^x as a normal number, or as Scaled; both have the same bits.
struct ExpCore {
    template <class B>
    static constexpr Lane<B> kNormal = ExpConstants<Lane<B>>::kNormal;
    template <class B>
    static constexpr Lane<B> kClamp = ExpConstants<Lane<B>>::kClamp;
#ifdef __AVX512F__
    template <EightDoubles B>
    [[gnu::always_inline]] static inline B normal(B x) {
        return exp_by_sixteenths(x);
    }
    template <EightDoubles B>
    [[gnu::always_inline]] static inline Scaled<B> scaled(B x) {
        return exp_scaled_by_sixteenths(x);
    }
#endif
    HS_MATH static B normal(B x) { return finish_normal(exp_scaled(x)); }
    HS_MATH static Scaled<B> scaled(B x) { return exp_scaled(x); }
};

struct Exp2Core {
    template <class B>
    static constexpr Lane<B> kNormal = ExpConstants<Lane<B>>::kNormal2;
    template <class B>
    static constexpr Lane<B> kClamp = ExpConstants<Lane<B>>::kClamp2;
    HS_MATH static Scaled<B> scaled(B x) { return exp2_scaled(x); }
    HS_MATH static B normal(B x) { return finish_normal(scaled(x)); }
};

template <class Core>
struct Exponential {
    HS_MATH static Mask<B> special(B x) { return abs_above(x, Core::template kNormal<B>); }
    HS_MATH static B ordinary(B x) { return Core::normal(x); }
    // Infinities and NaNs bypass the computation.
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const Mask<B> nan = is_nan(x);
        const Mask<B> inf = is_inf(x);
        const B finite = select(nan | inf, B(0), x);
        const B limit = with_sign(B(Core::template kClamp<B>), x);
        const B v = select(abs_above(finite, Core::template kClamp<B>), limit, finite);
        const B y = finish_any(Core::scaled(v), 0);
        const B at_inf = select(has_sign(x), B(0), x);
        return select(nan, x, select(inf, at_inf, y));
    }
};

HS_MATH B exp(B x) { return guarded<Exponential<ExpCore>>(x); }

HS_MATH B exp2(B x) { return guarded<Exponential<Exp2Core>>(x); }

struct Expm1 {
    HS_MATH static Mask<B> special(B x) {
        return abs_outside(x, Traits<B>::kNegligible, ExpConstants<Lane<B>>::kNormalM1);
    }
    // 2^n - 1 + 2^n (e^r - 1): the first term and 2^n r are exact, and their sum is kept with its
    // error.
    HS_MATH static B ordinary(B x) {
        const auto [shifted, r, r_lo] = by_ln2(x);
        const B low = madd(r * r, exp_tail(r), r_lo);
        const B scale = from_bits<B>(bits(B(1)) + exponent_field(shifted));
        const Pair<B> sum = fast_two_madd(scale, r, scale - B(1));
        return with_sign(sum.hi + madd(scale, low, sum.lo), x);
    }
    template <class B>
    [[gnu::noinline]] static B edge(B x) {
        const Mask<B> large = abs_above(x, ExpConstants<Lane<B>>::kNormalM1);
        const Mask<B> below = large & has_sign(x);
        const B y = ordinary(select(special(x), B(0), x));
        const B of_large = math::exp(select(large & ~below, x, B(0)));
        const Mask<B> itself = is_negligible(x) | is_nan(x);
        return select(itself, x, select(below, B(-1), select(large, of_large, y)));
    }
};

HS_MATH B expm1(B x) { return guarded<Expm1>(x); }

}  // namespace hassium::HS_SIMD_NS::math
