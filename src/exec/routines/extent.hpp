// The least and the largest of many integers. Internal to exec.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// As 64-bit words: their difference is the distance, whatever their sign.
struct IntegerExtent {
    std::uint64_t least, most;
};

// Of n > 0 integers side by side, on the pool's threads where that is worth it.
IntegerExtent extent_of(DType dtype, const char* integers, std::int64_t n);

}  // namespace hassium
