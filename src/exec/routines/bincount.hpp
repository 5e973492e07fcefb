// Positions of integers in sorted order, by counting. Internal to exec.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// n integers, `stride` bytes apart; their bin numbers are relative to `least`.
struct BinNumbers {
    DType dtype;
    const char* first;
    std::int64_t stride, n;
    std::uint64_t least;
};

// Stores the positions of the integers of bin 0, then of bin 1, and so on, in a stable order.
// Returns false if an integer is outside of all bins.
bool order_by_bins(const BinNumbers& numbers, std::int64_t* positions, std::int64_t bins);

}  // namespace hassium
