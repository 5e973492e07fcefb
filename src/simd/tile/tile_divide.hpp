// A register tile divided by one element, with the bits of the divider in less time.
//
// A power of two with a normal reciprocal is multiplied by: that rounds and raises the same.
// Other divisors take four multiplications and additions per register in float64. (For float32, and
// with registers of four elements, the divider is as fast.)
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
// Numbers with exponents far from zero, where a step could underflow, zeros, infinities and NaNs go
// to the divider, and so raise what it raises.
#pragma once

#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <Op O, DType D, TileForm F, Lay L>
constexpr bool divides_by_one() {
    return O == Op::Divide && kind(D) == DTypeKind::Float && F == TileForm::AccScalar &&
           L == Lay::Along;
}

template <class T>
HS_INLINE bool is_normal_power_of_two(T x) {
    using F = math::FloatTraits<T>;
    const auto bits = __builtin_bit_cast(typename F::Uint, x);
    const int exponent = static_cast<int>(bits >> F::kMantissaBits) & (2 * F::kBias + 1);
    const bool one_bit = bits % (typename F::Uint{1} << F::kMantissaBits) == 0;
    return one_bit && exponent >= 1 && exponent < 2 * F::kBias;
}

template <DType D, int N, class F>
HS_INLINE void each_quotient(Raw* v, F f) {
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) {
        v[k] = to_raw<D>(f(from_raw<D>(v[k])));
        lane_done(v[k]);
    }
}

// For a tile of float64 with AVX-512.
struct QuotientsByOne {
    using Bits = std::uint64_t;
    using X = Vec<double>;
    static constexpr int kFraction = 52, kBias = 1023;
    static constexpr Bits kFractions = (Bits{1} << kFraction) - 1;

    // True for an exponent within a quarter of the greatest, and none of the last fractions.
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
            const auto bits = math::recast<Bits>(v[k]);
            differ = differ & (bits ^ (bits << 1));
        }
        const Vec<Bits> second(Bits{1} << 62);
        return xsimd::all((differ & second) == second);
    }

    HS_INLINE static X quotient(X x, X y, X high, X low) {
        const X q = xsimd::fma(x, high, x * low);
        return xsimd::fma(xsimd::fnma(q, y, x), high, q);
    }

    HS_INLINE static void divide(Raw* v, double one) {
        const X y(one);
        // Separate, so that neither path raises exceptions that belong to the other.
        if (!is_tame(one) || !are_tame(v)) {
            return each_quotient<DType::F64, kTileRegisters>(v, [=](X x) { return x / y; });
        }
        const X high(1 / one);
        const X low = xsimd::fnma(high, y, X(1.0)) * high;
        each_quotient<DType::F64, kTileRegisters>(v,
                                                  [=](X x) { return quotient(x, y, high, low); });
    }
};

// `Spares`: uses multiplications where they give the divider's bits.
template <DType D, int N, bool Spares>
struct DivideByOne {
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        const auto one = load_as<Part<D>>(tile_address<0>(step, at));
        const Register<D> y(one);
        if (is_normal_power_of_two(one)) {
            const Register<D> inverse(1 / one);
            each_quotient<D, N>(v, [&](Register<D> x) { return x * inverse; });
        } else if constexpr (Spares && HS_SIMD_LEVEL == 4 && D == DType::F64) {
            QuotientsByOne::divide(v, one);
        } else {
            each_quotient<D, N>(v, [&](Register<D> x) { return x / y; });
        }
    }
};

}  // namespace hassium::HS_SIMD_NS
