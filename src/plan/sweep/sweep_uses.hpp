// The arrays that the nests of a sweep touch, row by row. Internal to plan; see sweep.hpp for what
// a row is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
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

    // For all rows: first byte and one past the last.
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
// Whether the operand shows at least so many bytes of memory.
bool is_large(const LoopPlan& plan, const PlanOperand& o, std::int64_t least);
// Bytes from row to row of a base where it is large and rows are no units; else 0.
std::int64_t fixed_pitch(const LoopPlan& plan, std::uint32_t base, std::int64_t least);
// Bytes from element to element of the nest in its order, where these are always as many.
std::optional<std::int64_t> even_stride(const LoopPlan& plan, const PlanOperand& o);
// Whether rows of the nest can have any number of elements. Units are rows, and hold no tree.
bool has_any_unit(const LoopPlan& plan);
// Rows of the nest, of `unit` elements if units are rows.
std::int64_t rows_of(const LoopPlan& plan, std::int64_t unit);
// Adds the uses of all bases by the nest; `least`: bytes that are large.
void add_uses(const LoopPlan& plan, std::int64_t unit, std::int64_t least, std::vector<Use>& uses);

// Rows of the earlier use that touch what row j of the later one does are among j + least to
// j + most. Strides are equal and positive.
struct Distance {
    std::int64_t least, most;
};
Distance distance(const Use& earlier, const Use& later);

// Where a nest runs beside the first one: see sweep.hpp.
struct SweepPlace {
    std::int64_t lag = 0, lead = 0;
    std::int64_t head = 0;  // rows of the first that make what every row of this one reads
};
bool apart(const Use& a, const Use& b);
// Places the later nest where its use keeps its distance from one of an earlier nest. False:
// nowhere would do.
bool keep_distance(const SweepPlace& earlier, const Use& a, SweepPlace& later, const Use& b);

// Rows in flight of an array, or of one of several in a base, seen from where the first nest is.
struct Flight {
    std::uint32_t base;
    std::int64_t begin, end;  // bytes of all rows
    std::int64_t stride, origin, back, front;
};
// Adds those of a use, of positive stride, by a nest that stays `lag` rows behind.
void add_flight(const Use& use, std::int64_t lag, std::vector<Flight>& flights);

std::int64_t floor_divide(std::int64_t a, std::int64_t b);

}  // namespace hassium
