// Transposes by squares of one cache line's length: a square reads whole lines, is transposed in
// registers, and writes whole lines. Row by row each element would come from a line of its own,
// which has to be fetched again for the next row.
#include "simd/lane/registers.hpp"
#include "simd/tables/transposes.hpp"

namespace hassium::HS_SIMD_NS {

constexpr std::int64_t kAhead = 2;  // in squares
constexpr std::int64_t kLine = 64;

struct TransposeItem16 {
    uint64_t low, high;
};

// ---- squares ----

template <class T, int kSquare>
struct Square {
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        T square[kSquare][kSquare];
        for (int c = 0; c < kSquare; ++c)
            copy_bytes(square[c], in + c * in_column, sizeof square[c]);
        for (int r = 0; r < kSquare; ++r) {
            T line[kSquare];
            for (int c = 0; c < kSquare; ++c) line[c] = square[c][r];
            copy_bytes(out + r * out_row, line, sizeof line);
        }
    }
};

// Assembles a square from smaller ones.
template <class T, int kPart, int kSquare>
struct SquareOf {
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        constexpr int kSize = sizeof(T);
        for (int r = 0; r < kSquare; r += kPart) {
            for (int c = 0; c < kSquare; c += kPart) {
                Square<T, kPart>::turn(out + r * out_row + c * kSize, out_row,
                                       in + c * in_column + r * kSize, in_column);
            }
        }
    }
};

#if HS_SIMD_LEVEL >= 2

// Interleaves the elements of the lower, or upper, halves of a and b.
template <class T, bool kUpper>
HS_INLINE __m128i in_turn(__m128i a, __m128i b) {
    if constexpr (sizeof(T) == 1) return kUpper ? _mm_unpackhi_epi8(a, b) : _mm_unpacklo_epi8(a, b);
    if constexpr (sizeof(T) == 2)
        return kUpper ? _mm_unpackhi_epi16(a, b) : _mm_unpacklo_epi16(a, b);
    if constexpr (sizeof(T) == 4)
        return kUpper ? _mm_unpackhi_epi32(a, b) : _mm_unpacklo_epi32(a, b);
    return kUpper ? _mm_unpackhi_epi64(a, b) : _mm_unpacklo_epi64(a, b);
}

// For rows of one short register. Interleaves the first half of the rows with the second, element
// by element, once for each bit of a row number, which makes rows of columns.
template <class T>
struct DealtSquare {
    static constexpr int kRows = 16 / sizeof(T);
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        __m128i rows[kRows];
        for (int k = 0; k < kRows; ++k) {
            rows[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + k * in_column));
        }
        for (int times = 1; times < kRows; times *= 2) {
            __m128i dealt[kRows];
#pragma GCC unroll 8
            for (int k = 0; k < kRows / 2; ++k) {
                dealt[2 * k] = in_turn<T, false>(rows[k], rows[k + kRows / 2]);
                dealt[2 * k + 1] = in_turn<T, true>(rows[k], rows[k + kRows / 2]);
            }
            for (int k = 0; k < kRows; ++k) rows[k] = dealt[k];
        }
        for (int k = 0; k < kRows; ++k) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + k * out_row), rows[k]);
        }
    }
};

template <>
struct Square<uint8_t, 16> : DealtSquare<uint8_t> {};
template <>
struct Square<uint16_t, 8> : DealtSquare<uint16_t> {};
template <>
struct Square<uint32_t, 4> : DealtSquare<uint32_t> {};
template <>
struct Square<uint32_t, 8> : SquareOf<uint32_t, 4, 8> {};

#endif

#if HS_SIMD_LEVEL == 4

// Moves lane l of q[k] to lane k of result l: two shuffles move every second lane.
template <class Put>
HS_INLINE void transpose_lanes(__m512i q0, __m512i q1, __m512i q2, __m512i q3, Put put) {
    const __m512i a = _mm512_shuffle_i64x2(q0, q1, 0x88), b = _mm512_shuffle_i64x2(q2, q3, 0x88);
    const __m512i c = _mm512_shuffle_i64x2(q0, q1, 0xdd), d = _mm512_shuffle_i64x2(q2, q3, 0xdd);
    put(0, _mm512_shuffle_i64x2(a, b, 0x88));
    put(1, _mm512_shuffle_i64x2(c, d, 0x88));
    put(2, _mm512_shuffle_i64x2(a, b, 0xdd));
    put(3, _mm512_shuffle_i64x2(c, d, 0xdd));
}

template <>
struct Square<uint64_t, 8> {
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        __m512i even[4], odd[4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) {
            const __m512i a = _mm512_loadu_si512(in + 2 * k * in_column);
            const __m512i b = _mm512_loadu_si512(in + (2 * k + 1) * in_column);
            even[k] = _mm512_unpacklo_epi64(a, b);
            odd[k] = _mm512_unpackhi_epi64(a, b);
        }
        transpose_lanes(even[0], even[1], even[2], even[3],
                        [&](int l, __m512i x) { _mm512_storeu_si512(out + 2 * l * out_row, x); });
        transpose_lanes(odd[0], odd[1], odd[2], odd[3], [&](int l, __m512i x) {
            _mm512_storeu_si512(out + (2 * l + 1) * out_row, x);
        });
    }
};

template <>
struct Square<uint32_t, 16> {
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        __m512i q[4][4];  // [four lines][element of four]
#pragma GCC unroll 4
        for (int g = 0; g < 4; ++g) {
            const char* const from = in + 4 * g * in_column;
            const __m512i a = _mm512_loadu_si512(from);
            const __m512i b = _mm512_loadu_si512(from + in_column);
            const __m512i c = _mm512_loadu_si512(from + 2 * in_column);
            const __m512i d = _mm512_loadu_si512(from + 3 * in_column);
            const __m512i ab = _mm512_unpacklo_epi32(a, b), cd = _mm512_unpacklo_epi32(c, d);
            const __m512i ba = _mm512_unpackhi_epi32(a, b), dc = _mm512_unpackhi_epi32(c, d);
            q[g][0] = _mm512_unpacklo_epi64(ab, cd);
            q[g][1] = _mm512_unpackhi_epi64(ab, cd);
            q[g][2] = _mm512_unpacklo_epi64(ba, dc);
            q[g][3] = _mm512_unpackhi_epi64(ba, dc);
        }
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            transpose_lanes(q[0][j], q[1][j], q[2][j], q[3][j], [&](int l, __m512i x) {
                _mm512_storeu_si512(out + (4 * l + j) * out_row, x);
            });
        }
    }
};

template <>
struct Square<TransposeItem16, 4> {
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        auto line = [&](int k) { return _mm512_loadu_si512(in + k * in_column); };
        transpose_lanes(line(0), line(1), line(2), line(3),
                        [&](int l, __m512i x) { _mm512_storeu_si512(out + l * out_row, x); });
    }
};

#elif HS_SIMD_LEVEL == 3

template <>
struct Square<uint64_t, 4> {
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        auto line = [&](int k) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + k * in_column));
        };
        auto put = [&](int k, __m256i x) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + k * out_row), x);
        };
        const __m256i a = _mm256_unpacklo_epi64(line(0), line(1));
        const __m256i b = _mm256_unpackhi_epi64(line(0), line(1));
        const __m256i c = _mm256_unpacklo_epi64(line(2), line(3));
        const __m256i d = _mm256_unpackhi_epi64(line(2), line(3));
        put(0, _mm256_permute2x128_si256(a, c, 0x20));
        put(1, _mm256_permute2x128_si256(b, d, 0x20));
        put(2, _mm256_permute2x128_si256(a, c, 0x31));
        put(3, _mm256_permute2x128_si256(b, d, 0x31));
    }
};

template <>
struct Square<uint64_t, 8> : SquareOf<uint64_t, 4, 8> {};

template <>
struct Square<TransposeItem16, 4> {
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        for (int r = 0; r < 4; r += 2) {
            for (int c = 0; c < 4; c += 2) {
                auto pair = [&](int k) {
                    const char* const at = in + (c + k) * in_column + r * 16;
                    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
                };
                auto put = [&](int k, __m256i x) {
                    char* const at = out + (r + k) * out_row + c * 16;
                    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), x);
                };
                const __m256i a = pair(0), b = pair(1);
                put(0, _mm256_permute2x128_si256(a, b, 0x20));
                put(1, _mm256_permute2x128_si256(a, b, 0x31));
            }
        }
    }
};

#else

#if HS_SIMD_LEVEL == 2

template <>
struct Square<uint64_t, 2> : DealtSquare<uint64_t> {};
template <>
struct Square<uint64_t, 8> : SquareOf<uint64_t, 2, 8> {};

#endif

// A square of single elements would go through memory.
template <int kSquare>
struct Square<TransposeItem16, kSquare> {
    HS_INLINE static void turn(char* out, std::int64_t out_row, const char* in,
                               std::int64_t in_column) {
        for (int r = 0; r < kSquare; ++r) {
            for (int c = 0; c < kSquare; ++c) {
                copy_bytes(out + r * out_row + c * 16, in + c * in_column + r * 16, 16);
            }
        }
    }
};

#endif

// ---- panels ----

template <class T>
void transpose_narrow(const Panel& p) {
    constexpr std::int64_t kSize = sizeof(T);
    for (std::int64_t r = 0; r < p.rows; ++r) {
        for (std::int64_t c = 0; c < p.columns; ++c) {
            store_as(p.out + r * p.out_row + c * kSize,
                     load_as<T>(p.in + c * p.in_column + r * kSize));
        }
    }
}

// Returns the position of the square behind the one at `k` of `n` elements; the last one overlaps
// the one before, and writes some elements twice.
template <int kSquare>
HS_INLINE std::int64_t behind(std::int64_t k, std::int64_t n) {
    return k + kSquare == n || k + 2 * kSquare <= n ? k + kSquare : n - kSquare;
}

template <class T, int kSquare>
void transpose_panel(const Panel& p) {
    constexpr std::int64_t kSize = sizeof(T);
    if (p.rows < kSquare || p.columns < kSquare) {
        if constexpr (kSquare > 4) {
            return transpose_panel<T, kSquare / 2>(p);
        } else {
            return transpose_narrow<T>(p);
        }
    }
    constexpr std::int64_t kWidth = kSquare * kSize;
    for (std::int64_t c = 0; c < p.columns; c = behind<kSquare>(c, p.columns)) {
        const bool more = c + (kAhead + 1) * kSquare <= p.columns;
        const bool new_lines = kWidth >= kLine || c * kSize % kLine < kWidth;
        for (std::int64_t r = 0; r < p.rows; r = behind<kSquare>(r, p.rows)) {
            const char* const in = p.in + c * p.in_column + r * kSize;
            char* const out = p.out + r * p.out_row + c * kSize;
            // No prefetcher predicts that the next lines are a source row away.
            for (int k = 0; k < kSquare && more; ++k) {
                __builtin_prefetch(in + (kAhead * kSquare + k) * p.in_column);
            }
            // Nor does one follow so many rows of the result at once. Stores wait for their lines.
            for (int k = 0; k < kSquare && new_lines; ++k) {
                __builtin_prefetch(out + k * p.out_row + kAhead * kLine, 1);
            }
            Square<T, kSquare>::turn(out, p.out_row, in, p.in_column);
        }
    }
}

void fill_transposes(TransposeTable& table) {
    table.turn[0] = &transpose_panel<uint8_t, 16>;
    table.turn[1] = &transpose_panel<uint16_t, 8>;
    table.turn[2] = &transpose_panel < uint32_t, HS_SIMD_LEVEL == 4 ? 16 : 8 > ;
    table.turn[3] = &transpose_panel<uint64_t, 8>;
    table.turn[4] = &transpose_panel<TransposeItem16, 4>;
}

}  // namespace hassium::HS_SIMD_NS
