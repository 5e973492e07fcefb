// Loads and stores of every second element, cache line by cache line, in x86-64-v4: what lies
// across two lines takes twice as long.
#pragma once

#include "simd/registers.hpp"

#if HS_SIMD_LEVEL == 4

namespace hassium::HS_SIMD_NS {

// Shuffles of registers of elements of 8 or 4 bytes, as indices say.
template <int Bytes>
struct LineLanes;
template <>
struct LineLanes<8> {
    static constexpr int kCount = 8;
    HS_INLINE static __m512i numbers() { return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7); }
    HS_INLINE static __m512i plus(__m512i x, int n) {
        return _mm512_add_epi64(x, _mm512_set1_epi64(n));
    }
    HS_INLINE static __m512i twice(__m512i x) { return _mm512_add_epi64(x, x); }
    HS_INLINE static __m512i half(__m512i x) { return _mm512_srli_epi64(x, 1); }
    // Lanes below kCount are those of x, others those of y.
    HS_INLINE static __m512i pick(__m512i x, __m512i lanes, __m512i y) {
        return _mm512_permutex2var_epi64(x, lanes, y);
    }
    HS_INLINE static __m512i pick(__m512i x, __m512i lanes) {
        return _mm512_permutexvar_epi64(lanes, x);
    }
    HS_INLINE static __m512i either(unsigned where, __m512i x, __m512i y) {
        return _mm512_mask_mov_epi64(y, static_cast<__mmask8>(where), x);
    }
    HS_INLINE static void store(char* p, unsigned where, __m512i x) {
        _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(where), x);
    }
    HS_INLINE static void store_first(char* p, __m512i x) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm512_castsi512_si128(x));
    }
};
template <>
struct LineLanes<4> {
    static constexpr int kCount = 16;
    HS_INLINE static __m512i numbers() {
        return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    HS_INLINE static __m512i plus(__m512i x, int n) {
        return _mm512_add_epi32(x, _mm512_set1_epi32(n));
    }
    HS_INLINE static __m512i twice(__m512i x) { return _mm512_add_epi32(x, x); }
    HS_INLINE static __m512i half(__m512i x) { return _mm512_srli_epi32(x, 1); }
    HS_INLINE static __m512i pick(__m512i x, __m512i lanes, __m512i y) {
        return _mm512_permutex2var_epi32(x, lanes, y);
    }
    HS_INLINE static __m512i pick(__m512i x, __m512i lanes) {
        return _mm512_permutexvar_epi32(lanes, x);
    }
    HS_INLINE static __m512i either(unsigned where, __m512i x, __m512i y) {
        return _mm512_mask_mov_epi32(y, static_cast<__mmask16>(where), x);
    }
    HS_INLINE static void store(char* p, unsigned where, __m512i x) {
        _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(where), x);
    }
    HS_INLINE static void store_first(char* p, __m512i x) {
        _mm_storeu_si32(p, _mm512_castsi512_si128(x));
    }
};

inline constexpr int kLine = 64;

// How many elements into its line one lies.
template <int Bytes>
HS_INLINE int line_shift(const char* p) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % kLine) / Bytes;
}

// Stores registers of elements. Nothing is written between them, which may be another thread's: the
// stores are masked.
//
// Where the first element lies `shift` lanes into its line, lane t of line 2 k shows element
// (t - shift) / 2 from the first of register k on, and of line 2 k + 1 half a register more.
template <int Bytes>
class SecondLines {
  public:
    // The first element lies at p.
    HS_INLINE explicit SecondLines(char* p)
        : shift_(line_shift<Bytes>(p)),
          line_(p - shift_ * std::int64_t{Bytes}),
          lanes_((0x55555555u << (shift_ & 1)) & kAll) {
        even_ = Lanes::half(Lanes::plus(Lanes::numbers(), 2 * kLanes - shift_));
        odd_ = Lanes::half(Lanes::plus(Lanes::numbers(), kLanes - shift_));
    }

    // The first register of elements, and each that follows.
    HS_INLINE void begin(__m512i x) { put_lines(x, lanes_ & (kAll << shift_)); }
    HS_INLINE void put(__m512i x) { put_lines(x, lanes_); }

    // What is left for the line after the last one, element by element: who reads the rest of that
    // line next would wait until a masked store to it is in the cache.
    HS_INLINE void finish() {
        char* to = line_ + (shift_ & 1) * Bytes;
        for (int lane = kLanes - shift_ / 2; lane < kLanes; ++lane, to += 2 * Bytes) {
            const __m512i all = Lanes::plus(_mm512_setzero_si512(), lane);
            Lanes::store_first(to, Lanes::pick(before_, all));
        }
    }

  private:
    using Lanes = LineLanes<Bytes>;
    static constexpr int kLanes = Lanes::kCount;
    static constexpr unsigned kAll = (1u << kLanes) - 1;
    int shift_;
    char* line_;
    unsigned lanes_;
    __m512i even_, odd_, before_ = _mm512_setzero_si512();

    HS_INLINE void put_lines(__m512i x, unsigned lanes) {
        Lanes::store(line_, lanes, Lanes::pick(before_, even_, x));
        Lanes::store(line_ + kLine, lanes_, Lanes::pick(x, odd_));
        line_ += 2 * kLine;
        before_ = x;
    }
};

// Loads registers of elements that do not begin with a line. The elements of lines 2 k and 2 k + 1,
// packed, are the last of register k - 1 and the first of register k.
template <int Bytes>
class LineSeconds {
  public:
    // The first element lies at p.
    HS_INLINE explicit LineSeconds(const char* p) {
        const int shift = line_shift<Bytes>(p);
        line_ = p - shift * std::int64_t{Bytes};
        const __m512i twice = Lanes::twice(Lanes::numbers());
        pack_ = Lanes::plus(twice, shift & 1);
        move_ = Lanes::plus(Lanes::numbers(), shift / 2);
        const unsigned within = (1u << (Lanes::kCount - shift / 2)) - 1;
        end_ = Lanes::either(within, move_, Lanes::plus(twice, 1));
    }

    HS_INLINE __m512i packed(int k) const {
        const char* const from = line_ + 2 * kLine * std::int64_t{k};
        return Lanes::pick(_mm512_load_si512(from), pack_, _mm512_load_si512(from + kLine));
    }
    // Register k, of what is packed at k and at k + 1.
    HS_INLINE __m512i moved(__m512i x, __m512i next) const { return Lanes::pick(x, move_, next); }
    // The last register: of what is packed at k, and as many bytes as a line up to the last
    // element.
    HS_INLINE __m512i last(__m512i x, const char* end) const {
        return Lanes::pick(x, end_, _mm512_loadu_si512(end - kLine));
    }

  private:
    using Lanes = LineLanes<Bytes>;
    const char* line_;
    __m512i pack_, move_, end_;
};

}  // namespace hassium::HS_SIMD_NS

#endif
