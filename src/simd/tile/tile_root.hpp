// Square roots of a register tile, with the divider's bits in less time. The divider computes some
// registers while multiplications and additions compute the others: for float64 and AVX-512, which
// has an initial estimate of fourteen bits.
//
// Let 1 <= x < 4, and s its root. The third-order step makes y = 1/s (1 + 2^-40), and so does the
// rest but for the last rounding of x * y and y / 2; Newton's makes g = s + D with |D| < (1/2 +
// 2^-25) 2^-52, and with that h = 1 / 2g (1 + e) with |e| <= g 2^-54 (1 + 2^-23), its rounding.
// d = x - g^2 is exact unless s is within 2^-25 of 2, and g + d h is
//     s + D^2 / 2g - D e (1 + ..),
// off by less than g 2^-107 downwards and (g + 1/g) 2^-107 upwards, and then rounded. The middle m
// between two neighbours is O 2^-53 for an odd O, and x = X 2^-52, so that s - m = (X 2^54 - O^2)
// 2^-107 / m, where what is in brackets is .., -9, -1, 7, .. for odd squares leave 1 modulo 8. With
// g and m below 2 only -1 is too near; then O^2 leaves 1 modulo 2^54, so that O is 2^53 + 1 or
// 2^54 - 1, and x is 1 + 2^-52 or 4 - 2^-51. (The steps are Markstein's, IBM Journal of Research
// and Development 34, 1990.)
//
// These two and numbers near the second, negative numbers, those with exponents far from zero,
// zeros, infinities and NaNs go to the divider, and so raise what it raises.
#pragma once

#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <Op O, DType D>
constexpr bool shares_roots() {
    return HS_SIMD_LEVEL == 4 && O == Op::Sqrt && D == DType::F64;
}

// For a tile in the accumulator. The divider computes the registers before kFirst: half of a tile
// takes it about as long as the multiplications take for the other half.
struct SharedRoots;

#if HS_SIMD_LEVEL == 4

struct SharedRoots {
    using X = Vec<double>;
    using Bits = Vec<std::uint64_t>;
    static constexpr int kFirst = 4;

    // True for positive numbers with an exponent within half of the greatest that are not named
    // above.
    HS_INLINE static bool are_tame(const Raw* v) {
        constexpr std::uint64_t kLeast = std::uint64_t{512} << 52, kRange = 2 * kLeast;
        const Bits one(std::uint64_t{1} << 12), last(~std::uint64_t{0} << 38);
        Bits outside(0), greatest(0);
        Mask<std::uint64_t> odd(false);
#pragma GCC unroll 8
        for (int k = kFirst; k < kTileRegisters; ++k) {
            const auto bits = math::recast<std::uint64_t>(v[k]);
            const Bits fraction = bits << 12;
            outside = outside | (bits - Bits(kLeast));
            greatest = xsimd::max(greatest, fraction);
            odd = odd | (fraction == one);
        }
        return !xsimd::any(odd | (greatest >= last) | (outside >= Bits(kRange)));
    }

    HS_INLINE static X root(X x) {
        const X half(0.5);
        X y = _mm512_rsqrt14_pd(x);
        const X e = xsimd::fnma(x * y, y, X(1.0));
        y = xsimd::fma(y * e, xsimd::fma(e, X(0.375), half), y);
        X g = x * y, h = y * half;
        g = xsimd::fma(xsimd::fnma(g, g, x), h, g);
        h = xsimd::fma(xsimd::fnma(g, h, half), y, h);
        return xsimd::fma(xsimd::fnma(g, g, x), h, g);
    }

    template <int First, int Last, class G>
    HS_INLINE static void each(Raw* v, G f) {
#pragma GCC unroll 8
        for (int k = First; k < Last; ++k) {
            v[k] = to_raw<DType::F64>(f(from_raw<DType::F64>(v[k])));
            lane_done(v[k]);
        }
    }

    HS_INLINE static void apply(Raw* v, const TileStep*, std::int64_t) {
        auto divided = [](X x) { return xsimd::sqrt(x); };
        const bool tame = are_tame(v);
        each<0, kFirst>(v, divided);
        // Separate, so that neither path raises exceptions that belong to the other.
        if (tame) {
            each<kFirst, kTileRegisters>(v, [](X x) { return root(x); });
        } else {
            each<kFirst, kTileRegisters>(v, divided);
        }
    }
};

#endif

}  // namespace hassium::HS_SIMD_NS
