// Measured differences between processors beyond their instruction sets.
#pragma once

#include <cstdint>

namespace hassium {

// Returns the bytes from which on a block that reads arrays in bursts gains by prefetching.
// `mostly_moves`: it computes for a small part of the time that its memory takes. See
// docs/decisions/0007-operands-fetched-ahead.md.
std::int64_t fetches_gain_from(bool mostly_moves);
// Returns whether division and square root gain by Newton iteration in place of some uses of
// AVX-512's divider. See docs/decisions/0006-maps-on-register-tiles.md.
bool sparing_the_divider_gains();

}  // namespace hassium
