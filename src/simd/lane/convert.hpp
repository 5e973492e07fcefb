// Conversion of one value as NumPy's astype on x86-64: the truncating instructions of SSE2, whose
// answer to what does not fit is the least integer, of which narrow types keep the low bits.
#pragma once

#include <stdint.h>

#include "simd/lane/lane_types.hpp"

namespace hassium::HS_SIMD_NS {

// The narrow types go through int32. Unsigned ones of the width of an instruction have two halves:
// the upper one is shifted down by half the range and back.
template <class To, class From>
HS_INLINE To to_integer(From x) {
    if constexpr (kSame<To, uint64_t>) {
        constexpr From kHalf = static_cast<From>(0x1p63);
        if (x >= kHalf) {
            return static_cast<uint64_t>(static_cast<int64_t>(x - kHalf)) ^ 0x8000000000000000u;
        }
        return static_cast<uint64_t>(static_cast<int64_t>(x));
    } else if constexpr (kSame<To, uint32_t>) {
        constexpr From kHalf = static_cast<From>(0x1p31);
        if (x >= kHalf) return static_cast<uint32_t>(static_cast<int32_t>(x - kHalf)) ^ 0x80000000u;
        return static_cast<uint32_t>(static_cast<int32_t>(x));
    } else if constexpr (sizeof(To) == 8) {
        return static_cast<To>(static_cast<int64_t>(x));
    } else {
        return static_cast<To>(static_cast<int32_t>(x));
    }
}

}  // namespace hassium::HS_SIMD_NS
