// Positions of what is true (kernels.hpp).
#pragma once

#include "simd/fold_lanes.hpp"

namespace hassium::HS_SIMD_NS {

#if HS_SIMD_LEVEL == 3
// Which of four bits are set, the lowest first, a byte each.
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

inline std::int64_t* positions_kernel(std::int64_t* out, std::int64_t* end, const char* bools,
                                      std::int64_t first, std::int64_t n) {
    std::int64_t i = 0;
#if HS_SIMD_LEVEL == 4
    // Compressed in a register: a compressed store takes longer than all the rest.
    const __m512i eight = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (; i + 64 <= n && end - out >= 64; i += 64) {
        const __m512i bytes = _mm512_loadu_si512(bools + i);
        const std::uint64_t wanted = _mm512_test_epi8_mask(bytes, bytes);
        for (int k = 0; wanted != 0 && k < 64; k += 8) {
            const auto mask = static_cast<__mmask8>(wanted >> k);
            const __m512i here = _mm512_add_epi64(eight, _mm512_set1_epi64(first + i + k));
            _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(mask, here));
            out += __builtin_popcount(mask);
        }
    }
#elif HS_SIMD_LEVEL == 3
    static constexpr SetBits kSet;
    const __m256i zero = _mm256_setzero_si256();
    auto wanted_at = [&](const char* p) {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, zero)));
    };
    for (; i + 32 <= n && end - out >= 32; i += 32) {
        const std::uint32_t wanted = wanted_at(bools + i);
        for (int k = 0; wanted != 0 && k < 32; k += 4) {
            const std::uint32_t mask = wanted >> k & 15;
            const __m128i bits = _mm_cvtsi32_si128(static_cast<int>(kSet.of[mask]));
            const __m256i here = _mm256_set1_epi64x(first + i + k);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                                _mm256_add_epi64(here, _mm256_cvtepu8_epi64(bits)));
            out += __builtin_popcount(mask);
        }
    }
#endif
    // Each is stored, and the next in its place where it was not wanted.
    for (; i < n && out != end; ++i) {
        store_as(reinterpret_cast<char*>(out), first + i);
        out += bools[i] != 0;
    }
    return out;
}

}  // namespace hassium::HS_SIMD_NS
