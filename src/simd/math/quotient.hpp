#pragma once

// Remainders of division, exact as those of the C functions, and their quotients, for quotients
// whose integral part has few bits.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

// Returns whether for all lanes the integral part needs at most one correction, the remainder of
// `a` is exact, and b is so far from the ends of the range that nothing below raises an exception.
HS_MATH bool divides_exactly(B a, B b) {
    using I = IntBatch<B>;
    using T = Traits<B>;
    constexpr auto kUnit = typename T::Int{1} << T::kMantissaBits;
    constexpr int kEnds = T::kBias / 8;
    const I x = abs_bits(a), y = abs_bits(b);
    const auto divisor = (y > I(kUnit * kEnds)) & (y < I(kUnit * (2 * T::kBias - kEnds)));
    const auto quotient = (x < I(T::kInfBits)) & (x - y < I(kUnit * (T::kMantissaBits - 2)));
    return xsimd::all(divisor & quotient);
}

// Returns whether for all lanes the quotient is a normal number, or `a` is zero. NumPy divides for
// the sign of a quotient whose integral part is zero, and that can underflow.
HS_MATH bool quotients_stay_normal(B a, B b) {
    using I = IntBatch<B>;
    using T = Traits<B>;
    constexpr auto kUnit = typename T::Int{1} << T::kMantissaBits;
    const I x = abs_bits(a);
    const auto far = x - abs_bits(b) > I(-kUnit * (T::kBias - 2));
    return xsimd::all((x == I(0)) | ((x > I(kUnit)) & far));
}

// Returns the remainder, with the sign of a.
HS_MATH B exact_fmod(B a, B b) {
    const Mask<B> below = to_mask<B>(abs_bits(a) < abs_bits(b));
    const B whole = xsimd::trunc(select(below, b, a) / b);
    const B rest = nmadd(select(below, B(0), whole), b, a);
    // A quotient just below an integer may have been rounded up to it.
    const Mask<B> beyond = has_sign(xor_sign(rest, a)) & (rest != B(0));
    return with_sign(select(beyond, rest + with_sign(b, a), rest), a);
}

// From the exact remainder, as NumPy's npy_divmod: the remainder of floor division, ..
HS_MATH B rest_down(B rest, B b) {
    const Mask<B> other = has_sign(xor_sign(rest, b));
    const B down = select(other, rest + b, rest);
    return select(rest == B(0), with_sign(B(0), b), down);
}
// .. and its quotient.
HS_MATH B quotient_down(B a, B b, B rest) {
    const B exact = (a - rest) / b;
    const Mask<B> other = has_sign(xor_sign(rest, b)) & (rest != B(0));
    const B down = select(other, exact - B(1), exact);
    const B floored = xsimd::floor(down);
    const B whole = select(down - floored > B(Lane<B>(0.5)), floored + B(1), floored);
    return select(down == B(0), with_sign(B(0), xor_sign(a, b)), whole);
}

}  // namespace hassium::HS_SIMD_NS::math
