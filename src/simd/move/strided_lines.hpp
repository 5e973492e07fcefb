// Loads and stores of every second element, cache line by cache line, for x86-64-v4: an access
// across two lines takes twice as long.
#pragma once

#include <array>

#include "simd/lane/registers.hpp"

#if HS_SIMD_LEVEL == 4

namespace hassium::HS_SIMD_NS {

// Registers of 8- or 4-byte elements, and shuffles of them by indices of that size.
template <int Bytes>
struct LineLanes {
    using Index = std::conditional_t<Bytes == 8, std::int64_t, std::int32_t>;
    using Lanes = Vec<Index>;
    static constexpr int kCount = static_cast<int>(Lanes::size);
    HS_INLINE static Lanes numbers() {
        if constexpr (Bytes == 8) {
            return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        } else {
            return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        }
    }
    // Returns (first + lane) / 2, rounded down; first is at most 2 kCount.
    HS_INLINE static Lanes halves(int first) {
        static constexpr auto kHalves = [] {
            std::array<Index, 3 * kCount> halves{};
            for (Index i = 0; auto& half : halves) half = i++ / 2;
            return halves;
        }();
        return Lanes::load_unaligned(kHalves.data() + first);
    }
    // Shuffles: lanes below kCount select from x, others from y.
    HS_INLINE static Lanes pick(Lanes x, Lanes lanes, Lanes y) {
        if constexpr (Bytes == 8) {
            return _mm512_permutex2var_epi64(x, lanes, y);
        } else {
            return _mm512_permutex2var_epi32(x, lanes, y);
        }
    }
    HS_INLINE static Lanes pick(Lanes x, Lanes lanes) {
        if constexpr (Bytes == 8) {
            return _mm512_permutexvar_epi64(lanes, x);
        } else {
            return _mm512_permutexvar_epi32(lanes, x);
        }
    }
    HS_INLINE static void store(char* p, unsigned where, Lanes x) {
        if constexpr (Bytes == 8) {
            _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(where), x);
        } else {
            _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(where), x);
        }
    }
};

// Returns the elements of x, of `Bytes` bytes each, in reverse order.
template <int Bytes>
HS_INLINE __m512i reversed_lanes(__m512i x) {
    if constexpr (Bytes == 16) {
        return _mm512_shuffle_i64x2(x, x, 0x1b);
    } else if constexpr (Bytes == 8) {
        return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), x);
    } else {
        static_assert(Bytes == 4);
        return _mm512_permutexvar_epi32(
            _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), x);
    }
}

inline constexpr int kLine = 64;

// Returns the offset of p in its cache line, in elements.
template <int Bytes>
HS_INLINE int line_shift(const char* p) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % kLine) / Bytes;
}

// Stores registers to every second element. The stores are masked: elements in between, which may
// be another thread's, are not written.
//
// If the first element is `shift` lanes into its line, lane t of line 2k holds element
// (t - shift) / 2 from the first of register k, and that of line 2k + 1 half a register more.
template <int Bytes>
class SecondLines {
    using Line = LineLanes<Bytes>;
    using Lanes = typename Line::Lanes;

  public:
    // p is the address of the first element.
    HS_INLINE explicit SecondLines(char* p)
        : shift_(line_shift<Bytes>(p)),
          line_(p - shift_ * std::int64_t{Bytes}),
          lanes_((0x55555555u << (shift_ & 1)) & kAll),
          even_(Line::halves(2 * kLanes - shift_)),
          odd_(Line::halves(kLanes - shift_)) {}

    // `begin` stores the first register of elements, `put` each that follows.
    HS_INLINE void begin(Lanes x) { put_lines(x, lanes_ & (kAll << shift_)); }
    HS_INLINE void put(Lanes x) { put_lines(x, lanes_); }

    // Stores what is left for the line after the last one, element by element: a read of the rest
    // of that line would wait until a masked store to it is in the cache.
    HS_INLINE void finish() {
        char* to = line_ + (shift_ & 1) * Bytes;
        for (int lane = kLanes - shift_ / 2; lane < kLanes; ++lane, to += 2 * Bytes) {
            store_as<typename Line::Index>(to, Line::pick(before_, Lanes(lane)).first());
        }
    }

  private:
    static constexpr int kLanes = Line::kCount;
    static constexpr unsigned kAll = (1u << kLanes) - 1;
    int shift_;
    char* line_;
    unsigned lanes_;
    Lanes even_, odd_, before_ = Lanes(0);

    HS_INLINE void put_lines(Lanes x, unsigned lanes) {
        Line::store(line_, lanes, Line::pick(before_, even_, x));
        Line::store(line_ + kLine, lanes_, Line::pick(x, odd_));
        line_ += 2 * kLine;
        before_ = x;
    }
};

// Loads registers of elements that do not begin at a line. The packed elements of lines 2k and
// 2k + 1 are the last of register k - 1 and the first of register k; if the first element is the
// second of its line, they are register k.
template <int Bytes>
class LineSeconds {
    using Line = LineLanes<Bytes>;
    using Lanes = typename Line::Lanes;

  public:
    // p is the address of the first element.
    HS_INLINE explicit LineSeconds(const char* p) {
        const int shift = line_shift<Bytes>(p);
        line_ = p - shift * std::int64_t{Bytes};
        const Lanes lanes = Line::numbers();
        pack_ = lanes + lanes + Lanes(shift & 1);
        move_ = lanes + Lanes(shift / 2);
        end_ = xsimd::select(move_ < Lanes(Line::kCount), move_, lanes + lanes + Lanes(1));
    }

    // Elements that are not aligned lie beside the lines by as much.
    HS_INLINE Lanes packed(int k) const {
        const char* const from = line_ + 2 * kLine * std::int64_t{k};
        return Line::pick(_mm512_loadu_si512(from), pack_, _mm512_loadu_si512(from + kLine));
    }
    // Returns register k, from the packed elements k and k + 1.
    HS_INLINE Lanes moved(Lanes x, Lanes next) const { return Line::pick(x, move_, next); }
    // Returns the last register, from the packed elements k and the line's worth of bytes that ends
    // with the last element.
    HS_INLINE Lanes last(Lanes x, const char* end) const {
        return Line::pick(x, end_, _mm512_loadu_si512(end - kLine));
    }

  private:
    const char* line_;
    Lanes pack_, move_, end_;
};

}  // namespace hassium::HS_SIMD_NS

#endif
