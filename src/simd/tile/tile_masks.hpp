// Converts masks of lanes to bytes 0 and 1 and back, a register of bytes at a time.
#pragma once

#include "simd/lane/registers.hpp"

namespace hassium::HS_SIMD_NS {

// A register of a tile, whatever its dtype.
using Raw = Vec<uint8_t>;

#if HS_SIMD_LEVEL == 4
// Concatenates the bits of sizeof(T) masks, without a detour through general registers.
template <class T>
HS_INLINE __mmask64 join_masks(const Mask<T>* m) {
    if constexpr (sizeof(T) == 1) {
        return m[0].data;
    } else if constexpr (sizeof(T) == 2) {
        return _mm512_kunpackd(m[1].data, m[0].data);
    } else if constexpr (sizeof(T) == 4) {
        return _mm512_kunpackd(_mm512_kunpackw(m[3].data, m[2].data),
                               _mm512_kunpackw(m[1].data, m[0].data));
    } else {
        auto two = [m](int k) { return _mm512_kunpackb(m[k + 1].data, m[k].data); };
        return _mm512_kunpackd(_mm512_kunpackw(two(6), two(4)), _mm512_kunpackw(two(2), two(0)));
    }
}
#elif HS_SIMD_LEVEL == 0
// Every second byte of a, then of b.
HS_INLINE Raw even_bytes(Raw a, Raw b) {
    typedef uint8_t Bytes __attribute__((vector_size(sizeof(Raw))));
    Bytes from{};
    for (unsigned i = 0; i < Raw::size; ++i) from[i] = static_cast<uint8_t>(2 * i);
    return Raw((decltype(Raw::data))__builtin_shuffle((Bytes)a.data, (Bytes)b.data, from));
}
#endif

// Packs the masks of sizeof(T) registers, in order.
template <class T>
HS_INLINE Raw pack_masks(const Mask<T>* m) {
#if HS_SIMD_LEVEL == 4
    return Raw(_mm512_maskz_set1_epi8(join_masks<T>(m), 1));
#elif HS_SIMD_LEVEL == 3
    // Packing works within halves: related lanes end up in both, and are interleaved at the end.
    __m256i x[sizeof(T)];
#pragma GCC unroll 8
    for (unsigned i = 0; i < sizeof(T); ++i) x[i] = (__m256i)m[i].data;
    if constexpr (sizeof(T) == 8) {
#pragma GCC unroll 8
        for (int i = 0; i < 4; ++i) x[i] = _mm256_packs_epi32(x[2 * i], x[2 * i + 1]);
    }
    if constexpr (sizeof(T) >= 4) {
        x[0] = _mm256_packs_epi32(x[0], x[1]);
        x[1] = _mm256_packs_epi32(x[2], x[3]);
    }
    if constexpr (sizeof(T) >= 2) x[0] = _mm256_packs_epi16(x[0], x[1]);
    if constexpr (sizeof(T) == 2) x[0] = _mm256_permute4x64_epi64(x[0], 0xd8);
    if constexpr (sizeof(T) == 4) {
        x[0] = _mm256_permutevar8x32_epi32(x[0], _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    }
    if constexpr (sizeof(T) == 8) {
        const __m128i low = _mm256_castsi256_si128(x[0]);
        const __m128i high = _mm256_extracti128_si256(x[0], 1);
        x[0] = _mm256_set_m128i(_mm_unpackhi_epi16(low, high), _mm_unpacklo_epi16(low, high));
    }
    return Raw(_mm256_and_si256(x[0], _mm256_set1_epi8(1)));
#elif HS_SIMD_LEVEL == 2
    __m128i x[sizeof(T)];
#pragma GCC unroll 8
    for (unsigned i = 0; i < sizeof(T); ++i) x[i] = (__m128i)m[i].data;
    if constexpr (sizeof(T) == 8) {
#pragma GCC unroll 8
        for (int i = 0; i < 4; ++i) x[i] = _mm_packs_epi32(x[2 * i], x[2 * i + 1]);
    }
    if constexpr (sizeof(T) >= 4) {
        x[0] = _mm_packs_epi32(x[0], x[1]);
        x[1] = _mm_packs_epi32(x[2], x[3]);
    }
    if constexpr (sizeof(T) >= 2) x[0] = _mm_packs_epi16(x[0], x[1]);
    return Raw(_mm_and_si128(x[0], _mm_set1_epi8(1)));
#else
    Raw x[sizeof(T)];
#pragma GCC unroll 8
    for (unsigned i = 0; i < sizeof(T); ++i) {
        x[i] = Raw((decltype(Raw::data))m[i].data);
    }
#pragma GCC unroll 4
    for (unsigned n = sizeof(T) / 2; n > 0; n /= 2) {
#pragma GCC unroll 4
        for (unsigned i = 0; i < n; ++i) x[i] = even_bytes(x[2 * i], x[2 * i + 1]);
    }
    return x[0] & Raw(uint8_t(1));
#endif
}

// Widens bytes to integers of another size, as many as a register holds.
template <class I>
HS_INLINE Vec<I> widen_bytes(const char* p) {
#if HS_SIMD_LEVEL == 3
    if constexpr (sizeof(I) == 8) {
        return Vec<I>(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(load_as<int32_t>(p))));
    } else if constexpr (sizeof(I) == 4) {
        return Vec<I>(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(load_as<int64_t>(p))));
    } else {
        return Vec<I>(_mm256_cvtepu8_epi16(load_as<__m128i>(p)));
    }
#elif HS_SIMD_LEVEL == 2
    if constexpr (sizeof(I) == 8) {
        return Vec<I>(_mm_cvtepu8_epi64(_mm_cvtsi32_si128(load_as<int16_t>(p))));
    } else if constexpr (sizeof(I) == 4) {
        return Vec<I>(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(load_as<int32_t>(p))));
    } else {
        return Vec<I>(_mm_cvtepu8_epi16(_mm_cvtsi64_si128(load_as<int64_t>(p))));
    }
#else
    alignas(64) I wide[Vec<I>::size];
    for (unsigned i = 0; i < Vec<I>::size; ++i) {
        wide[i] = static_cast<I>(static_cast<unsigned char>(p[i]));
    }
    return Vec<I>::load_aligned(wide);
#endif
}

// Loads as many bytes as a register has lanes, as its mask.
template <class T>
HS_INLINE Mask<T> tile_mask(const char* p) {
    if constexpr (HS_SIMD_LEVEL == 4 || sizeof(T) == 1) {
        return load_mask<T>(p);
    } else {
        using I = IntOfSize<T>;
        return xsimd::batch_bool_cast<T>(widen_bytes<I>(p) > Vec<I>(I(0)));
    }
}

// Returns mask k of the sizeof(T) masks that a register of bytes holds.
template <class T>
HS_INLINE Mask<T> unpack_mask(Raw bytes, int k) {
#if HS_SIMD_LEVEL == 4
    const uint64_t bits = _mm512_test_epi8_mask(bytes.data, bytes.data);
    using Bits = decltype(Mask<T>().data);
    return Mask<T>(static_cast<Bits>(bits >> (static_cast<unsigned>(k) * Vec<T>::size)));
#else
    alignas(64) char memory[Raw::size];
    bytes.store_aligned(reinterpret_cast<uint8_t*>(memory));
    return tile_mask<T>(memory + static_cast<unsigned>(k) * Vec<T>::size);
#endif
}

}  // namespace hassium::HS_SIMD_NS
