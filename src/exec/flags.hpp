// The processor's floating-point exception flags as FpFlag bits. On x86-64 only the vector unit's
// register (MXCSR) is used: kernels use no other unit, and the C library's functions cost ten times
// as much as they access the x87 status as well.
#pragma once

#include <cfenv>
#include <cstdint>

#include "ops/op_info.hpp"

namespace hassium {

inline void clear_fp_flags() {
#if defined(__x86_64__)
    // Flags are sticky, and writing the register costs more than reading it.
    unsigned state = __builtin_ia32_stmxcsr();
    if (state & 0x1du) __builtin_ia32_ldmxcsr(state & ~0x3fu);
#else
    std::feclearexcept(FE_ALL_EXCEPT);
#endif
}

inline std::uint8_t read_fp_flags() {
#if defined(__x86_64__)
    unsigned state = __builtin_ia32_stmxcsr();
    return static_cast<std::uint8_t>((state & 0x04 ? kDivide : 0) | (state & 0x08 ? kOver : 0) |
                                     (state & 0x10 ? kUnder : 0) | (state & 0x01 ? kInvalid : 0));
#else
    int state = std::fetestexcept(FE_ALL_EXCEPT);
    return static_cast<std::uint8_t>(
        (state & FE_DIVBYZERO ? kDivide : 0) | (state & FE_OVERFLOW ? kOver : 0) |
        (state & FE_UNDERFLOW ? kUnder : 0) | (state & FE_INVALID ? kInvalid : 0));
#endif
}

}  // namespace hassium
