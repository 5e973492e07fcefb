#pragma once

// Functions in two parts. F::ordinary(x) is correct, and raises no false flag, for elements where
// F::special(x) is false; F::edge(x) is correct for all, and out of line.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

template <class F, class B>
[[gnu::always_inline]] inline B guarded(B x) {
    if (xsimd::any(F::special(x))) [[unlikely]] {
        return F::edge(x);
    }
    return F::ordinary(x);
}

// N registers that a function processes together, with one branch for all and one read of each
// constant in memory. If an element is special, only that fact is computed.
template <class B, int N>
struct Together {
    B x[N];
    bool special = false;
};

template <class F, class B, int N>
[[gnu::always_inline]] inline Together<B, N> guarded(Together<B, N> v) {
    Mask<B> special = F::special(v.x[0]);
#pragma GCC unroll 8
    for (int k = 1; k < N; ++k) special = special | F::special(v.x[k]);
    v.special = xsimd::any(special);
    if (!v.special) [[likely]] {
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) v.x[k] = F::ordinary(v.x[k]);
    }
    return v;
}

// Applies a function of two operands without a multi-register form to one register after another.
template <class B, int N, class F>
[[gnu::always_inline]] inline Together<B, N> in_turn(Together<B, N> x, Together<B, N> y, F f) {
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) x.x[k] = f(x.x[k], y.x[k]);
    return x;
}

}  // namespace hassium::HS_SIMD_NS::math
