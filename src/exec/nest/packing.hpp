// Moves between strided memory and contiguous tiles, for tiles over several axes.
#pragma once

#include <cstdint>

#include "base/small_vec.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {

// The layout of one operand over the span: extents, and strides in bytes, outermost first.
struct Walk {
    Dims extents, strides;
    bool ahead = false;  // prefetches rows
    friend bool operator==(const Walk&, const Walk&) = default;
};

// Move elements [first, first + n) of the span in C order; `base` is the address of element 0.
void gather(const KernelTable& table, const Walk& walk, char* out, const char* base,
            std::int64_t bytes, std::int64_t first, std::int64_t n);
void scatter(const KernelTable& table, const Walk& walk, char* base, const char* in,
             std::int64_t bytes, std::int64_t first, std::int64_t n);
void scatter_blend(const KernelTable& table, const Walk& walk, char* base, const char* in,
                   const char* mask, std::int64_t bytes, std::int64_t first, std::int64_t n);
// Runs a generator at strided positions: strides in elements, `base` the position of element 0.
void range_runs(RangeFn range, const Walk& walk, char* out, const char* start, const char* step,
                std::int64_t base, std::int64_t bytes, std::int64_t first, std::int64_t n);

}  // namespace hassium
