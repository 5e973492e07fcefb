// Sorting of runs of elements on all cores.
#pragma once

#include <cstdint>
#include <span>

namespace hassium {

// Sorts n elements in place, as NumPy's sort of the dtype does; returns below 0 on failure.
using SortFn = int (*)(void* elements, std::int64_t n, void* context);

// Sorts the runs between one bound and the next, which count elements of so many bytes. False when
// `sort` failed.
bool sort_runs(char* data, std::int64_t bytes, std::span<const std::int64_t> bounds, SortFn sort,
               void* context);

// Sorts bytes in place by counting each value: for NumPy's quicksort they are elements like others.
void sort_bytes(unsigned char* elements, std::int64_t n, bool is_signed);

}  // namespace hassium
