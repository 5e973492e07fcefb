#pragma once

// Powers to multiples of a half.

#include "simd/math/base.hpp"
#include "simd/math/exp.hpp"

namespace hassium::HS_SIMD_NS::math {

// x^y for nonzero y in [-64, 64] with an integral 2y: by squaring, from the highest bit of |y|
// down, times the square root; the reciprocal where y is negative. The power is a pair: some ten
// roundings at 2^-104 leave the last digit correct. Costs 20 to 33 % of the logarithm. A lane takes
// this path by its own operands, so its bits do not depend on its neighbours; lanes where a low
// part might underflow, a power overflow or an operand is not finite take the logarithm.

inline constexpr double kMostHalves = 128;
inline constexpr int kHalvesRange = 900;  // in powers of two

// Returns the lanes whose base keeps all powers up to the exponent's in range. Zero does, except
// for negative exponents; negative bases have no square root.
HS_MATH Mask<B> halves_in_range(B x, int twice) {
    using I = IntBatch<B>;
    const int n = ((twice < 0 ? -twice : twice) + 1) >> 1;
    const int64_t most = kHalvesRange / n;
    const I v = (twice & 1) != 0 ? bits(x) : abs_bits(x);
    const Mask<B> within =
        to_mask<B>((v >= I((1023 - most) << 52)) & (v <= I((1023 + most) << 52)));
    return twice < 0 ? within : within | (x == B(0));
}

// a b + c d with a small second product, which kPlain omits.
template <bool kPlain, class B>
[[gnu::always_inline]] inline Pair<B> pair_product(B a, B b, B c, B d) {
    if constexpr (kPlain) return {a * b, B(0)};
    const Pair<B> product = two_prod(a, b);
    return fast_two_sum(product.hi, madd(c, d, product.lo));
}

template <bool kPlain, class B>
[[gnu::always_inline]] inline Pair<B> pair_root(B x) {
    const B root = xsimd::sqrt(x);
    if constexpr (kPlain) return {root, B(0)};
    const Pair<B> square = two_prod(root, root);
    // The root of zero has no error, and division by it is avoided.
    return {root, ((x - square.hi) - square.lo) / (root + root + B(0x1p-1000))};
}

template <bool kPlain, class B>
[[gnu::always_inline]] inline B pair_inverse(Pair<B> x) {
    const B inverse = B(1) / x.hi;
    if constexpr (kPlain) return inverse;
    const Pair<B> back = two_prod(inverse, x.hi);
    return madd(inverse, nmadd(inverse, x.lo, (B(1) - back.hi) - back.lo), inverse);
}

template <bool kPlain, class B>
[[gnu::noinline]] B power_by_halves(B x, int twice) {
    const int n = (twice < 0 ? -twice : twice) >> 1;
    Pair<B> r{n > 0 ? x : B(1), B(0)};
    for (int bit = 30 - __builtin_clz(static_cast<unsigned>(n | 1)); bit >= 0; --bit) {
        r = pair_product<kPlain>(r.hi, r.hi, r.hi + r.hi, r.lo);
        if (n >> bit & 1) r = pair_product<kPlain>(r.hi, x, r.lo, x);
    }
    if ((twice & 1) != 0) {
        const Pair<B> root = pair_root<kPlain>(absolute(x));
        const B low = madd(r.hi, root.lo, r.lo * root.hi);
        r = n > 0 ? pair_product<kPlain>(r.hi, root.hi, low, B(1)) : root;
        r.hi = absolute(r.hi);
    } else if ((n & 1) != 0) {
        // Adding the low part loses the sign of a zero.
        r.hi = with_sign(r.hi, x);
    }
    return twice < 0 ? pair_inverse<kPlain>(r) : r.hi;
}

// True for at least those exponents and zero; false for some numbers with an ulp above 1/2.
HS_MATH Mask<B> is_multiple_of_half(B y) {
    const B magic(ExpConstants<Lane<B>>::kMagic / 2);
    return (y + magic) - magic == y;
}

HS_MATH Mask<B> has_halves(B y) {
    using I = IntBatch<B>;
    const I v = abs_bits(y);
    const Mask<B> between = to_mask<B>((v >= I(bits_of(0.5))) & (v <= I(bits_of(kMostHalves / 2))));
    const B safe = select(between, y, B(0.25));
    const B twice = safe + safe;
    return xsimd::trunc(twice) == twice;
}

// ---- each lane by an exponent of its own ----

// Bit-identical to power_by_halves and halves_in_range with each lane's exponent: lanes whose
// highest bit is yet to come square 1. Lanes without a bit multiply by 1, as a product that is not
// selected may overflow.
template <class B>
struct HalfPowers {
    B twice;       // the exponent, doubled
    B whole;       // the integral part of its magnitude
    Mask<B> root;  // whether a half remains

    [[gnu::always_inline]] explicit HalfPowers(B y)
        : twice(y + y), whole(xsimd::trunc(absolute(y))) {
        root = whole != absolute(y);
    }
    [[gnu::always_inline]] static IntBatch<B> integer(B small) {
        return bits(small + B(0x1p52)) - bits(B(0x1p52));
    }
    [[gnu::always_inline]] Mask<B> below_fraction() const { return twice < B(0); }

    [[gnu::always_inline]] Mask<B> in_range(B x) const {
        using I = IntBatch<B>;
        const B n = whole + select(root, B(1), B(0));
        const I most = integer(xsimd::trunc(B(kHalvesRange) / n));
        const I v = bits(select(root, x, absolute(x)));
        const Mask<B> within =
            to_mask<B>((v >= ((I(1023) - most) << 52)) & (v <= ((I(1023) + most) << 52)));
        return within | (~below_fraction() & (x == B(0)));
    }
};

template <bool kPlain, class B>
[[gnu::noinline]] B power_by_each(B x, HalfPowers<B> by) {
    using I = IntBatch<B>;
    const I n = HalfPowers<B>::integer(by.whole);
    Pair<B> r{B(1), B(0)};
    int bit = 6;
    while (bit > 0 && xsimd::none(n >= I(1 << bit))) --bit;
    for (; bit >= 0; --bit) {
        r = pair_product<kPlain>(r.hi, r.hi, r.hi + r.hi, r.lo);
        const Mask<B> set = to_mask<B>((n & I(1 << bit)) != I(0));
        const B factor = select(set, x, B(1));
        const Pair<B> more = pair_product<kPlain>(r.hi, factor, r.lo, factor);
        r = {select(set, more.hi, r.hi), select(set, more.lo, r.lo)};
    }
    const Mask<B> odd = to_mask<B>((n & I(1)) != I(0));
    r.hi = select(odd, with_sign(r.hi, x), r.hi);
    if (xsimd::any(by.root)) {
        const Pair<B> root = pair_root<kPlain>(select(by.root, absolute(x), B(1)));
        const B low = madd(r.hi, root.lo, r.lo * root.hi);
        const Pair<B> more = pair_product<kPlain>(r.hi, root.hi, low, B(1));
        const Mask<B> alone = by.whole == B(0);
        r.hi = select(by.root, absolute(select(alone, root.hi, more.hi)), r.hi);
        r.lo = select(by.root, select(alone, root.lo, more.lo), r.lo);
    }
    const Mask<B> inverse = by.below_fraction();
    if (xsimd::none(inverse)) return r.hi;
    const Pair<B> safe{select(inverse, r.hi, B(1)), select(inverse, r.lo, B(0))};
    return select(inverse, pair_inverse<kPlain>(safe), r.hi);
}

}  // namespace hassium::HS_SIMD_NS::math
