// A register tile of float64 divided by one element: the bits of the divider in less of its time,
// by four multiplications and additions a register. (For float32, and with registers of four
// elements, the divider is as fast.)
//
// Let 1 <= y < 2, and ulp be a unit of the last place of x / y. With `high` the rounded reciprocal
// of y and `low` what was rounded off, q = x * high + x * low is off by less than (1/2 + 2^-51)
// ulp. Then r = x - q * y is exact, and q + r * high is off by at most |x / y - q| * y * |1 / y -
// high| < (1/2 + 2^-51) y 2^-54 ulp. Quotients are no nearer than 2^-53 / y ulp to the middle
// between two neighbours, which is more unless y is one of the last few below 2: they are on the
// same side of it, and round alike. (The last step is Markstein's, IBM Journal of Research and
// Development 34, 1990, and the first of Brisebarre, Muller and Raina, IEEE Transactions on
// Computers 53, 2004.)
//
// Numbers whose exponents are far from zero, where a step could underflow, zeros, infinities and
// nans are left to the divider, and so raise what it raises.
#pragma once

#include "simd/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <Op O, DType D, TileForm F, Lay L>
constexpr bool divides_by_one() {
    return HS_SIMD_LEVEL == 4 && O == Op::Divide && D == DType::F64 && F == TileForm::AccScalar &&
           L == Lay::Along;
}

struct DivideByOne {
    using Bits = std::uint64_t;
    using X = Vec<double>;
    static constexpr int kFraction = 52, kBias = 1023;
    static constexpr Bits kFractions = (Bits{1} << kFraction) - 1;

    // An exponent of at most a quarter of the greatest, and none of the last fractions.
    HS_INLINE static bool is_tame(double y) {
        const auto bits = __builtin_bit_cast(Bits, y);
        const int exponent = static_cast<int>(bits >> kFraction & (2 * kBias + 1)) - kBias;
        return exponent <= kBias / 4 && exponent >= -(kBias / 4) &&
               (bits & kFractions) < kFractions - 8;
    }
    // The first two bits of an exponent differ if it is at most about half of the greatest.
    HS_INLINE static bool are_tame(const Raw* v) {
        Vec<Bits> differ(~Bits{0});
#pragma GCC unroll 8
        for (int k = 0; k < kTileRegisters; ++k) {
            const auto bits = xsimd::bitwise_cast<Bits>(v[k]);
            differ = differ & (bits ^ (bits << 1));
        }
        const Vec<Bits> second(Bits{1} << 62);
        return xsimd::all((differ & second) == second);
    }

    HS_INLINE static X quotient(X x, X y, X high, X low) {
        const X q = xsimd::fma(x, high, x * low);
        return xsimd::fma(xsimd::fnma(q, y, x), high, q);
    }

    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        const auto one = load_as<double>(tile_address<0>(step, at));
        const X y(one);
        const bool tame = is_tame(one) && are_tame(v);
        const X high(tame ? 1 / one : 0);
        const X low = xsimd::fnma(high, y, X(1.0)) * high;
#pragma GCC unroll 8
        for (int k = 0; k < kTileRegisters; ++k) {
            const X x = from_raw<DType::F64>(v[k]);
            v[k] = to_raw<DType::F64>(tame ? quotient(x, y, high, low) : x / y);
            lane_done(v[k]);
        }
    }
};

}  // namespace hassium::HS_SIMD_NS
