// Positions of what is true (kernels.hpp).
#pragma once

#include "simd/fold_lanes.hpp"

namespace hassium::HS_SIMD_NS {

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
#endif
    // Each is stored, and the next in its place where it was not wanted.
    for (; i < n && out != end; ++i) {
        store_as(reinterpret_cast<char*>(out), first + i);
        out += bools[i] != 0;
    }
    return out;
}

}  // namespace hassium::HS_SIMD_NS
