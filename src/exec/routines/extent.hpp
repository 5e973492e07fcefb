// Minimum and maximum of many integers. Internal to exec.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// As 64-bit words: the difference is the distance for signed and unsigned integers.
struct IntegerExtent {
    std::uint64_t least, most;
};

// Returns the extent of n > 0 contiguous integers, on the pool's threads if that pays.
IntegerExtent extent_of(DType dtype, const char* integers, std::int64_t n);

}  // namespace hassium
