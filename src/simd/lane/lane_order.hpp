// Hints to g++ about the order in which the registers of a tile are computed, and about values to
// keep in registers. They emit no instructions.
#pragma once

#include "simd/lane/registers.hpp"

// The vectors of the baseline level are not processor registers.
#if HS_SIMD_LEVEL >= 2
#define HS_REGISTER "+" HS_FLOAT_REGISTER
#endif

namespace hassium::HS_SIMD_NS {

// Forces the register to be computed before anything that follows. Otherwise g++ delays the last
// operation of every lane until the jump to the next step and spills the values waiting for it; or,
// with the registers of level 4, stores lines out of order. Masks of level 4 are integers.
template <class X>
HS_INLINE void lane_done([[maybe_unused]] X& x) {
#ifdef HS_REGISTER
    if constexpr (sizeof(x.data) >= 16) asm volatile("" : HS_REGISTER(x.data));
#endif
}

// The same for four registers, which g++ otherwise computes one after another.
template <class X>
HS_INLINE void lanes_done([[maybe_unused]] X& a, [[maybe_unused]] X& b, [[maybe_unused]] X& c,
                          [[maybe_unused]] X& d) {
#ifdef HS_REGISTER
    asm volatile(""
                 : HS_REGISTER(a.data), HS_REGISTER(b.data), HS_REGISTER(c.data),
                   HS_REGISTER(d.data));
#endif
}

// Keeps a value read from memory in a register; g++ otherwise reads it again for each use.
template <class X>
HS_INLINE void read_once([[maybe_unused]] X& x) {
#ifdef HS_REGISTER
    asm("" : HS_REGISTER(x.data));
#endif
}

}  // namespace hassium::HS_SIMD_NS

#undef HS_REGISTER
