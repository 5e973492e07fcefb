// Interleaves lanes past the caches: lane l of k gives elements l, l + k, l + 2k, ..
#pragma once

#include "simd/lane/registers.hpp"

namespace hassium::HS_SIMD_NS {

inline constexpr int kStreamed = 64;  // bytes of a line

// The dense arrays that are interleaved, `pitch` bytes apart. kStreamed bytes behind the last may
// be read.
struct DenseLanes {
    const char* first;
    std::int64_t pitch;
    int count;
};

// Writes elements `from` to `to` of the interleaved ones, the first of them at `out`.
template <int Bytes>
HS_INLINE void interleave_some(char* out, DenseLanes lanes, std::int64_t from, std::int64_t to) {
    const char* in = lanes.first + from / lanes.count * Bytes;
    int lane = static_cast<int>(from % lanes.count);
    for (std::int64_t e = from; e < to; ++e, out += Bytes) {
        copy_bytes(out, in + lane * lanes.pitch, Bytes);
        if (++lane == lanes.count) {
            lane = 0;
            in += Bytes;
        }
    }
}

#if HS_SIMD_LEVEL == 4
// For the lines of k lanes that begin with lane `phase`: the element of each place, counted from
// the first place's, and the places of each lane.
template <int Bytes>
struct LinePatterns {
    static constexpr int kPlaces = kStreamed / Bytes;
    static constexpr int kMost = 8;
    using Index = std::conditional_t<Bytes == 8, std::int64_t, std::int32_t>;
    struct alignas(kStreamed) Places {
        Index element[kPlaces];
    };
    Places elements[kMost + 1][kMost];
    std::uint16_t places[kMost + 1][kMost][kMost];

    constexpr LinePatterns() : elements{}, places{} {
        for (int k = 1; k <= kMost; ++k) {
            for (int phase = 0; phase < k; ++phase) {
                for (int p = 0; p < kPlaces; ++p) {
                    elements[k][phase].element[p] = (phase + p) / k;
                    auto& mask = places[k][phase][(phase + p) % k];
                    mask = static_cast<std::uint16_t>(mask | 1 << p);
                }
            }
        }
    }
};

template <int Bytes>
HS_INLINE __m512i taken(__m512i line, std::uint16_t places, __m512i elements, const char* from) {
    const __m512i x = _mm512_loadu_si512(from);
    if constexpr (Bytes == 8) {
        return _mm512_mask_permutexvar_epi64(line, static_cast<__mmask8>(places), elements, x);
    } else {
        return _mm512_mask_permutexvar_epi32(line, places, elements, x);
    }
}

// Writes `lines` whole lines at `out`, from element `from` of the interleaved ones on. Lines that
// begin with a register of each lane come from one register of each, which is loaded as it was
// stored: loads across two recent stores would wait for both.
template <int Bytes>
HS_INLINE void interleave_lines(char* out, DenseLanes lanes, std::int64_t from,
                                std::int64_t lines) {
    static constexpr LinePatterns<Bytes> kPatterns;
    constexpr int kPlaces = kStreamed / Bytes;
    const bool whole = from % (std::int64_t{kPlaces} * lanes.count) == 0;
    for (std::int64_t k = 0; k < lines; ++k, out += kStreamed, from += kPlaces) {
        const std::int64_t element = from / lanes.count;  // the first in the line
        const auto phase = static_cast<int>(from % lanes.count);
        const auto inside = static_cast<int>(whole ? element % kPlaces : 0);
        const char* const in = lanes.first + (element - inside) * Bytes;
        const __m512i begin = Bytes == 8 ? _mm512_set1_epi64(inside) : _mm512_set1_epi32(inside);
        const __m512i places = _mm512_load_si512(&kPatterns.elements[lanes.count][phase]);
        const __m512i elements =
            Bytes == 8 ? _mm512_add_epi64(places, begin) : _mm512_add_epi32(places, begin);
        const std::uint16_t* const masks = kPatterns.places[lanes.count][phase];
        __m512i line = _mm512_setzero_si512();
        for (int lane = 0; lane < lanes.count; ++lane) {
            line = taken<Bytes>(line, masks[lane], elements, in + lane * lanes.pitch);
        }
        _mm512_stream_si512(reinterpret_cast<__m512i*>(out), line);
    }
}

// As interleave_lines for K lanes, from one register of each to K lines at a time.
template <int Bytes, int K>
HS_INLINE void interleave_registers(char* out, DenseLanes lanes, std::int64_t registers) {
    constexpr int kPlaces = kStreamed / Bytes;
    using Index = LinePatterns<Bytes>::Index;
    struct Lines {
        alignas(kStreamed) Index element[K][kPlaces];  // that of the second lane: + kPlaces
        std::uint16_t places[K][K];
    };
    static constexpr Lines kLines = [] {
        Lines made{};
        for (int at = 0; at < K * kPlaces; ++at) {
            const int j = at / kPlaces, place = at % kPlaces, lane = at % K;
            made.element[j][place] = at / K + (lane == 1 ? kPlaces : 0);
            made.places[j][lane] = static_cast<std::uint16_t>(made.places[j][lane] | 1 << place);
        }
        return made;
    }();
    for (std::int64_t k = 0; k < registers; ++k, out += K * kStreamed) {
        const char* const in = lanes.first + k * kStreamed;
        const __m512i first = _mm512_loadu_si512(in), second = _mm512_loadu_si512(in + lanes.pitch);
#pragma GCC unroll 4
        for (int j = 0; j < K; ++j) {
            const __m512i elements = _mm512_load_si512(kLines.element[j]);
            __m512i line = Bytes == 8 ? _mm512_permutex2var_epi64(first, elements, second)
                                      : _mm512_permutex2var_epi32(first, elements, second);
#pragma GCC unroll 4
            for (int lane = 2; lane < K; ++lane) {
                line =
                    taken<Bytes>(line, kLines.places[j][lane], elements, in + lane * lanes.pitch);
            }
            _mm512_stream_si512(reinterpret_cast<__m512i*>(out + j * kStreamed), line);
        }
    }
}

template <int Bytes>
HS_INLINE void interleave_by_registers(char* out, DenseLanes lanes, std::int64_t registers) {
    switch (lanes.count) {
        case 2:
            return interleave_registers<Bytes, 2>(out, lanes, registers);
        case 3:
            return interleave_registers<Bytes, 3>(out, lanes, registers);
        case 4:
            return interleave_registers<Bytes, 4>(out, lanes, registers);
        default:
            return interleave_lines<Bytes>(out, lanes, 0, registers * lanes.count);
    }
}
#endif

// Writes whole lines of any dtype, one after another.
template <int Bytes>
HS_INLINE void interleave_any_lines(char* out, DenseLanes lanes, std::int64_t from,
                                    std::int64_t lines) {
    constexpr int kStep = Vec<uint8_t>::size;
    constexpr int kPlaces = kStreamed / Bytes;
    alignas(kStreamed) char line[kStreamed] = {};
    for (std::int64_t k = 0; k < lines; ++k, out += kStreamed, from += kPlaces) {
        interleave_some<Bytes>(line, lanes, from, from + kPlaces);
        for (int at = 0; at < kStreamed; at += kStep) {
            stream_register(out + at,
                            Vec<uint8_t>::load_aligned(reinterpret_cast<uint8_t*>(line + at)));
        }
    }
}

template <int Bytes>
void interleave_kernel(char* out, const char* first, std::int64_t pitch, int count,
                       std::int64_t n) {
    const DenseLanes lanes{first, pitch, count};
    const std::int64_t all = n * count;
    const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % kStreamed);
    std::int64_t head = (kStreamed - past) % kStreamed / Bytes;
    if (past % Bytes != 0 || head > all) head = all;
    interleave_some<Bytes>(out, lanes, 0, head);
    const std::int64_t lines = (all - head) * Bytes / kStreamed;
    out += head * Bytes;
#if HS_SIMD_LEVEL == 4
    if constexpr (Bytes == 4 || Bytes == 8) {
        const std::int64_t whole = head == 0 ? lines / count : 0;
        interleave_by_registers<Bytes>(out, lanes, whole);
        const std::int64_t from = head + whole * count * (kStreamed / Bytes);
        interleave_lines<Bytes>(out + whole * count * kStreamed, lanes, from,
                                lines - whole * count);
    } else {
        interleave_any_lines<Bytes>(out, lanes, head, lines);
    }
#else
    interleave_any_lines<Bytes>(out, lanes, head, lines);
#endif
    const std::int64_t done = head + lines * (kStreamed / Bytes);
    interleave_some<Bytes>(out + lines * kStreamed, lanes, done, all);
}

}  // namespace hassium::HS_SIMD_NS
