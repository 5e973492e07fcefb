#pragma once

// Sums in the logarithmic domain, by NumPy's formula: the larger operand plus log(1 + e^-|x - y|).
// The last addition loses digits where its result is small; so does NumPy's. Floats are computed in
// double.

#include "simd/math/base.hpp"
#include "simd/math/by_double.hpp"
#include "simd/math/exp.hpp"
#include "simd/math/log.hpp"

namespace hassium::HS_SIMD_NS::math {

template <bool kBinary, class B>
[[gnu::always_inline]] inline B logaddexp_double(B x, B y) {
    // Equal operands may be infinities, whose difference raises invalid.
    const Mask<B> equal = x == y;
    const B difference = select(equal, B(0), x) - select(equal, B(0), y);
    const B exponent = from_bits<B>(bits(difference) | IntBatch<B>(Traits<B>::kSignMask));
    B sum;
    if constexpr (kBinary) {
        sum = log2_1p(math::exp2(exponent));
    } else {
        sum = log1p_pair<B>({math::exp(exponent), B(0)});
    }
    const B rest = select(equal, B(kBinary ? 1.0 : 0x1.62e42fefa39efp-1), sum);
    // NumPy compares the difference, which raises invalid for NaNs.
    const Mask<B> nan = difference != difference;
    if (xsimd::any(nan)) [[unlikely]]
        raise_invalid();
    const B larger = select(has_sign(difference), y, x);
    return select(nan, difference, larger + rest);
}

HS_MATH B logaddexp(B x, B y) {
    return by_double(x, y, [](auto v, auto w) HS_LAMBDA { return logaddexp_double<false>(v, w); });
}

HS_MATH B logaddexp2(B x, B y) {
    return by_double(x, y, [](auto v, auto w) HS_LAMBDA { return logaddexp_double<true>(v, w); });
}

}  // namespace hassium::HS_SIMD_NS::math
