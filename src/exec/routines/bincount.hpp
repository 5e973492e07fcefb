// Positions of integers in order, by counting them. Internal to exec.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// n integers `stride` bytes apart, less `least`: the numbers of their bins.
struct BinNumbers {
    DType dtype;
    const char* first;
    std::int64_t stride, n;
    std::uint64_t least;
};

// Where the integers of bin 0 are, then those of bin 1, and so on; equal ones in order. False where
// one is in no bin.
bool order_by_bins(const BinNumbers& numbers, std::int64_t* positions, std::int64_t bins);

}  // namespace hassium
