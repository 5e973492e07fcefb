#pragma once

// Maxima and minima. If both operands compare equal the second one is returned, as NumPy's vector
// loops do with zeros of different sign.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

// Returns the greater, or the lesser, of a and b, but `a` where x is NaN. Whole AVX-512 registers
// use the processor's instruction: it returns the second of two operands that are equal or of which
// one is NaN, and would raise invalid for NaNs.
template <bool kGreater, class B>
[[gnu::always_inline]] inline B extreme_unless_nan(B x, B a, B b) {
#ifdef __AVX512F__
    if constexpr (sizeof(B) == 64) {
        const auto numbers = (x == x).data;
        if constexpr (kGreater && kIsFloat<B>) {
            return _mm512_mask_max_round_ps(a, numbers, a, b, _MM_FROUND_NO_EXC);
        } else if constexpr (kGreater) {
            return _mm512_mask_max_round_pd(a, numbers, a, b, _MM_FROUND_NO_EXC);
        } else if constexpr (kIsFloat<B>) {
            return _mm512_mask_min_round_ps(a, numbers, a, b, _MM_FROUND_NO_EXC);
        } else {
            return _mm512_mask_min_round_pd(a, numbers, a, b, _MM_FROUND_NO_EXC);
        }
    }
#endif
    const Mask<B> first = kGreater ? quiet_less(b, a) : quiet_less(a, b);
    return select(first | (x != x), a, b);
}

// A NaN in either operand wins, the first operand's before the second's.
HS_MATH B maximum(B a, B b) { return extreme_unless_nan<true>(a, a, b); }
HS_MATH B minimum(B a, B b) { return extreme_unless_nan<false>(a, a, b); }

// A NaN loses against a number.
HS_MATH B fmax(B a, B b) { return extreme_unless_nan<true>(b, a, b); }
HS_MATH B fmin(B a, B b) { return extreme_unless_nan<false>(b, a, b); }

}  // namespace hassium::HS_SIMD_NS::math
