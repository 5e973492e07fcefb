#pragma once

// Tables held in registers, in which an AVX-512 instruction looks up one entry per lane.

#include "simd/math/base.hpp"

#ifdef __AVX512F__
#include <immintrin.h>

namespace hassium::HS_SIMD_NS::math {

// A register of the level's full width.
template <class B>
concept Whole = sizeof(B) == 64;

template <class B>
concept SixteenFloats = Whole<B> && kIsFloat<B>;

// Returns entry j of a table of two registers, 32 floats or 16 doubles. Only the lowest bits of j,
// as many as that needs, are used.
HS_MATH B of_two_registers(const void* table, IntBatch<B> j) {
    const __m512i low = _mm512_load_si512(table);
    const __m512i high = _mm512_load_si512(static_cast<const char*>(table) + 64);
    if constexpr (kIsFloat<B>) {
        return from_bits<B>(IntBatch<B>(_mm512_permutex2var_epi32(low, j, high)));
    } else {
        return from_bits<B>(IntBatch<B>(_mm512_permutex2var_epi64(low, j, high)));
    }
}

// Entry j of 32, likewise.
HS_MATH B of_32(const Lane<B>* table, IntBatch<B> j) {
    if constexpr (kIsFloat<B>) {
        return of_two_registers<B>(table, j);
    } else {
        const __mmask8 high = _mm512_test_epi64_mask(j, _mm512_set1_epi64(16));
        return B(_mm512_mask_blend_pd(high, of_two_registers<B>(table, j),
                                      of_two_registers<B>(table + 16, j)));
    }
}

}  // namespace hassium::HS_SIMD_NS::math

#endif
