#include "plan/generators/generators.hpp"

#include <algorithm>

namespace hassium {
namespace {

std::string list(const Dims& values) {
    std::string text = "[";
    for (std::size_t k = 0; k < values.size(); ++k) {
        text += (k > 0 ? "," : "") + std::to_string(values[k]);
    }
    return text + "]";
}

template <class Value>
Dims each(const SmallVec<AxisRange, 4>& axes, Value value) {
    Dims values;
    for (const AxisRange& axis : axes) values.push_back(value(axis));
    return values;
}

std::string triple(const GridAxis& axis) {
    return " (" + std::to_string(axis.offset) + "," + std::to_string(axis.width) + "," +
           std::to_string(axis.step) + ")";
}

}  // namespace

std::string GeneratorSet::dump() const {
    std::string text = "shape " + list(shape) + "\n";
    for (const Generator& g : generators) {
        const IndexBox box{each(g.axes, [](const AxisRange& a) { return a.lower; }),
                           each(g.axes, [](const AxisRange& a) { return a.upper; })};
        const Dims steps = each(g.axes, [](const AxisRange& a) { return a.step; });
        const Dims widths = each(g.axes, [](const AxisRange& a) { return a.width; });
        const Dims ones(g.axes.size(), 1);
        text += box.dump();
        if (!(steps == ones)) text += " step " + list(steps);
        if (!(widths == ones)) text += " width " + list(widths);
        text += ": " + ops[g.op] + "\n";
    }
    return text;
}

bool IndexBox::meets(const IndexBox& other) const {
    for (std::size_t k = 0; k < lower.size(); ++k) {
        if (lower[k] >= other.upper[k] || other.lower[k] >= upper[k]) return false;
    }
    return true;
}

void IndexBox::grow(const IndexBox& other) {
    for (std::size_t k = 0; k < lower.size(); ++k) {
        lower[k] = std::min(lower[k], other.lower[k]);
        upper[k] = std::max(upper[k], other.upper[k]);
    }
}

std::string IndexBox::dump() const { return list(lower) + " -> " + list(upper); }

bool GridAxis::covers(const GridAxis& other) const {
    if (is_dense()) return true;
    if (other.step % step != 0) return false;
    const std::int64_t at = other.offset % step;
    return at >= offset && at + other.width <= offset + width;
}

bool Grid::covers(const Grid& other, std::size_t axis) const {
    for (std::size_t k = axis; k < axes.size(); ++k) {
        if (!axes[k].covers(other.axes[k])) return false;
    }
    return true;
}

std::string dump(std::span<const Cube> cubes, std::span<const std::string> ops) {
    std::string text;
    for (const Cube& cube : cubes) {
        text += "cube " + cube.box.dump() + "\n";
        for (const Grid& grid : cube.grids) {
            text += "    " + ops[grid.op] + ":";
            for (const GridAxis& axis : grid.axes) text += triple(axis);
            text += "\n";
        }
    }
    return text;
}

std::string dump(std::span<const Segment> segments, std::span<const std::string> ops) {
    std::string text;
    for (const Segment& segment : segments) {
        text += "segment " + segment.box.dump() + "\n" + dump(segment.cubes, ops);
    }
    return text;
}

std::optional<RangePart> RangePart::of(const AxisRange& range) {
    if (range.upper <= range.lower) return std::nullopt;
    if (range.width >= range.step) return RangePart{range.lower, range.upper, range.lower, 1, 1};
    return RangePart{range.lower, range.upper, range.lower, range.step, range.width}.cut(
        range.lower, range.upper);
}

std::optional<RangePart> RangePart::cut(std::int64_t first, std::int64_t end) const {
    RangePart part = *this;
    part.lower = std::max(lower, first);
    part.upper = std::min(upper, end);
    if (part.lower >= part.upper) return std::nullopt;
    const std::int64_t into = (part.lower - start) % step;
    if (into >= width) part.lower += step - into;
    const std::int64_t last = (part.upper - 1 - start) % step;
    if (last >= width) part.upper -= last - width + 1;
    if (part.lower >= part.upper) return std::nullopt;
    const bool single = (part.lower - start) / step == (part.upper - 1 - start) / step;
    if (single) part = {part.lower, part.upper, part.lower, 1, 1};
    return part;
}

bool RangePart::runs_through(std::int64_t first, std::int64_t end) const {
    if (is_dense()) return lower == first && upper == end;
    const std::int64_t before = (lower - start) % step, after = (upper - 1 - start) % step;
    const std::int64_t gap_before = before > 0 ? 0 : step - width;
    const std::int64_t gap_after = after < width - 1 ? 0 : step - width;
    return lower - first <= gap_before && end - upper <= gap_after;
}

bool RangePart::covers(const RangePart& other) const {
    if (lower > other.lower || upper < other.upper) return false;
    if (is_dense()) return true;
    if (other.is_dense()) {
        return (other.lower - start) % step + (other.upper - other.lower) <= width;
    }
    const std::int64_t at = ((other.start - start) % step + step) % step;
    return other.step % step == 0 && at + other.width <= width;
}

SmallVec<GridAxis, 2> RangePart::grid_axes(std::int64_t first, std::int64_t end) const {
    if (is_dense() && lower == first && upper == end) return {{0, 1, 1}};
    if (is_dense()) return {{lower - first, upper - lower, end - first}};
    const std::int64_t offset = ((start - first) % step + step) % step;
    if (offset + width <= step) return {{offset, width, step}};
    return {{offset, step - offset, step}, {0, offset + width - step, step}};
}

Cube cut(const Cube& cube, std::size_t axis, std::int64_t lower, std::int64_t upper) {
    Cube part{cube.box, {}};
    part.box.lower[axis] = lower;
    part.box.upper[axis] = upper;
    for (const Grid& grid : cube.grids) {
        const GridAxis& a = grid.axes[axis];
        const auto whole =
            RangePart::of({cube.box.lower[axis] + a.offset, cube.box.upper[axis], a.step, a.width});
        const auto kept = whole ? whole->cut(lower, upper) : std::nullopt;
        if (!kept) continue;
        for (const GridAxis& now : kept->grid_axes(lower, upper)) {
            part.grids.push_back(grid);
            part.grids.back().axes[axis] = now;
        }
    }
    return part;
}

}  // namespace hassium
