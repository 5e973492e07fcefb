// How often each number occurs among many, and where, on all cores.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// Counts of the numbers 0 to bins - 1 among n integers that lie `stride` bytes apart. False where
// one is no such number; the counts are then worth nothing.
bool bincount(DType dtype, const char* numbers, std::int64_t stride, std::int64_t n,
              std::int64_t* counts, std::int64_t bins);

// Where the numbers are that are 0, then those that are 1, and so on; equal ones in order. False as
// above.
bool order_by_bins(DType dtype, const char* numbers, std::int64_t stride, std::int64_t n,
                   std::int64_t* positions, std::int64_t bins);

}  // namespace hassium
