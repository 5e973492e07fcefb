// ufunc.at: elements or rows of an array that are combined with values, one after another.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

struct CombinedAt {
    Op op;
    DType dtype;  // of the array and the values, and what the row computes in
    char* array;
    std::span<const std::int64_t> places;  // bytes from `array` to a row, as often as it is named
    std::int64_t row;                      // elements, side by side
    const char* values;
    std::int64_t value_step, element_step;  // bytes from row to row and inside a row; 0: the same
};

// Is there a loop for that?
bool combines_at(Op op, DType dtype);
// Conditions are the caller's business; returns those that other threads have met.
std::uint8_t combine_at(const CombinedAt& work);

}  // namespace hassium
