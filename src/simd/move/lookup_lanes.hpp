// Every second, third or fourth element of an array in one register, by shuffles that merge the
// registers holding them.
#pragma once

#include "simd/lane/registers.hpp"

namespace hassium::HS_SIMD_NS {

#if HS_SIMD_LEVEL == 4
template <int Log2>
using LookupLane = typename std::conditional_t<Log2 == 3, uint64_t, uint32_t>;

// Element l * kStep of the source registers goes to lane l. They are merged one after another: pick
// k merges the result of the first k with the next register.
template <int Log2, int kStep>
struct LookupTable {
    static constexpr int kLanes = 64 >> Log2;
    alignas(64) LookupLane<Log2> lanes[kStep - 1][kLanes] = {};

    constexpr LookupTable() {
        for (int k = 1; k < kStep; ++k) {
            for (int l = 0; l < kLanes; ++l) {
                const int from = l * kStep / kLanes, lane = l * kStep % kLanes;
                const int known = k == 1 && from == 0 ? lane : l;
                lanes[k - 1][l] = static_cast<LookupLane<Log2>>(from == k ? kLanes + lane : known);
            }
        }
    }
    const LookupLane<Log2>* operator[](int k) const { return lanes[k]; }
};
template <int Log2, int kStep>
inline constexpr LookupTable<Log2, kStep> kLookupTables;

template <int Log2>
HS_INLINE __m512i lookup_lanes(__m512i known, const LookupLane<Log2>* lanes, __m512i next) {
    const __m512i picks = _mm512_load_si512(lanes);
    if constexpr (Log2 == 3) return _mm512_permutex2var_epi64(known, picks, next);
    return _mm512_permutex2var_epi32(known, picks, next);
}
#endif

}  // namespace hassium::HS_SIMD_NS
