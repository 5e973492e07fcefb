// Values for the `input` bases of a program that was read from text.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace hassium {

// Fills whole elements of `dtype` by a generator that depends on the name alone: inexact dtypes lie
// evenly in [-1, 1), integers in -100..100, unsigned ones in 0..100.
void fill_input(std::string_view name, DType dtype, char* memory, std::int64_t bytes);

}  // namespace hassium
