// Bools as lanes: registers of bytes 0 and 1, with logical operators.
#pragma once

#include "simd/lane/lane_types.hpp"

namespace hassium::HS_SIMD_NS {

HS_INLINE Vec<uint8_t> one_bytes() { return Vec<uint8_t>(uint8_t(1)); }

HS_INLINE Bools operator|(Bools a, Bools b) { return {a.v | b.v}; }
HS_INLINE Bools operator&(Bools a, Bools b) { return {a.v & b.v}; }
HS_INLINE Bools operator^(Bools a, Bools b) { return {a.v ^ b.v}; }
HS_INLINE Bools operator~(Bools a) { return {a.v ^ one_bytes()}; }
HS_INLINE Bools operator!(Bools a) { return ~a; }
HS_INLINE Bools operator+(Bools a, Bools b) { return a | b; }
HS_INLINE Bools operator*(Bools a, Bools b) { return a & b; }
HS_INLINE Bools operator!=(Bools a, Bools b) { return a ^ b; }
HS_INLINE Bools operator==(Bools a, Bools b) { return ~(a ^ b); }
HS_INLINE Bools operator<(Bools a, Bools b) { return ~a & b; }
HS_INLINE Bools operator>(Bools a, Bools b) { return b < a; }
HS_INLINE Bools operator<=(Bools a, Bools b) { return ~a | b; }
HS_INLINE Bools operator>=(Bools a, Bools b) { return b <= a; }

namespace lane {

HS_INLINE Bools select(Bools m, Bools a, Bools b) { return (m & a) | (~m & b); }
HS_INLINE Bools maximum(Bools a, Bools b) { return a | b; }
HS_INLINE Bools minimum(Bools a, Bools b) { return a & b; }
HS_INLINE Bools fmax(Bools a, Bools b) { return a | b; }
HS_INLINE Bools fmin(Bools a, Bools b) { return a & b; }
HS_INLINE Bools positive(Bools a) { return a; }
HS_INLINE Bools absolute(Bools a) { return a; }
HS_INLINE Bools conjugate(Bools a) { return a; }
HS_INLINE Bools square(Bools a) { return a; }
HS_INLINE Bools sign(Bools a) { return a; }
HS_INLINE Bools floor(Bools a) { return a; }
HS_INLINE Bools ceil(Bools a) { return a; }
HS_INLINE Bools trunc(Bools a) { return a; }
HS_INLINE Bools isnan(Bools a) { return a ^ a; }
HS_INLINE Bools isinf(Bools a) { return a ^ a; }
HS_INLINE Bools signbit(Bools a) { return a ^ a; }
HS_INLINE Bools isfinite(Bools a) { return ~(a ^ a); }
HS_INLINE Bools truth(Bools a) { return a; }
HS_INLINE Bools logical_not(Bools a) { return ~a; }
HS_INLINE Bools logical_and(Bools a, Bools b) { return a & b; }
HS_INLINE Bools logical_or(Bools a, Bools b) { return a | b; }
HS_INLINE Bools logical_xor(Bools a, Bools b) { return a ^ b; }
HS_INLINE Bools bitwise_and(Bools a, Bools b) { return a & b; }
HS_INLINE Bools bitwise_or(Bools a, Bools b) { return a | b; }
HS_INLINE Bools bitwise_xor(Bools a, Bools b) { return a ^ b; }
HS_INLINE Bools invert(Bools a) { return ~a; }

}  // namespace lane
}  // namespace hassium::HS_SIMD_NS
