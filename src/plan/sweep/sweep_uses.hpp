// The accesses of the nests of a sweep, row by row. Internal to plan; sweep.hpp defines rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "plan/loop_plan.hpp"

namespace hassium {

// Access of a nest to one base through one operand: row i covers the bytes [low, high) relative to
// offset + i * stride.
struct Use {
    std::uint32_t base;
    std::int64_t offset, stride, low, high;
    std::int64_t rows;
    std::int64_t bytes;  // of its elements
    bool written = false, result = false, large = false;

    // First byte and one past the last, over all rows.
    std::int64_t begin() const {
        return offset + low + std::min<std::int64_t>(stride, 0) * (rows - 1);
    }
    std::int64_t end() const {
        return offset + high + std::max<std::int64_t>(stride, 0) * (rows - 1);
    }
    std::int64_t span() const { return std::abs(stride) * rows; }
};

inline bool has(const std::vector<std::uint32_t>& bases, std::uint32_t base) {
    return std::ranges::find(bases, base) != bases.end();
}
// Returns whether the operand covers at least `least` bytes of memory.
bool is_large(const LoopPlan& plan, const PlanOperand& o, std::int64_t least);
// Returns the bytes from row to row of a base if it is large and rows are not units; else 0.
std::int64_t fixed_pitch(const LoopPlan& plan, std::uint32_t base, std::int64_t least);
// Returns the bytes from element to element in nest order, if constant.
std::optional<std::int64_t> even_stride(const LoopPlan& plan, const PlanOperand& o);
// Returns whether rows of the nest can have any number of elements: rows are units, and it has no
// reduction tree.
bool has_any_unit(const LoopPlan& plan);
// Returns the rows of the nest, of `unit` elements if rows are units.
std::int64_t rows_of(const LoopPlan& plan, std::int64_t unit);
// Appends the uses of all bases by the nest; `least`: minimum bytes of a large one.
void add_uses(const LoopPlan& plan, std::int64_t unit, std::int64_t least, std::vector<Use>& uses);

// Position of a nest relative to the first one: see sweep.hpp.
struct SweepPlace {
    std::int64_t lag = 0, lead = 0;
    std::int64_t head = 0;  // rows of the first whose results every row of this one reads
};
bool apart(const Use& a, const Use& b);
// Moves the later nest so that its use keeps its distance from that of an earlier nest. Returns
// false if that is impossible.
bool keep_distance(const SweepPlace& earlier, const Use& a, SweepPlace& later, const Use& b);

// Rows in flight of an array, or of one of several in a base, relative to the current row of the
// first nest.
struct Flight {
    std::uint32_t base;
    std::int64_t begin, end;  // bytes of all rows
    std::int64_t stride, origin, back, front;
};
// Adds those of a use of positive stride by a nest that lags by `lag` rows.
void add_flight(const Use& use, std::int64_t lag, std::vector<Flight>& flights);

std::int64_t floor_divide(std::int64_t a, std::int64_t b);

}  // namespace hassium
