#pragma once

// Maxima and minima. When both operands compare equal the second one is returned: that is what
// NumPy's vector loops do with zeros of different sign.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

// The greater of a and b, or the lesser, but `a` where x is a nan. Whole registers of AVX-512 take
// the processor's own: it returns the second of two operands that are equal or of which one is a
// nan, and would raise a condition for nans.
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

// A nan in either operand wins, the first one before the second.
HS_MATH B maximum(B a, B b) { return extreme_unless_nan<true>(a, a, b); }
HS_MATH B minimum(B a, B b) { return extreme_unless_nan<false>(a, a, b); }

// A nan loses against a number.
HS_MATH B fmax(B a, B b) { return extreme_unless_nan<true>(b, a, b); }
HS_MATH B fmin(B a, B b) { return extreme_unless_nan<false>(b, a, b); }

}  // namespace hassium::HS_SIMD_NS::math
