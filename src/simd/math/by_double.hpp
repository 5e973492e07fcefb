#pragma once

// Functions of float computed in double.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

template <class B>
using DoubleBatch = xsimd::batch<double, typename B::arch_type>;

template <class D>
struct Halves {
    D low;
    D high;
};

template <class A>
[[gnu::always_inline]] inline Halves<xsimd::batch<double, A>> to_double(xsimd::batch<float, A> x) {
    using D = xsimd::batch<double, A>;
#if defined(__AVX512F__)
    const __m512d all = _mm512_castps_pd(x.data);
    return {D(_mm512_cvtps_pd(_mm512_castps512_ps256(x.data))),
            D(_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(all, 1))))};
#elif defined(__AVX__)
    return {D(_mm256_cvtps_pd(_mm256_castps256_ps128(x.data))),
            D(_mm256_cvtps_pd(_mm256_extractf128_ps(x.data, 1)))};
#elif defined(__SSE2__)
    return {D(_mm_cvtps_pd(x.data)), D(_mm_cvtps_pd(_mm_movehl_ps(x.data, x.data)))};
#else
    alignas(64) float in[2 * D::size];
    alignas(64) double out[2 * D::size];
    x.store_aligned(in);
    for (unsigned i = 0; i < 2 * D::size; ++i) {
        out[i] = static_cast<double>(in[i]);
    }
    return {D::load_aligned(out), D::load_aligned(out + D::size)};
#endif
}

template <class A>
[[gnu::always_inline]] inline xsimd::batch<float, A> to_float(Halves<xsimd::batch<double, A>> x) {
    using F = xsimd::batch<float, A>;
#if defined(__AVX512F__)
    const __m512d low = _mm512_castps_pd(_mm512_castps256_ps512(_mm512_cvtpd_ps(x.low.data)));
    const __m256d high = _mm256_castps_pd(_mm512_cvtpd_ps(x.high.data));
    return F(_mm512_castpd_ps(_mm512_insertf64x4(low, high, 1)));
#elif defined(__AVX__)
    return F(_mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(x.low.data)),
                                  _mm256_cvtpd_ps(x.high.data), 1));
#elif defined(__SSE2__)
    return F(_mm_movelh_ps(_mm_cvtpd_ps(x.low.data), _mm_cvtpd_ps(x.high.data)));
#else
    alignas(64) double in[F::size];
    alignas(64) float out[F::size];
    x.low.store_aligned(in);
    x.high.store_aligned(in + F::size / 2);
    for (unsigned i = 0; i < F::size; ++i) {
        out[i] = static_cast<float>(in[i]);
    }
    return F::load_aligned(out);
#endif
}

// Applies a function of double batches to a float batch, or directly to a double batch.
template <class B, class F>
[[gnu::always_inline]] inline B by_double(B x, F f) {
    if constexpr (kIsFloat<B>) {
        const auto w = to_double(x);
        return to_float(Halves<DoubleBatch<B>>{f(w.low), f(w.high)});
    } else {
        return f(x);
    }
}

template <class B, class F>
[[gnu::always_inline]] inline B by_double(B x, B y, F f) {
    if constexpr (kIsFloat<B>) {
        const auto w = to_double(x);
        const auto v = to_double(y);
        return to_float(Halves<DoubleBatch<B>>{f(w.low, v.low), f(w.high, v.high)});
    } else {
        return f(x, y);
    }
}

}  // namespace hassium::HS_SIMD_NS::math
