// Quotients of register tiles, with the divider's bits in less time. The divider computes some
// registers while multiplications and additions compute the others: for float64 and AVX-512, which
// has an initial estimate of fourteen bits.
//
// Let 1 <= b < 2, and ulp be a unit of the last place of a / b. The third-order step makes
// y = 1/b (1 + 2^-41), and the next two q = a / b + D with |D| < (1/2 + 2^-28) ulp; Newton's makes
// of y the rounded 1 / b, but for 2^-82. Then d = a - q * b is exact, and q + d * y is off by
// |D| |1 - b y| < (1/2 + 2^-27) b 2^-54 ulp. Quotients are no nearer than 2^-53 / b ulp to the
// middle between two neighbours, which is more unless b is within 2^-25 of 2: they are on the same
// side of it, and round alike. (The last step is Markstein's, IBM Journal of Research and
// Development 34, 1990.)
//
// Divisors near 2, numbers with exponents far from zero, zeros, infinities and NaNs go to the
// divider, and so raise what it raises.
#pragma once

#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <Op O, DType D>
constexpr bool shares_quotients() {
    return HS_SIMD_LEVEL == 4 && O == Op::Divide && D == DType::F64;
}

// The divider computes the registers before kFirst, which take it about as long as the
// multiplications take for the others.
template <TileForm F, Lay L>
struct SharedQuotients;

#if HS_SIMD_LEVEL == 4

template <TileForm F, Lay L>
struct SharedQuotients {
    using X = Vec<double>;
    using Bits = Vec<std::uint64_t>;
    using Operands = TileOperands<DType::F64, F, L>;
    static constexpr int kFirst = 4;

    HS_INLINE static Bits bits_of(X x) { return math::recast<std::uint64_t>(x); }

    // True for exponents within a quarter of the greatest and no divisor within 2^-24 of the next
    // power of two, to which the addition below carries it.
    HS_INLINE static bool are_tame(const Operands& in, const Raw* v) {
        constexpr std::uint64_t kExponent = std::uint64_t{1} << 52;
        const Bits least(768 * kExponent), near(kExponent >> 24);
        Bits outside(0), carried(0);
#pragma GCC unroll 8
        for (int k = kFirst; k < kTileRegisters; ++k) {
            const Bits a = bits_of(in.first(v[k], k)), b = bits_of(in.second(v[k], k));
            outside = outside | (a - least) | (b - least);
            carried = carried | ((b + near) ^ b);
        }
        const Bits wild = (outside & Bits(1536 * kExponent)) | (carried & Bits(kExponent));
        return xsimd::all(wild == Bits(0));
    }

    HS_INLINE static X quotient(X a, X b) {
        const X one(1.0);
        X y = _mm512_rcp14_pd(b);
        const X e = xsimd::fnma(b, y, one);
        y = xsimd::fma(y, xsimd::fma(e, e, e), y);
        X q = a * y;
        q = xsimd::fma(xsimd::fnma(q, b, a), y, q);
        y = xsimd::fma(xsimd::fnma(b, y, one), y, y);
        return xsimd::fma(xsimd::fnma(q, b, a), y, q);
    }

    template <int First, int Last, class G>
    HS_INLINE static void each(const Operands& in, Raw* v, G f) {
#pragma GCC unroll 8
        for (int k = First; k < Last; ++k) {
            v[k] = to_raw<DType::F64>(f(in.first(v[k], k), in.second(v[k], k)));
            lane_done(v[k]);
        }
    }

    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        auto divided = [](X a, X b) { return a / b; };
        const Operands in(step, at);
        const bool tame = are_tame(in, v);
        each<0, kFirst>(in, v, divided);
        // Separate, so that neither path raises exceptions that belong to the other.
        if (tame) {
            each<kFirst, kTileRegisters>(in, v, [](X a, X b) { return quotient(a, b); });
        } else {
            each<kFirst, kTileRegisters>(in, v, divided);
        }
    }
};

#endif

}  // namespace hassium::HS_SIMD_NS
