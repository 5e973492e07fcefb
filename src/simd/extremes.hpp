// Kernels that find the position of an extreme element in a run.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hassium {

// Position of the first of n > 0 contiguous elements that none exceeds; of the first nan, if there
// is one. Raises nothing.
using ExtremeFn = std::int64_t (*)(const char* in, std::int64_t n);

struct ExtremeTable {
    // [largest] by dtype; null for bool, float16 and complex numbers.
    ExtremeFn position[2][kDTypeCount];
};

struct KernelTable;
// The kernels of the same instruction set.
const ExtremeTable& extremes_of(const KernelTable& table);

}  // namespace hassium
