// Kernels that find the position of an extreme element in a run.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// Position of the first of n > 0 contiguous elements that none exceeds; of the first nan, if there
// is one. Raises nothing.
using ExtremeFn = std::int64_t (*)(const char* in, std::int64_t n);

// Many lines abreast, of which `rows` more elements lie `pitch` bytes apart from `in` on, those of
// one position side by side: keeps the extreme value of each line so far, and its position, an
// integer as wide as the values. Position `at` is that of the first row. Raises nothing.
using ExtremesFn = void (*)(char* best, char* positions, const char* in, std::int64_t pitch,
                            std::int64_t rows, std::int64_t at, std::int64_t lines);

struct ExtremeTable {
    // [largest] by dtype; null for float16 and complex numbers.
    ExtremeFn position[2][kDTypeCount];
    // For numbers of four and eight bytes.
    ExtremesFn positions[2][kDTypeCount];
};

struct KernelTable;
// The kernels of the same instruction set.
const ExtremeTable& extremes_of(const KernelTable& table);

}  // namespace hassium
