// Positions in sorted vectors, and lines between their points, on the pool's threads where that is
// worth it. Many values are searched for abreast: each step of one waits for the step before.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// A vector as NumPy sorts it: numbers that are none come last.
struct Sorted {
    DType dtype;
    const char* first;
    std::int64_t n;
};

// Real numbers but float16.
bool can_search(DType dtype);

// Where each of `count` values of the same dtype would be put: before its equals, or behind them.
void search_sorted(const Sorted& sorted, bool behind, const char* values, std::int64_t count,
                   std::int64_t* out);

// A function by n > 0 points of rising x, and what it is before the first and behind the last.
struct Points {
    const double *x, *y;
    std::int64_t n;
    double before, behind;
};

// Its values on the lines from point to point, with NumPy's operations (compiled_base.c,
// arr_interp). Floating-point conditions are ignored, as in NumPy.
void interpolate(const Points& points, const double* x, std::int64_t count, double* out);

}  // namespace hassium
