// Registers of every second element, and of elements in backward order. Nothing is written between
// the elements, which may be another thread's, and nothing is touched beyond the last.
#pragma once

#include "simd/move/strided_lines.hpp"
#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

// ---- every second element, loaded ----

#if HS_SIMD_LEVEL >= 3 && defined(__SANITIZE_THREAD__)
// Element by element: the sanitizer cannot know that what lies between, another thread's perhaps,
// is thrown away.
template <int Bytes>
HS_INLINE Raw take_second(const char* p, bool) {
    uint8_t v[kRawBytes];
    for (int k = 0; k < kRawBytes; k += Bytes) copy_bytes(v + k, p + 2 * k, Bytes);
    return Raw::load_unaligned(v);
}
#elif HS_SIMD_LEVEL == 4
// The element after the last is not the view's: the last register is read one element earlier. (A
// masked load was seen to wait for stores before it.)
template <int Bytes>
HS_INLINE Raw take_second(const char* p, bool last) {
    const __m512i low = _mm512_loadu_si512(p);
    const __m512i high = _mm512_loadu_si512(p + kRawBytes - (last ? Bytes : 0));
    if constexpr (Bytes == 8) {
        const __m512i even = last ? _mm512_setr_epi64(0, 2, 4, 6, 9, 11, 13, 15)
                                  : _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        return Raw(_mm512_permutex2var_epi64(low, even, high));
    } else {
        const __m512i even =
            last ? _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31)
                 : _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        return Raw(_mm512_permutex2var_epi32(low, even, high));
    }
}
#elif HS_SIMD_LEVEL == 3
// Only one lane in two of the last register but one is the view's.
template <int Bytes>
HS_INLINE Raw take_second(const char* p, bool last) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const auto* const q = reinterpret_cast<const __m256i*>(p + kRawBytes);
    // Shuffles work within halves: the middle quarters have changed places.
    if constexpr (Bytes == 8) {
        const __m256i all = _mm256_setr_epi64x(-1, -1, -1, 0);
        const __m256i high = last
                                 ? _mm256_maskload_epi64(reinterpret_cast<const long long*>(q), all)
                                 : _mm256_loadu_si256(q);
        return Raw(_mm256_permute4x64_epi64(_mm256_unpacklo_epi64(low, high), 0xd8));
    } else {
        const __m256i all = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, -1, 0);
        const __m256i high = last ? _mm256_maskload_epi32(reinterpret_cast<const int*>(q), all)
                                  : _mm256_loadu_si256(q);
        const __m256 both =
            _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88);
        return Raw(_mm256_permute4x64_epi64(_mm256_castps_si256(both), 0xd8));
    }
}
#endif

#if HS_SIMD_LEVEL == 4 && !defined(__SANITIZE_THREAD__)
// N registers of second elements: where the first does not begin a line, all between the first
// register and the last element is loaded line by line, packed, and moved to its place if it is not
// there.
template <int Bytes, int N>
HS_INLINE void take_seconds(const char* p, Raw* v) {
    const int shift = line_shift<Bytes>(p);
    if (shift == 0) {
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) {
            v[k] = take_second<Bytes>(p + 2 * k * std::int64_t{kRawBytes}, k == N - 1);
        }
        return;
    }
    const LineSeconds<Bytes> lines(p);
    v[0] = take_second<Bytes>(p, false);
    if (shift == 1) {
#pragma GCC unroll 8
        for (int k = 1; k < N; ++k) v[k] = Raw(lines.packed(k).data);
        return;
    }
    auto x = lines.packed(1);
#pragma GCC unroll 8
    for (int k = 1; k < N - 1; ++k) {
        const auto next = lines.packed(k + 1);
        v[k] = Raw(lines.moved(x, next).data);
        x = next;
    }
    v[N - 1] = Raw(lines.last(x, p + 2 * N * std::int64_t{kRawBytes} - Bytes).data);
}
#elif HS_SIMD_LEVEL >= 3
template <int Bytes, int N>
HS_INLINE void take_seconds(const char* p, Raw* v) {
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) {
        v[k] = take_second<Bytes>(p + 2 * k * std::int64_t{kRawBytes}, k == N - 1);
    }
}
#endif

// ---- the rest, level by level ----

#if HS_SIMD_LEVEL == 4

// The lanes of x but the first, and the first of the next register.
template <int Bytes>
HS_INLINE Raw next_lanes(Raw x, Raw next) {
    if constexpr (Bytes == 8) return Raw(_mm512_alignr_epi64(next.data, x.data, 1));
    return Raw(_mm512_alignr_epi32(next.data, x.data, 1));
}
template <int Bytes>
HS_INLINE Raw first_lane(const char* p) {
    const __m128i one =
        Bytes == 8 ? _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)) : _mm_loadu_si32(p);
    return Raw(_mm512_zextsi128_si512(one));
}

template <int Bytes, int N>
HS_INLINE void put_seconds(char* p, const Raw* v) {
    SecondLines<Bytes> lines(p);
    lines.begin(v[0].data);
#pragma GCC unroll 8
    for (int k = 1; k < N; ++k) lines.put(v[k].data);
    lines.finish();
}

template <int Bytes>
HS_INLINE Raw backward(Raw x) {
    return Raw(reversed_lanes<Bytes>(x.data));
}

HS_INLINE Raw from_parts(const __m128i* x) {
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(x[0]), x[1], 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(x[2]), x[3], 1);
    return Raw(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
}
template <int K>
HS_INLINE __m128i part_of(Raw x) {
    return _mm512_extracti32x4_epi32(x.data, K);
}

#elif HS_SIMD_LEVEL == 3

HS_INLINE Raw from_parts(const __m128i* x) {
    return Raw(_mm256_inserti128_si256(_mm256_castsi128_si256(x[0]), x[1], 1));
}
template <int K>
HS_INLINE __m128i part_of(Raw x) {
    return _mm256_extracti128_si256(x.data, K);
}

// The lanes of x but the first, and the first of the next register.
template <int Bytes>
HS_INLINE Raw next_lanes(Raw x, Raw next) {
    const __m256i across = _mm256_permute2x128_si256(x.data, next.data, 0x21);
    return Raw(_mm256_alignr_epi8(across, x.data, Bytes));
}
template <int Bytes>
HS_INLINE Raw first_lane(const char* p) {
    const __m128i one =
        Bytes == 8 ? _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)) : _mm_loadu_si32(p);
    return Raw(_mm256_zextsi128_si256(one));
}

// One by one: a masked store takes some processors twenty steps.
template <int Bytes>
HS_INLINE void put_second(char* p, Raw x) {
    const __m128i half[2] = {_mm256_castsi256_si128(x.data), _mm256_extracti128_si256(x.data, 1)};
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
        char* const to = p + h * kRawBytes;
        if constexpr (Bytes == 8) {
            store_as<std::int64_t>(to, _mm_cvtsi128_si64(half[h]));
            _mm_storeh_pd(reinterpret_cast<double*>(to + 16), _mm_castsi128_pd(half[h]));
        } else {
            store_as<std::int32_t>(to, _mm_cvtsi128_si32(half[h]));
            store_as<std::int32_t>(to + 8, _mm_extract_epi32(half[h], 1));
            store_as<std::int32_t>(to + 16, _mm_extract_epi32(half[h], 2));
            store_as<std::int32_t>(to + 24, _mm_extract_epi32(half[h], 3));
        }
    }
}

template <int Bytes, int N>
HS_INLINE void put_seconds(char* p, const Raw* v) {
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) put_second<Bytes>(p + 2 * k * std::int64_t{kRawBytes}, v[k]);
}

template <int Bytes>
HS_INLINE Raw backward(Raw x) {
    if constexpr (Bytes == 8) {
        return Raw(_mm256_permute4x64_epi64(x.data, 0x1b));
    } else {
        const __m256i order = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
        return Raw(_mm256_permutevar8x32_epi32(x.data, order));
    }
}

#endif

}  // namespace hassium::HS_SIMD_NS
