#pragma once

// Logarithms by a table held in registers (AVX-512).
//
// x = 2^k m with m in [17/24, 17/12), and the first bits of the mantissa cut the octave into 32
// pieces. One instruction looks up 32 floats in two registers, but only 16 doubles, which take two
// look-ups and a select. Each piece has c, about 1/m, and -log c; the remainder r = m c - 1 is
// within 2^-6, where a third of the terms of log(1 + r) suffice, without a division. One is inside
// a piece with c = 1 and logarithm 0, so that small logarithms keep their digits.

#include "simd/math/base.hpp"
#include "simd/math/table.hpp"

#ifdef __AVX512F__

namespace hassium::HS_SIMD_NS::math {

template <class T>
struct LogTable;

// Each c is chosen so that log2(c) is within a relative 2^-69 of a number with 42 fraction bits:
// the sum with the exponent is exact, and no lower part is needed.
template <>
struct LogTable<double> {
    static constexpr double kRoot = 0x1.6aaaaaaaaaaabp-1;
    static constexpr double kLog2E = 0x1.71547652b82fep+0;
    static constexpr double kLog2ERest = 0x1.777d0ffda0d24p-56;
    static constexpr double kHalfLog2ERest = -0x1.777d0ffda0d24p-57;
    alignas(64) static constexpr double kInverse[32] = {0x1.6578165320c25p+0,
                                                        0x1.5dd616c4f1d46p+0,
                                                        0x1.5685cbc62bbefp+0,
                                                        0x1.4f822ee320103p+0,
                                                        0x1.48c6a2620704ap+0,
                                                        0x1.424ee51c89ea4p+0,
                                                        0x1.3c170b89873e2p+0,
                                                        0x1.361b748c4d23ep+0,
                                                        0x1.3058c41b7b74p+0,
                                                        0x1.2acbdb5b808eap+0,
                                                        0x1.2571dbbe0e822p+0,
                                                        0x1.20480d60491adp+0,
                                                        0x1.1b4bfc121672cp+0,
                                                        0x1.167b482986ac3p+0,
                                                        0x1.11d3c71b8bfcap+0,
                                                        0x1.0d5375b4f4511p+0,
                                                        0x1.08f8688a26605p+0,
                                                        0x1.04c0d7e0cbaccp+0,
                                                        0x1p+0,
                                                        0x1.f3014ae07626fp-1,
                                                        0x1.e44192ce6f06p-1,
                                                        0x1.d65aa3780a613p-1,
                                                        0x1.c93a53ea86ccfp-1,
                                                        0x1.bcd080a283dafp-1,
                                                        0x1.b10ea8a3afaa5p-1,
                                                        0x1.a5e7d35a1518dp-1,
                                                        0x1.9b5055277da7ep-1,
                                                        0x1.913da42eb2627p-1,
                                                        0x1.87a63dbb9898dp-1,
                                                        0x1.7e817d6c0e936p-1,
                                                        0x1.75c78b1202707p-1,
                                                        0x1.6d713eec0ab55p-1};
    alignas(64) static constexpr double kLog2[32] = {-0x1.ed3c215906p-2,
                                                     -0x1.cd595763c3p-2,
                                                     -0x1.ae230a464ep-2,
                                                     -0x1.8f92105b3bp-2,
                                                     -0x1.719fb5b38fp-2,
                                                     -0x1.5445aac79fp-2,
                                                     -0x1.377e05b133p-2,
                                                     -0x1.1b432c3f61p-2,
                                                     -0x1.ff1faa0b4p-3,
                                                     -0x1.c8bdf30d08p-3,
                                                     -0x1.9357f837fap-3,
                                                     -0x1.5ee4795eacp-3,
                                                     -0x1.2b5b7a172ap-3,
                                                     -0x1.f169041c48p-4,
                                                     -0x1.8dd00f7a8cp-4,
                                                     -0x1.2bde048e98p-4,
                                                     -0x1.970964445p-5,
                                                     -0x1.b2dbd2e2p-6,
                                                     0x0p+0,
                                                     0x1.2fd61ad8b8p-5,
                                                     0x1.4935abbbe4p-4,
                                                     0x1.f55633e84cp-4,
                                                     0x1.4e4bd1ad6cp-3,
                                                     0x1.9f9f10eb72p-3,
                                                     0x1.eec4a5ce7p-3,
                                                     0x1.1deccffefcp-2,
                                                     0x1.437c6d1e54p-2,
                                                     0x1.681da25ce5p-2,
                                                     0x1.8bdbecfe26p-2,
                                                     0x1.aec20c62f5p-2,
                                                     0x1.d0d9f8bde8p-2,
                                                     0x1.f22d0875b9p-2};
};

// c has seven bits, so that r is exact as long as it is within 2^-6; in places it reaches 2^-5.8.
template <>
struct LogTable<float> {
    static constexpr float kRoot = 0x1.6aaaaap-1f;
    static constexpr float kLog2E = 0x1.715476p+0f;
    static constexpr float kLog2ERest = 0x1.4ae0c0p-26f;
    static constexpr float kHalfLog2ERest = -0x1.4ae0c0p-27f;
    static constexpr float kLog10E = 0x1.bcb7b2p-2f;
    static constexpr float kLog10ERest = -0x1.5b235ep-27f;
    // Has few enough bits that its product with k, and the sum with kLog10, are exact.
    static constexpr float kLog10Of2 = 0x1.3442p-2f;
    static constexpr float kLog10Of2Rest = -0x1.95ec10p-19f;
    alignas(64) static constexpr float kInverse[32] = {
        0x1.64p+0f, 0x1.5cp+0f, 0x1.58p+0f, 0x1.5p+0f,  0x1.48p+0f, 0x1.44p+0f, 0x1.3cp+0f,
        0x1.38p+0f, 0x1.3p+0f,  0x1.2cp+0f, 0x1.24p+0f, 0x1.2p+0f,  0x1.1cp+0f, 0x1.18p+0f,
        0x1.1p+0f,  0x1.0cp+0f, 0x1.08p+0f, 0x1.04p+0f, 0x1p+0f,    0x1.f4p-1f, 0x1.e4p-1f,
        0x1.d8p-1f, 0x1.c8p-1f, 0x1.bcp-1f, 0x1.bp-1f,  0x1.a4p-1f, 0x1.9cp-1f, 0x1.9p-1f,
        0x1.88p-1f, 0x1.8p-1f,  0x1.74p-1f, 0x1.6cp-1f};
    alignas(64) static constexpr float kLog2[32] = {
        -0x1.e728p-2f, -0x1.c594p-2f, -0x1.b48p-2f, -0x1.91bcp-2f, -0x1.6e24p-2f, -0x1.5cp-2f,
        -0x1.3714p-2f, -0x1.244p-2f,  -0x1.fbcp-3f, -0x1.d4ap-3f,  -0x1.84cp-3f,  -0x1.5cp-3f,
        -0x1.32bp-3f,  -0x1.08c8p-3f, -0x1.664p-4f, -0x1.0ebp-4f,  -0x1.6bap-5f,  -0x1.6e8p-6f,
        0x0p+0f,       0x1.184p-5f,   0x1.4c5p-4f,  0x1.e0bp-4f,   0x1.564p-3f,   0x1.a508p-3f,
        0x1.f6p-3f,    0x1.249cp-2f,  0x1.4108p-2f, 0x1.6cbp-2f,   0x1.8a88p-2f,  0x1.a9p-2f,
        0x1.d7e8p-2f,  0x1.f804p-2f};
    alignas(64) static constexpr float kLog2Rest[32] = {
        0x1.55e18ap-18f,  0x1.052d6ap-18f,  0x1.408c78p-18f,  0x1.5db83ap-20f,  0x1.e3263p-18f,
        -0x1.a39fbep-18f, 0x1.b315b4p-18f,  -0x1.eac382p-20f, -0x1.6b9026p-19f, 0x1.1b3cdap-19f,
        -0x1.5e8178p-18f, -0x1.a39fbep-19f, 0x1.61d876p-19f,  0x1.3b992cp-18f,  0x1.20a6dep-21f,
        -0x1.c4fd14p-19f, -0x1.a6eb1ep-18f, 0x1.a5e8f4p-20f,  0x0p+0f,          0x1.71c98ap-18f,
        0x1.83f9a2p-18f,  0x1.ae8f3p-20f,   -0x1.1eb002p-18f, 0x1.4b54d2p-19f,  -0x1.3ab7cep-18f,
        0x1.a5627ap-19f,  -0x1.fe83c2p-18f, 0x1.ed0cbap-19f,  0x1.80abfcp-18f,  -0x1.a39fbep-20f,
        -0x1.3f543cp-18f, 0x1.5d1a1ap-19f};
    alignas(64) static constexpr float kLog10[32] = {
        -0x1.254cp-3f, -0x1.1114p-3f, -0x1.06ccp-3f, -0x1.e3cp-4f, -0x1.b8ep-4f, -0x1.a308p-4f,
        -0x1.769p-4f,  -0x1.5fe8p-4f, -0x1.31bp-4f,  -0x1.1a2p-4f, -0x1.d42p-5f, -0x1.a31p-5f,
        -0x1.715p-5f,  -0x1.3edp-5f,  -0x1.af6p-6f,  -0x1.46p-6f,  -0x1.b6p-7f,  -0x1.b98p-8f,
        0x0p+0f,       0x1.518p-7f,   0x1.902p-6f,   0x1.217p-5f,  0x1.9c2p-5f,  0x1.fbp-5f,
        0x1.2e38p-4f,  0x1.6058p-4f,  0x1.829p-4f,   0x1.b72p-4f,  0x1.db1p-4f,  0x1.ffcp-4f,
        0x1.1c1cp-3f,  0x1.2f74p-3f};
    alignas(64) static constexpr float kLog10Rest[32] = {
        0x1.65943p-20f,  -0x1.78408ap-22f, 0x1.4c2c9ep-22f,  0x1.f2a79p-19f,   0x1.b2c54cp-20f,
        -0x1.4eb05p-19f, -0x1.40a252p-20f, -0x1.222bd4p-26f, -0x1.82ae24p-19f, -0x1.a22a8p-19f,
        0x1.574d82p-20f, 0x1.58a7d8p-19f,  0x1.f2f60cp-19f,  -0x1.199a5ep-21f, 0x1.b53fc6p-24f,
        0x1.614a68p-19f, 0x1.6f714ep-19f,  0x1.c4ad82p-19f,  0x0p+0f,          0x1.263ac4p-22f,
        0x1.863ac6p-19f, -0x1.f928dcp-19f, -0x1.a1504p-19f,  -0x1.64b1ap-19f,  0x1.3a05bcp-19f,
        -0x1.9422dp-21f, -0x1.8096b2p-19f, 0x1.cd1716p-20f,  0x1.ed766ap-20f,  -0x1.ea21c4p-23f,
        0x1.d32ab8p-20f, -0x1.fc6162p-20f};
};

// log2(x) = k - log2(c) + log2(m c), m c not yet computed; requires a positive normal x.
template <class B>
struct TablePlace {
    B k;
    B m;
    B c;
    IntBatch<B> j;
};

HS_MATH TablePlace<B> table_place(B x) {
    using T = Traits<B>;
    using C = LogTable<Lane<B>>;
    using I = IntBatch<B>;
    constexpr typename T::Int kFraction = (typename T::Int{1} << T::kMantissaBits) - 1;
    const I above = bits(x) - I(bits_of(C::kRoot));
    const I j = above >> (T::kMantissaBits - 5);
    const B m = from_bits<B>((above & I(kFraction)) + I(bits_of(C::kRoot)));
    return {xsimd::to_float(above >> T::kMantissaBits), m, of_32<B>(C::kInverse, j), j};
}

// (log2(1 + r) - r log2(e) + r^2 log2(e) / 2) / r^3
HS_MATH B table_log2_tail(B r) {
    if constexpr (kIsFloat<B>) {
        return poly(r, 0x1.ec709ep-2, -0x1.715476p-2, 0x1.2782f6p-2, -0x1.ec9540p-3);
    } else {
        return broad_poly(r, 0x1.ec709dc3a03fdp-2, -0x1.71547652b82fdp-2, 0x1.2776c50efe878p-2,
                          -0x1.ec709dc3b0183p-3, 0x1.a61760bbacd54p-3, -0x1.715473d9c94e8p-3,
                          0x1.4871d60a31048p-3, -0x1.27a0050cfe49dp-3);
    }
}

// log2(x) with 13 bits more than its own precision; requires a positive normal x. r is exact as a
// pair. The first two terms of log2(1 + r) over r are a pair with the rest in its lower part.
template <Whole B>
[[gnu::always_inline]] inline Pair<B> log2_pair(B x) {
    using C = LogTable<Lane<B>>;
    const TablePlace<B> p = table_place(x);
    const B log2e(C::kLog2E);
    const Pair<B> mc = two_prod(p.m, p.c);
    const B r = mc.hi - B(1);
    const Pair<B> slope = fast_two_madd(r, B(-C::kLog2E / 2), log2e);
    const B rest = madd(r, madd(r, table_log2_tail(r), B(C::kHalfLog2ERest)), B(C::kLog2ERest));
    const Pair<B> rise = two_prod(r, slope.hi);
    // log2(e) / (1 + r), by which the rounding error of r is multiplied.
    const B steepness = madd(r, msub(r, log2e, log2e), log2e);
    const B rise_lo = madd(mc.lo, steepness, madd(r, slope.lo + rest, rise.lo));
    const Pair<B> sum = fast_two_sum(p.k + of_32<B>(C::kLog2, p.j), rise.hi);
    if constexpr (kIsFloat<B>) {
        return {sum.hi, sum.lo + (rise_lo + of_32<B>(C::kLog2Rest, p.j))};
    } else {
        return {sum.hi, sum.lo + rise_lo};
    }
}

// ---- floats, rounded ----

// exact + r slope + r^2 (...) + low, the first two with their errors, as they may cancel by half.
HS_MATH B table_sum(B exact, B r, B slope, B q, B low) {
    const Pair<B> rise = two_prod(r, slope);
    const Pair<B> sum = fast_two_sum(exact, rise.hi);
    return sum.hi + madd(r, q, sum.lo + (rise.lo + low));
}

HS_MATH B log2_by_table(B x, B k_extra) {
    using C = LogTable<float>;
    const TablePlace<B> p = table_place(x);
    const B r = msub(p.m, p.c, B(1));
    const B q = poly(r, C::kLog2ERest, -0x1.715476p-1f, 0x1.ec84d0p-2f, -0x1.71707ep-2f);
    const B exact = (p.k + k_extra) + of_32<B>(C::kLog2, p.j);
    return table_sum(exact, r, B(C::kLog2E), q, of_32<B>(C::kLog2Rest, p.j));
}

HS_MATH B log10_by_table(B x, B k_extra) {
    using C = LogTable<float>;
    const TablePlace<B> p = table_place(x);
    const B k = p.k + k_extra;
    const B r = msub(p.m, p.c, B(1));
    const B q = poly(r, C::kLog10ERest, -0x1.bcb7b0p-3f, 0x1.28869cp-3f, -0x1.bcf434p-4f);
    const B exact = madd(k, B(C::kLog10Of2), of_32<B>(C::kLog10, p.j));
    const B low = madd(k, B(C::kLog10Of2Rest), of_32<B>(C::kLog10Rest, p.j));
    return table_sum(exact, r, B(C::kLog10E), q, low);
}

}  // namespace hassium::HS_SIMD_NS::math

#endif
