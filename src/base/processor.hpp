// What processors differ in beyond their instruction sets, as far as it was measured.
#pragma once

namespace hassium {

// Does reading several arrays in bursts gain by fetches of what comes next? See
// docs/decisions/0007-operands-fetched-ahead.md.
bool gains_by_fetches();

}  // namespace hassium
