// Converts one value as NumPy's astype does, which for values out of range gives the result of the
// processor. On x86-64 that is SSE2's truncating instructions, which return the least integer;
// narrow types keep its low bits. Elsewhere it is the compiler's own conversion.
#pragma once

#include <stdint.h>

#include "simd/lane/lane_types.hpp"

namespace hassium::HS_SIMD_NS {

// Narrow types convert through int32. Unsigned types as wide as an instruction have two halves:
// values in the upper one are shifted down by half the range, and the result back. There is one
// conversion: vector code that converted both would raise "invalid" for the other half.
template <class To, class From>
HS_INLINE To to_integer(From x) {
#if defined(__x86_64__)
    if constexpr (kSame<To, uint64_t>) {
        constexpr From kHalf = static_cast<From>(0x1p63);
        const bool upper = x >= kHalf;
        const From low = upper ? x - kHalf : x;
        return static_cast<uint64_t>(static_cast<int64_t>(low)) ^ (uint64_t{upper} << 63);
    } else if constexpr (kSame<To, uint32_t>) {
        constexpr From kHalf = static_cast<From>(0x1p31);
        const bool upper = x >= kHalf;
        const From low = upper ? x - kHalf : x;
        return static_cast<uint32_t>(static_cast<int32_t>(low)) ^ (uint32_t{upper} << 31);
    } else if constexpr (sizeof(To) == 8) {
        return static_cast<To>(static_cast<int64_t>(x));
    } else {
        return static_cast<To>(static_cast<int32_t>(x));
    }
#else
    return static_cast<To>(x);
#endif
}

}  // namespace hassium::HS_SIMD_NS
