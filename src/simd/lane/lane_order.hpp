// Hints to g++ about the order in which the registers of a tile are computed, and about values to
// keep in registers. They emit no instructions.
#pragma once

#include "simd/lane/registers.hpp"

#define HS_REGISTER "+" HS_FLOAT_REGISTER

namespace hassium::HS_SIMD_NS {

// Forces the register to be computed before anything that follows. Otherwise g++ delays the last
// operation of every lane until the jump to the next step and spills the values waiting for it; or,
// with the registers of level 4, stores lines out of order. Masks of level 4 are integers.
template <class X>
HS_INLINE void lane_done(X& x) {
    if constexpr (sizeof(x.data) >= 16) asm volatile("" : HS_REGISTER(x.data));
}

// The same for four registers, which g++ otherwise computes one after another.
template <class X>
HS_INLINE void lanes_done(X& a, X& b, X& c, X& d) {
    asm volatile(""
                 : HS_REGISTER(a.data), HS_REGISTER(b.data), HS_REGISTER(c.data),
                   HS_REGISTER(d.data));
}

// Keeps a value read from memory in a register; g++ otherwise reads it again for each use.
template <class X>
HS_INLINE void read_once(X& x) {
    asm("" : HS_REGISTER(x.data));
}

}  // namespace hassium::HS_SIMD_NS

#undef HS_REGISTER
