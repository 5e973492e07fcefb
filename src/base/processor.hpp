// What processors differ in beyond their instruction sets, as far as it was measured.
#pragma once

#include <cstdint>

namespace hassium {

// From how many bytes on does a block that reads several arrays in bursts gain by fetches of what
// comes next? See docs/decisions/0007-operands-fetched-ahead.md.
std::int64_t fetches_gain_from();
// Whether quotients and roots gain by multiplications in place of some uses of AVX-512's divider.
// See docs/decisions/0006-maps-on-register-tiles.md.
bool sparing_the_divider_gains();

}  // namespace hassium
