// Stores of every second element, in x86-64-v4. Nothing is written between them, which may be
// another thread's: the stores are masked, and go line by line, because masked stores across two
// lines nearly double what an update in place takes.
#pragma once

#include "simd/registers.hpp"

#if HS_SIMD_LEVEL == 4

namespace hassium::HS_SIMD_NS {

// Where the first element lies `shift` lanes into its line, lane t of line 2 k shows element
// (t - shift) / 2 from the first of register k on, and of line 2 k + 1 half a register more.
template <int Bytes>
class SecondLines {
  public:
    // The first element lies at p.
    HS_INLINE explicit SecondLines(char* p)
        : shift_(static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % kLine) / Bytes),
          line_(p - shift_ * std::int64_t{Bytes}),
          lanes_((0x55555555u << (shift_ & 1)) & kAll) {
        if constexpr (Bytes == 8) {
            const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
            const __m512i from = _mm512_add_epi64(lane, _mm512_set1_epi64(2 * kLanes - shift_));
            even_ = _mm512_srli_epi64(from, 1);
            odd_ = _mm512_srli_epi64(_mm512_sub_epi64(from, _mm512_set1_epi64(kLanes)), 1);
        } else {
            const __m512i lane =
                _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            const __m512i from = _mm512_add_epi32(lane, _mm512_set1_epi32(2 * kLanes - shift_));
            even_ = _mm512_srli_epi32(from, 1);
            odd_ = _mm512_srli_epi32(_mm512_sub_epi32(from, _mm512_set1_epi32(kLanes)), 1);
        }
    }

    // The first register of elements, and each that follows.
    HS_INLINE void begin(__m512i x) { put_lines(x, lanes_ & (kAll << shift_)); }
    HS_INLINE void put(__m512i x) { put_lines(x, lanes_); }

    // What is left for the line after the last one, element by element: who reads the rest of that
    // line next would wait until a masked store to it is in the cache.
    HS_INLINE void finish() {
        char* to = line_ + (shift_ & 1) * Bytes;
        for (int lane = kLanes - shift_ / 2; lane < kLanes; ++lane, to += 2 * Bytes) {
            if constexpr (Bytes == 8) {
                const __m512i x = _mm512_permutexvar_epi64(_mm512_set1_epi64(lane), before_);
                _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm512_castsi512_si128(x));
            } else {
                const __m512i x = _mm512_permutexvar_epi32(_mm512_set1_epi32(lane), before_);
                _mm_storeu_si32(to, _mm512_castsi512_si128(x));
            }
        }
    }

  private:
    static constexpr int kLine = 64, kLanes = kLine / Bytes;
    static constexpr unsigned kAll = (1u << kLanes) - 1;
    int shift_;
    char* line_;
    unsigned lanes_;
    __m512i even_, odd_, before_ = _mm512_setzero_si512();

    HS_INLINE void put_lines(__m512i x, unsigned lanes) {
        if constexpr (Bytes == 8) {
            store(line_, lanes, _mm512_permutex2var_epi64(before_, even_, x));
            store(line_ + kLine, lanes_, _mm512_permutexvar_epi64(odd_, x));
        } else {
            store(line_, lanes, _mm512_permutex2var_epi32(before_, even_, x));
            store(line_ + kLine, lanes_, _mm512_permutexvar_epi32(odd_, x));
        }
        line_ += 2 * kLine;
        before_ = x;
    }
    HS_INLINE static void store(char* p, unsigned lanes, __m512i x) {
        if constexpr (Bytes == 8) {
            _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(lanes), x);
        } else {
            _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(lanes), x);
        }
    }
};

}  // namespace hassium::HS_SIMD_NS

#endif
