// Generators of one array: which operation writes which of its points.
//
// papers: Grelck, Kreye and Scholz, "On Code Generation for Multi-Generator WITH-Loops in SAC".
// Each generator covers the points of a grid in a box. Where two overlap, the later one writes.
// Points that no generator covers are holes and are not written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/small_vec.hpp"
#include "plan/loop_plan.hpp"

namespace hassium {

// Points of a generator along one axis: lower <= i < upper, (i - lower) % step < width.
struct AxisRange {
    std::int64_t lower, upper, step, width;
    friend bool operator==(const AxisRange&, const AxisRange&) = default;
};

// The operation `op` at the product of the ranges of all axes. No range is empty.
struct Generator {
    SmallVec<AxisRange, 4> axes;
    std::uint32_t op;  // index of a name in the set
};

struct GeneratorSet {
    Dims shape;
    std::vector<std::string> ops;
    std::vector<Generator> generators;  // in writing order

    // Parses the text form, one generator per line (docs/withloops.md). Throws UserError (Value)
    // with the line.
    static GeneratorSet parse(const std::string& text);
    std::string dump() const;
};

// Positions lower[k] <= x < upper[k] along each axis.
struct IndexBox {
    Dims lower, upper;

    bool meets(const IndexBox& other) const;
    void grow(const IndexBox& other);  // to the hull of both
    std::string dump() const;
};

// One axis of a grid in a box: the positions x with (x - lower of the box - offset) mod step <
// width. offset + width <= step, so no run crosses the end of a step. Dense: offset 0, width and
// step 1.
struct GridAxis {
    std::int64_t offset, width, step;
    bool is_dense() const { return width == step; }
    // Returns true only if it contains all positions of the other, over one box; may miss some
    // cases.
    bool covers(const GridAxis& other) const;
    friend bool operator==(const GridAxis&, const GridAxis&) = default;
};

struct Grid {
    SmallVec<GridAxis, 4> axes;
    std::uint32_t op;
    // Returns whether it covers the other grid of its cube on all axes from `axis` on.
    bool covers(const Grid& other, std::size_t axis = 0) const;
};

// A box with grids that all extend over the whole box; the last grid of a point writes it.
struct Cube {
    IndexBox box;
    std::vector<Grid> grids;
};

// A box that runs by itself, with its cubes in ascending order of their lower corners.
struct Segment {
    IndexBox box;
    std::vector<Cube> cubes;
};

std::string dump(std::span<const Cube> cubes, std::span<const std::string> ops);
std::string dump(std::span<const Segment> segments, std::span<const std::string> ops);

// A part of the points of a range: `lower` is the first point, `upper` the last one plus 1. Runs
// begin at start + k * step; the first begins before `lower` if a cut divides it. A single run is
// dense: step and width 1.
struct RangePart {
    std::int64_t lower, upper, start, step, width;

    static std::optional<RangePart> of(const AxisRange& range);  // none if empty
    bool is_dense() const { return step == 1; }
    std::optional<RangePart> cut(std::int64_t first, std::int64_t end) const;
    // Returns whether its runs, continued from `first` to `end`, have its points and no others.
    bool runs_through(std::int64_t first, std::int64_t end) const;
    // Returns whether it contains all points of the other.
    bool covers(const RangePart& other) const;
    // Returns its points as grid axes over [first, end), which contains them: two if the end of a
    // step divides a run. A single run that does not fill the box has the length of the box as its
    // step.
    SmallVec<GridAxis, 2> grid_axes(std::int64_t first, std::int64_t end) const;
};

// Returns the part of the cube in [lower, upper) of an axis.
Cube cut(const Cube& cube, std::size_t axis, std::int64_t lower, std::int64_t upper);

}  // namespace hassium
