// Kernels that find the position of an extreme element in a run.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// Returns the position of the first of n > 0 contiguous elements that no other exceeds, or of the
// first NaN if there is one. Raises nothing.
using ExtremeFn = std::int64_t (*)(const char* in, std::int64_t n);

// Updates the extreme value of each of many lines, and its position, an integer as wide as the
// values. `in` has `rows` more elements of each line, `pitch` bytes apart, those of one position
// side by side; `at` is the position of the first row. Raises nothing.
using ExtremesFn = void (*)(char* best, char* positions, const char* in, std::int64_t pitch,
                            std::int64_t rows, std::int64_t at, std::int64_t lines);

struct ExtremeTable {
    // [largest] by dtype; null for float16 and complex numbers.
    ExtremeFn position[2][kDTypeCount];
    // For numbers of four and eight bytes; otherwise null.
    ExtremesFn positions[2][kDTypeCount];
};

struct KernelTable;
// Returns the kernels of the same instruction set.
const ExtremeTable& extremes_of(const KernelTable& table);

}  // namespace hassium
