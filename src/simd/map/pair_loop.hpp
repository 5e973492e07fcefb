// Loops over interleaved complex numbers, for rows that compute faster than they deinterleave and
// interleave: sums, which treat both parts the same, and products.
#pragma once

#include "simd/lane/lane_order.hpp"
#include "simd/map/map_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <class R>
inline constexpr bool kIsProduct = R::kOp == Op::Multiply || R::kOp == Op::Square;

// A product needs an instruction that multiplies, then alternately subtracts and adds.
template <class R, DType D>
inline constexpr bool kHasPairs =
    kHasMap<R, D> && kind(D) == DTypeKind::Complex && R::kInputs <= 2 &&
    (has<R>(kByParts) || (kIsProduct<R> && HS_FUSED));

// As multiply_as_numpy, with the same roundings; re and im hold each part of a twice.
#if HS_SIMD_LEVEL == 4
HS_INLINE Vec<double> product_of_pairs(Vec<double> a, Vec<double> b) {
    const __m512d re = _mm512_movedup_pd(a), im = _mm512_permute_pd(a, 0xFF);
    return Vec<double>(_mm512_fmaddsub_pd(re, b, _mm512_mul_pd(im, _mm512_permute_pd(b, 0x55))));
}
HS_INLINE Vec<float> product_of_pairs(Vec<float> a, Vec<float> b) {
    const __m512 re = _mm512_moveldup_ps(a), im = _mm512_movehdup_ps(a);
    return Vec<float>(_mm512_fmaddsub_ps(re, b, _mm512_mul_ps(im, _mm512_permute_ps(b, 0xB1))));
}
#elif HS_SIMD_LEVEL == 3
HS_INLINE Vec<double> product_of_pairs(Vec<double> a, Vec<double> b) {
    const __m256d re = _mm256_movedup_pd(a), im = _mm256_permute_pd(a, 0xF);
    return Vec<double>(_mm256_fmaddsub_pd(re, b, _mm256_mul_pd(im, _mm256_permute_pd(b, 0x5))));
}
HS_INLINE Vec<float> product_of_pairs(Vec<float> a, Vec<float> b) {
    const __m256 re = _mm256_moveldup_ps(a), im = _mm256_movehdup_ps(a);
    return Vec<float>(_mm256_fmaddsub_ps(re, b, _mm256_mul_ps(im, _mm256_permute_ps(b, 0xB1))));
}
#elif HS_FUSED
// Lane i of the result is lane `of(i)` of x.
template <class T, class Lane>
HS_INLINE Vec<T> shuffled(Vec<T> x, Lane of) {
    typedef IntOfSize<T> Lanes __attribute__((vector_size(sizeof(x.data))));
    Lanes from{};
    for (int i = 0; i < static_cast<int>(Vec<T>::size); ++i) from[i] = of(i);
    return Vec<T>((decltype(x.data))__builtin_shuffle(x.data, from));
}
template <class T>
HS_INLINE Vec<T> product_of_pairs(Vec<T> a, Vec<T> b) {
    const auto real = [](int i) { return i & ~1; }, imaginary = [](int i) { return i | 1; };
    const auto other = [](int i) { return i ^ 1; };
    alignas(sizeof(Vec<T>)) T signs[Vec<T>::size];
    for (int i = 0; i < static_cast<int>(Vec<T>::size); ++i) signs[i] = i & 1 ? T(0) : -T(0);
    const Vec<T> crossed = shuffled(a, imaginary) * shuffled(b, other);
    return xsimd::fma(shuffled(a, real), b, math::xor_sign(crossed, Vec<T>::load_aligned(signs)));
}
#endif

// Applies the row to one register of pairs.
template <class R, DType D>
HS_INLINE void apply_pairs(char* out, const char* p, const char* q) {
    constexpr DType kPart = real_part(D);
    Register<kPart> a = load_register<kPart>(p);
    if constexpr (kIsProduct<R>) read_once(a);
    Register<kPart> b = R::kInputs == 2 ? load_register<kPart>(q) : a;
    if constexpr (kIsProduct<R>) {
        read_once(b);
        store_register<kPart>(out, product_of_pairs(a, b));
    } else {
        store_register<kPart>(out, R::apply(a, b, lane::None{}));
    }
}

template <class R, DType D>
void map_pairs(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    constexpr int kStep = kWidth<real_part(D)> / 2, kStepBytes = kStep * kBytes<D>;
    alignas(64) char buffers[2][kRegisterBytes], results[kRegisterBytes];
    char* out = ptr[0];
    const char* in[2] = {ptr[1], ptr[R::kInputs]};
    std::int64_t step[2] = {kStepBytes, kStepBytes};
    for (int k = 0; k < R::kInputs; ++k) {
        if (!(scalars >> k & 1u)) continue;
        gather_partial<kBytes<D>>(buffers[k], in[k], 1, kStep);
        in[k] = buffers[k];
        step[k] = 0;
    }
    std::int64_t i = 0;
    for (; i + 2 * kStep <= n; i += 2 * kStep) {
        apply_pairs<R, D>(out, in[0], in[1]);
        apply_pairs<R, D>(out + kStepBytes, in[0] + step[0], in[1] + step[1]);
        in[0] += 2 * step[0];
        in[1] += 2 * step[1];
        out += 2 * kStepBytes;
    }
    for (; i + kStep <= n; i += kStep) {
        apply_pairs<R, D>(out, in[0], in[1]);
        in[0] += step[0];
        in[1] += step[1];
        out += kStepBytes;
    }
    if (const int some = static_cast<int>(n - i); some > 0) {
        for (int k = 0; k < R::kInputs; ++k) {
            if (step[k] == 0) continue;
            gather_partial<kBytes<D>>(buffers[k], in[k], some, kStep);
            in[k] = buffers[k];
        }
        apply_pairs<R, D>(results, in[0], in[1]);
        copy_bytes(out, results, static_cast<unsigned long>(some) * kBytes<D>);
    }
}

}  // namespace hassium::HS_SIMD_NS
