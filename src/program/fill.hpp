// Values for the `input` bases of a program that was read from text.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace hassium {

// Fills memory with elements of `dtype` from a generator seeded by the name alone: uniform in [-1,
// 1) for inexact dtypes, -100..100 for signed integers, 0..100 for unsigned ones.
void fill_input(std::string_view name, DType dtype, char* memory, std::int64_t bytes);

}  // namespace hassium
