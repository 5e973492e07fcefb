// The floating-point status of the processor, saved and restored around instructions that raise
// more than the row they compute: vector comparisons raise invalid for a quiet nan on SSE and NEON.
//
// By asm, which loads and stores do not pass. The compiler sees no dependence between a value and
// the flags that its computation raises, and the C library's functions cost ten times as much.
#pragma once

#include <stdint.h>

namespace hassium::HS_SIMD_NS {

#if defined(__x86_64__)
[[gnu::always_inline]] inline uint32_t save_status() {
    uint32_t status = 0;
    asm volatile("stmxcsr %0" : "=m"(status) : : "memory");
    return status;
}
[[gnu::always_inline]] inline void restore_status(uint32_t status) {
    asm volatile("ldmxcsr %0" : : "m"(status) : "memory");
}
#elif defined(__aarch64__)
[[gnu::always_inline]] inline uint64_t save_status() {
    uint64_t status = 0;
    asm volatile("mrs %0, fpsr" : "=r"(status) : : "memory");
    return status;
}
[[gnu::always_inline]] inline void restore_status(uint64_t status) {
    asm volatile("msr fpsr, %0" : : "r"(status) : "memory");
}
#else
#error "save_status: this architecture has no form yet"
#endif

}  // namespace hassium::HS_SIMD_NS
