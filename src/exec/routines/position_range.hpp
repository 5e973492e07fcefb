// The least and the largest of many positions. Internal to exec.
#pragma once

#include <cstdint>

namespace hassium {

struct PositionRange {
    std::int64_t least, most;
};

// For n > 0 positions side by side, on the pool's threads where that is worth it.
PositionRange position_range(const std::int64_t* positions, std::int64_t n);

}  // namespace hassium
