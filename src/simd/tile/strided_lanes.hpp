// Registers of every second element, and of elements in backward order. Elements in between, which
// may be another thread's, are not written, and nothing beyond the last is touched.
#pragma once

#include "simd/move/strided_lines.hpp"
#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

// ---- every second element, loaded ----

#if HS_SIMD_LEVEL >= 3 && defined(__SANITIZE_THREAD__)
// Element by element: the sanitizer cannot know that the elements in between, perhaps another
// thread's, are discarded.
template <int Bytes>
HS_INLINE Raw take_second(const char* p, bool) {
    uint8_t v[kRawBytes];
    for (int k = 0; k < kRawBytes; k += Bytes) copy_bytes(v + k, p + 2 * k, Bytes);
    return Raw::load_unaligned(v);
}
#elif HS_SIMD_LEVEL == 4
// The element after the last is outside the view: the last register is read one element earlier. (A
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
// The last lane of the last register is outside the view, and is not read.
template <int Bytes>
HS_INLINE Raw take_second(const char* p, bool last) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const auto* const q = reinterpret_cast<const __m256i*>(p + kRawBytes);
    // Shuffles work within halves, which leaves the middle quarters exchanged.
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
// Loads N registers of second elements. If the first does not begin a line, everything between the
// first register and the last element is loaded line by line, packed, and moved into place.
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

// ---- every third or fourth element ----

#if HS_SIMD_LEVEL == 4 && !defined(__SANITIZE_THREAD__)

// Lanes of `kStep` registers that hold one register of elements, `kStep` lanes apart, numbered
// register by register.
template <int Bytes, int kStep>
struct SteppedLanes {
    static constexpr int kLanes = kRawBytes / Bytes;
    using Lane = std::conditional_t<Bytes == 8, std::int64_t, std::int32_t>;
    using Mask = std::conditional_t<Bytes == 8, __mmask8, __mmask16>;
    struct alignas(kRawBytes) Lanes {
        Lane lane[kLanes];
    };
    // The lane of each element in the register that holds it.
    static constexpr Lanes kFrom = [] {
        Lanes from{};
        for (int e = 0; e < kLanes; ++e) from.lane[e] = e * kStep % kLanes;
        return from;
    }();
    // Returns the mask of the elements that register j holds.
    static constexpr Mask taken(int j) {
        unsigned mask = 0;
        for (int e = 0; e < kLanes; ++e) mask |= unsigned(e * kStep / kLanes == j) << e;
        return static_cast<Mask>(mask);
    }
    // For register j: the element for each lane, and the mask of the lanes that receive one.
    static constexpr Lanes element(int j) {
        Lanes of{};
        for (int l = 0; l < kLanes; ++l) of.lane[l] = (kLanes * j + l) / kStep;
        return of;
    }
    static constexpr Mask put(int j) {
        unsigned mask = 0;
        for (int l = 0; l < kLanes; ++l) mask |= unsigned((kLanes * j + l) % kStep == 0) << l;
        return static_cast<Mask>(mask);
    }
    HS_INLINE static __m512i lanes(const Lanes& of) { return _mm512_load_si512(&of); }
    HS_INLINE static __m512i permute(__m512i before, Mask mask, __m512i from, __m512i x) {
        if constexpr (Bytes == 8) return _mm512_mask_permutexvar_epi64(before, mask, from, x);
        return _mm512_mask_permutexvar_epi32(before, mask, from, x);
    }
    HS_INLINE static __m512i behind(__m512i from) {
        if constexpr (Bytes == 8) return _mm512_add_epi64(from, _mm512_set1_epi64(kStep - 1));
        return _mm512_add_epi32(from, _mm512_set1_epi32(kStep - 1));
    }
};

// The last register is read earlier, by as many elements as it has behind the view's last one.
template <int Bytes, int kStep>
HS_INLINE Raw take_stepped(const char* p, bool last) {
    using Stepped = SteppedLanes<Bytes, kStep>;
    const __m512i from = Stepped::lanes(Stepped::kFrom);
    __m512i x = _mm512_setzero_si512();
#pragma GCC unroll 4
    for (int j = 0; j < kStep; ++j) {
        const bool early = last && j == kStep - 1;
        const char* at = p + j * std::int64_t{kRawBytes} - (early ? (kStep - 1) * Bytes : 0);
        x = Stepped::permute(x, Stepped::taken(j), early ? Stepped::behind(from) : from,
                             _mm512_loadu_si512(at));
    }
    return Raw(x);
}
template <int Bytes, int kStep>
HS_INLINE void put_stepped(char* p, Raw x) {
    using Stepped = SteppedLanes<Bytes, kStep>;
    [&]<int... J>(std::integer_sequence<int, J...>) {
        (
            [&] {
                static constexpr auto kElement = Stepped::element(J);
                const __m512i y = Stepped::permute(x.data, static_cast<typename Stepped::Mask>(-1),
                                                   Stepped::lanes(kElement), x.data);
                char* to = p + J * std::int64_t{kRawBytes};
                if constexpr (Bytes == 8) {
                    _mm512_mask_storeu_epi64(to, Stepped::put(J), y);
                } else {
                    _mm512_mask_storeu_epi32(to, Stepped::put(J), y);
                }
            }(),
            ...);
    }(std::make_integer_sequence<int, kStep>{});
}

template <int Bytes, int N, int kStep>
HS_INLINE void take_stepped(Raw* v, const char* p) {
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) {
        v[k] = take_stepped<Bytes, kStep>(p + k * kStep * std::int64_t{kRawBytes}, k == N - 1);
    }
}
template <int Bytes, int N, int kStep>
HS_INLINE void put_stepped(char* p, const Raw* v) {
#pragma GCC unroll 8
    for (int k = 0; k < N; ++k) {
        put_stepped<Bytes, kStep>(p + k * kStep * std::int64_t{kRawBytes}, v[k]);
    }
}

#endif

// Loads N registers of elements `stride` bytes apart by whole registers; returns false for other
// strides.
template <int Bytes, int N>
HS_INLINE bool take_by_registers([[maybe_unused]] Raw* v, [[maybe_unused]] const char* p,
                                 [[maybe_unused]] std::int64_t stride) {
#if HS_SIMD_LEVEL == 4 && !defined(__SANITIZE_THREAD__)
    if (stride == 3 * Bytes) return take_stepped<Bytes, N, 3>(v, p), true;
    if (stride == 4 * Bytes) return take_stepped<Bytes, N, 4>(v, p), true;
#endif
    return false;
}
template <int Bytes, int N>
HS_INLINE bool put_by_registers([[maybe_unused]] char* p, [[maybe_unused]] const Raw* v,
                                [[maybe_unused]] std::int64_t stride) {
#if HS_SIMD_LEVEL == 4 && !defined(__SANITIZE_THREAD__)
    if (stride == 3 * Bytes) return put_stepped<Bytes, N, 3>(p, v), true;
    if (stride == 4 * Bytes) return put_stepped<Bytes, N, 4>(p, v), true;
#endif
    return false;
}

// ---- the rest, level by level ----

#if HS_SIMD_LEVEL == 4

// Returns the lanes of x but the first, followed by the first of the next register.
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

// Returns the lanes of x but the first, followed by the first of the next register.
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

// One by one: on some processors a masked store takes twenty micro-operations.
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
