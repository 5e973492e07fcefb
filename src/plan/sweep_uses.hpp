// The arrays that the nests of a sweep touch, row by row. Internal to plan; see sweep.hpp for what
// a row is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "plan/loop_plan.hpp"

namespace hassium {

// What a nest touches of one base by one operand: in row i, bytes [low, high) from
// offset + i * stride on.
struct Use {
    std::uint32_t base;
    std::int64_t offset, stride, low, high;
    std::int64_t rows;
    std::int64_t bytes;  // of its elements
    bool written = false, result = false, large = false;

    // Of all rows: first byte and one past the last.
    std::int64_t begin() const {
        return offset + low + std::min<std::int64_t>(stride, 0) * (rows - 1);
    }
    std::int64_t end() const {
        return offset + high + std::max<std::int64_t>(stride, 0) * (rows - 1);
    }
    std::int64_t span() const { return std::abs(stride) * rows; }
};

// Rows of the nest.
std::int64_t rows_of(const LoopPlan& plan);
// Adds the uses of all bases by the nest; `least`: bytes that are large.
void add_uses(const LoopPlan& plan, std::int64_t least, std::vector<Use>& uses);

// Rows of the earlier use that touch what row j of the later one does are among j + least to
// j + most. Strides are equal and positive.
struct Distance {
    std::int64_t least, most;
};
Distance distance(const Use& earlier, const Use& later);

std::int64_t floor_divide(std::int64_t a, std::int64_t b);

}  // namespace hassium
