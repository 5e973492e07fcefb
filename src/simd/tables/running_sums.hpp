// Kernels of running sums of inexact numbers, in blocks (program/scan_tree.hpp).
#pragma once

#include "simd/tables/kernels.hpp"

namespace hassium {

// Elements of a block.
inline constexpr std::int64_t kSumBlock = 8;

// Scans the n contiguous elements of a piece, or of its beginning; out may be in. Results are
// combined after the element at `before` if that is not null.
using RunningSumFn = void (*)(char* out, const char* in, const char* before, std::int64_t n);

struct RunningSumTable {
    // By dtype; null but for float32, float64 and complex numbers.
    RunningSumFn line[kDTypeCount];
    // Down the columns of rows from the beginning of a block on. `state` holds the results before
    // the block, without `before`; negative zeros where a piece begins.
    ScanColumnsFn columns[kDTypeCount];
};

// Returns the kernels of the same instruction set.
const RunningSumTable& running_sums_of(const KernelTable& table);

}  // namespace hassium
