#pragma once

// Maxima and minima. When both operands compare equal the second one is returned: that is what
// NumPy's vector loops do with zeros of different sign.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

#ifdef __AVX512F__

// The processor's own, where `where` holds, else `a`: they return the second of two operands that
// are equal or of which one is a nan, and would raise a condition for nans.
template <class B>
concept Wide = sizeof(B) == 64;

template <Wide B>
[[gnu::always_inline]] inline B max_where(Mask<B> where, B a, B b) {
    if constexpr (kIsFloat<B>) {
        return _mm512_mask_max_round_ps(a, where.data, a, b, _MM_FROUND_NO_EXC);
    } else {
        return _mm512_mask_max_round_pd(a, where.data, a, b, _MM_FROUND_NO_EXC);
    }
}
template <Wide B>
[[gnu::always_inline]] inline B min_where(Mask<B> where, B a, B b) {
    if constexpr (kIsFloat<B>) {
        return _mm512_mask_min_round_ps(a, where.data, a, b, _MM_FROUND_NO_EXC);
    } else {
        return _mm512_mask_min_round_pd(a, where.data, a, b, _MM_FROUND_NO_EXC);
    }
}

// A nan in either operand wins, the first one before the second.
template <Wide B>
[[gnu::always_inline]] inline B maximum(B a, B b) {
    return max_where(a == a, a, b);
}
template <Wide B>
[[gnu::always_inline]] inline B minimum(B a, B b) {
    return min_where(a == a, a, b);
}

// A nan loses against a number.
template <Wide B>
[[gnu::always_inline]] inline B fmax(B a, B b) {
    return max_where(b == b, a, b);
}
template <Wide B>
[[gnu::always_inline]] inline B fmin(B a, B b) {
    return min_where(b == b, a, b);
}

#endif

// The same in general.
HS_MATH B maximum(B a, B b) { return select(quiet_less(b, a) | (a != a), a, b); }
HS_MATH B minimum(B a, B b) { return select(quiet_less(a, b) | (a != a), a, b); }
HS_MATH B fmax(B a, B b) { return select(quiet_less(b, a) | (b != b), a, b); }
HS_MATH B fmin(B a, B b) { return select(quiet_less(a, b) | (b != b), a, b); }

}  // namespace hassium::HS_SIMD_NS::math
