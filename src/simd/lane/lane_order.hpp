// Hints to g++ about the order in which the registers of a tile are computed, and of what stays in
// one. Nothing of it is an instruction.
#pragma once

#include "simd/lane/registers.hpp"

// The plain level's registers are none of the processor.
#if HS_SIMD_LEVEL >= 2
#define HS_REGISTER "+" HS_FLOAT_REGISTER
#endif

namespace hassium::HS_SIMD_NS {

// Says that the register is done before anything that follows. g++ else puts off the last operation
// of every lane until the jump to the next step, and has to spill what waits for it; or, with the
// registers of level 4, stores lines in an order that is no stream. Masks of level 4 are integers.
template <class X>
HS_INLINE void lane_done([[maybe_unused]] X& x) {
#ifdef HS_REGISTER
    if constexpr (sizeof(x.data) >= 16) asm volatile("" : HS_REGISTER(x.data));
#endif
}

// The same of four, which g++ else computes one after the other.
template <class X>
HS_INLINE void lanes_done([[maybe_unused]] X& a, [[maybe_unused]] X& b, [[maybe_unused]] X& c,
                          [[maybe_unused]] X& d) {
#ifdef HS_REGISTER
    asm volatile(""
                 : HS_REGISTER(a.data), HS_REGISTER(b.data), HS_REGISTER(c.data),
                   HS_REGISTER(d.data));
#endif
}

// Keeps what was read from memory in a register: g++ else reads it again for each use.
template <class X>
HS_INLINE void read_once([[maybe_unused]] X& x) {
#ifdef HS_REGISTER
    asm("" : HS_REGISTER(x.data));
#endif
}

}  // namespace hassium::HS_SIMD_NS

#undef HS_REGISTER
