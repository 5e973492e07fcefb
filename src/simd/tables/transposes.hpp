// Transposition kernels.
#pragma once

#include <cstdint>

#include "simd/tables/kernels.hpp"

namespace hassium {

// out[r][c] = in[c][r]; rows of the result and columns of the source are contiguous.
struct Panel {
    char* out;
    const char* in;
    std::int64_t out_row, in_column;  // bytes between neighbours
    std::int64_t rows, columns;
};
using TransposeFn = void (*)(const Panel& panel);

struct TransposeTable {
    TransposeFn turn[kItemSizes];
};

// Returns the kernels of the same instruction set.
const TransposeTable& transposes_of(const KernelTable& table);

}  // namespace hassium
