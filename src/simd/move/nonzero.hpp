// Positions of true bools, and the elements at those positions (kernels.hpp).
//
// Of masks with many true bools, registers of positions or elements are compressed. Of the others,
// set bits are visited one by one. A loop over them is mispredicted at its end for most masks, so
// positions, which wait for nothing else, are stored for as many bits as could be set: the next
// mask overwrites those behind the last true one.
#pragma once

#include <bit>

#include "simd/reduce/fold_lanes.hpp"

namespace hassium::HS_SIMD_NS {

// Bools per mask.
inline constexpr std::int64_t kMaskedBools = 64;

HS_INLINE std::uint64_t true_bits(const char* bools) {
    constexpr int kLanes = Vec<uint8_t>::size;
    std::uint64_t bits = 0;
    for (int k = 0; k < kMaskedBools; k += kLanes) {
        const auto* here = reinterpret_cast<const uint8_t*>(bools + k);
        bits |= (Vec<uint8_t>::load_unaligned(here) != Vec<uint8_t>(uint8_t{0})).mask() << k;
    }
    return bits;
}

// Returns the mask of n < kMaskedBools bools; reads nothing behind them.
HS_INLINE std::uint64_t last_true_bits(const char* bools, std::int64_t n) {
#if HS_SIMD_LEVEL == 4
    const __m512i all = _mm512_maskz_loadu_epi8((__mmask64{1} << n) - 1, bools);
    return _mm512_test_epi8_mask(all, all);
#else
    char padded[kMaskedBools] = {};
    __builtin_memcpy(padded, bools, static_cast<std::size_t>(n));
    return true_bits(padded);
#endif
}

// Bools that past_false() reads at a time.
inline constexpr std::int64_t kManyBools = 4 * kMaskedBools;

// Returns a position of at least `i` before which all bools from `i` on are false; stops where
// fewer than kManyBools are left.
HS_INLINE std::int64_t past_false(const char* bools, std::int64_t i, std::int64_t n) {
    constexpr std::int64_t kLanes = Vec<uint8_t>::size;
    for (; i + kManyBools <= n; i += kManyBools) {
        Vec<uint8_t> some(uint8_t{0});
        for (std::int64_t k = 0; k < kManyBools; k += kLanes) {
            some |= Vec<uint8_t>::load_unaligned(reinterpret_cast<const uint8_t*>(bools + i + k));
        }
        if (xsimd::any(some != Vec<uint8_t>(uint8_t{0}))) break;
    }
    return i;
}

#if HS_SIMD_LEVEL == 3
// For each set of four elements of N bytes, the indices of the chosen elements' parts, packed: of
// bytes for a byte shuffle where N is 4, of 32-bit parts where it is 8.
template <int N>
struct Chosen {
    alignas(32) std::uint8_t of[16][4 * N] = {};
    constexpr Chosen() {
        constexpr int kPart = N == 4 ? 1 : 4;
        for (int mask = 0; mask < 16; ++mask) {
            for (int bit = 0, at = 0; bit < 4; ++bit) {
                if ((mask >> bit & 1) == 0) continue;
                for (int k = 0; k < N / kPart; ++k, at += kPart) {
                    of[mask][at] = static_cast<std::uint8_t>(bit * (N / kPart) + k);
                }
            }
        }
    }
};

// The positions of the set bits of a mask of four, the lowest first, a byte each.
struct SetBits {
    std::uint32_t of[16] = {};
    constexpr SetBits() {
        for (std::uint32_t mask = 0; mask < 16; ++mask) {
            for (std::uint32_t bit = 0, count = 0; bit < 4; ++bit) {
                if (mask >> bit & 1) of[mask] |= bit << 8 * count++;
            }
        }
    }
};
#endif

#if HS_SIMD_LEVEL >= 3
// Stores the positions of set bits, counted from `first`, and returns their end; writes up to
// kMaskedBools entries.
HS_INLINE std::int64_t* store_lanes(std::int64_t* out, std::uint64_t bits, std::int64_t first) {
#if HS_SIMD_LEVEL == 4
    // Compresses in a register: a compressing store takes longer than all the rest.
    const __m512i eight = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (int k = 0; k < kMaskedBools; k += 8) {
        const auto mask = static_cast<__mmask8>(bits >> k);
        const __m512i here = _mm512_add_epi64(eight, _mm512_set1_epi64(first + k));
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(mask, here));
        out += __builtin_popcount(mask);
    }
#else
    static constexpr SetBits kSet;
    for (int k = 0; k < kMaskedBools; k += 4) {
        const std::uint32_t mask = bits >> k & 15;
        const __m128i four = _mm_cvtsi32_si128(static_cast<int>(kSet.of[mask]));
        const __m256i here = _mm256_set1_epi64x(first + k);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                            _mm256_add_epi64(here, _mm256_cvtepu8_epi64(four)));
        out += __builtin_popcount(mask);
    }
#endif
    return out;
}
#endif

// Up to how many true bools of a mask are few.
inline constexpr int kFew = 8;

// Stores the positions of at most kFew set bits, counted from `first`; writes kFew entries.
HS_INLINE void store_few(std::int64_t* out, std::uint64_t bits, std::int64_t first) {
    // For bits that may be zero compilers would branch.
    constexpr std::uint64_t kLast = std::uint64_t{1} << (kMaskedBools - 1);
    for (int k = 0; k < kFew; ++k, bits &= bits - 1) {
        store_as(reinterpret_cast<char*>(out + k), first + std::countr_zero(bits | kLast));
    }
}

HS_INLINE std::int64_t* store_bits(std::int64_t* out, const std::int64_t* end, std::uint64_t bits,
                                   std::int64_t first) {
    for (; bits != 0 && out != end; bits &= bits - 1) {
        store_as(reinterpret_cast<char*>(out++), first + std::countr_zero(bits));
    }
    return out;
}

inline std::int64_t* positions_kernel(std::int64_t* out, std::int64_t* end, const char* bools,
                                      std::int64_t first, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + kMaskedBools <= n && out != end; i += kMaskedBools) {
        if (i % kManyBools == 0 && (i = past_false(bools, i, n)) + kMaskedBools > n) break;
        const std::uint64_t bits = true_bits(bools + i);
        const int count = std::popcount(bits);
        if (end - out < kMaskedBools) {
            out = store_bits(out, end, bits, first + i);
        } else if (count <= kFew) {
            store_few(out, bits, first + i);
            out += count;
        } else {
#if HS_SIMD_LEVEL >= 3
            out = store_lanes(out, bits, first + i);
#else
            out = store_bits(out, end, bits, first + i);
#endif
        }
    }
    // Stores each position; the next one overwrites it if its bool is false.
    for (; i < n && out != end; ++i) {
        store_as(reinterpret_cast<char*>(out), first + i);
        out += bools[i] != 0;
    }
    return out;
}

// ---- elements ----

// Calls visit(k) for each set bit k. Where most are set, they form few runs.
template <class Visit>
HS_INLINE void visit_true(std::uint64_t bits, Visit visit) {
    constexpr int kMost = 48;
    if (std::popcount(bits) < kMost) {
        for (; bits != 0; bits &= bits - 1) visit(std::countr_zero(bits));
        return;
    }
    for (int at = 0; at < kMaskedBools && bits >> at != 0;) {
        at += std::countr_zero(bits >> at);
        const int end = at + std::countr_one(bits >> at);
        for (; at < end; ++at) visit(at);
    }
}

// Packs the elements of N bytes whose bits are set and returns their end; writes up to kMaskedBools
// of them.
template <int N>
inline constexpr bool kHasCompress = HS_SIMD_LEVEL >= 3 && (N == 4 || N == 8);
template <int N>
HS_INLINE char* compress([[maybe_unused]] char* out, [[maybe_unused]] const char* from,
                         [[maybe_unused]] std::uint64_t bits) {
#if HS_SIMD_LEVEL == 4
    constexpr int kLanes = 64 / N;
    for (int k = 0; k < kMaskedBools; k += kLanes) {
        const __m512i x = _mm512_loadu_si512(from + k * N);
        const std::uint64_t mask = bits >> k & ((std::uint64_t{1} << kLanes) - 1);
        const __m512i packed = N == 8
                                   ? _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), x)
                                   : _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), x);
        _mm512_storeu_si512(out, packed);
        out += N * std::popcount(mask);
    }
#elif HS_SIMD_LEVEL == 3
    static constexpr Chosen<N> kChosen;
    for (int k = 0; k < kMaskedBools; k += 4) {
        const std::uint64_t mask = bits >> k & 15;
        const char* const in = from + k * N;
        if constexpr (N == 8) {
            const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
            const __m256i order =
                _mm256_load_si256(reinterpret_cast<const __m256i*>(kChosen.of[mask]));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                                _mm256_permutevar8x32_epi32(x, order));
        } else {
            const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
            const __m128i order =
                _mm_load_si128(reinterpret_cast<const __m128i*>(kChosen.of[mask]));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_shuffle_epi8(x, order));
        }
        out += N * std::popcount(mask);
    }
#endif
    return out;
}

// Calls move(part, whole) for each true bool, with consecutive elements of `part` and the element
// of `whole` at its position. Touches nothing from `end` on.
template <int N, class Part, class Whole, class Move>
HS_INLINE Part* move_true(Part* part, Part* end, Whole* whole, std::int64_t stride,
                          const char* bools, std::int64_t n, Move move) {
    std::int64_t i = 0;
    for (; i + kMaskedBools <= n && part != end; i += kMaskedBools) {
        std::uint64_t bits = true_bits(bools + i);
        Whole* const here = whole + i * stride;
        auto visit = [&](int k) {
            move(part, here + k * stride, std::integral_constant<int, N>());
            part += N;
        };
        if (bits == 0) {
            i = past_false(bools, i + kMaskedBools, n) - kMaskedBools;
        } else if (end - part < kMaskedBools * N) {
            for (; bits != 0 && part != end; bits &= bits - 1) visit(std::countr_zero(bits));
        } else if (~bits == 0 && stride == N) {
            for (int k = 0; k < kMaskedBools * N; k += 16) {
                move(part + k, here + k, std::integral_constant<int, 16>());
            }
            part += kMaskedBools * N;
        } else {
            visit_true(bits, visit);
        }
    }
    if (i >= n || part == end) return part;
    // Bit by bit: a branch for each bool would be mispredicted half of the time.
    Whole* const here = whole + i * stride;
    for (std::uint64_t bits = last_true_bits(bools + i, n - i); bits != 0 && part != end;
         bits &= bits - 1, part += N) {
        move(part, here + std::countr_zero(bits) * stride, std::integral_constant<int, N>());
    }
    return part;
}

template <int N>
HS_INLINE char* choose_apart(char* out, char* end, const char* from, std::int64_t stride,
                             const char* bools, std::int64_t n) {
    return move_true<N>(out, end, from, stride, bools, n,
                        [](char* to, const char* in, auto bytes) { copy_bytes(to, in, bytes); });
}
// For contiguous elements, in registers where many are chosen.
template <int N>
char* choose_lanes(char* out, char* end, const char* from, const char* bools, std::int64_t n) {
    constexpr int kOneByOne = 6;  // up to here, that is faster
    std::int64_t i = 0;
    for (; i + kMaskedBools <= n && end - out >= kMaskedBools * N; i += kMaskedBools) {
        std::uint64_t bits = true_bits(bools + i);
        if (bits == 0) {
            i = past_false(bools, i + kMaskedBools, n) - kMaskedBools;
        } else if (std::popcount(bits) > kOneByOne) {
            out = compress<N>(out, from + i * N, bits);
        } else {
            for (; bits != 0; bits &= bits - 1, out += N) {
                copy_bytes(out, from + (i + std::countr_zero(bits)) * N, N);
            }
        }
    }
    return choose_apart<N>(out, end, from + i * N, N, bools + i, n - i);
}
template <int N>
char* choose_kernel(char* out, char* end, const char* from, std::int64_t stride, const char* bools,
                    std::int64_t n) {
    if constexpr (kHasCompress<N>) {
        if (stride == N) return choose_lanes<N>(out, end, from, bools, n);
    }
    return choose_apart<N>(out, end, from, stride, bools, n);
}
template <int N>
const char* place_kernel(const char* in, const char* end, char* to, std::int64_t stride,
                         const char* bools, std::int64_t n) {
    return move_true<N>(in, end, to, stride, bools, n, [](const char* from, char* at, auto bytes) {
        copy_bytes(at, from, bytes);
    });
}

}  // namespace hassium::HS_SIMD_NS
