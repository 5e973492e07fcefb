#include <algorithm>
#include <functional>
#include <numeric>

#include "plan/generators/piecewise_writes.hpp"

namespace hassium {
namespace {

struct ViewAxis {
    std::int64_t stride, extent;  // stride > 0, extent > 1
};

// The set of points that a view covers, in any order.
struct Points {
    std::int64_t offset;                 // of the first byte
    std::vector<ViewAxis> axes;          // by decreasing stride
    std::vector<std::int64_t> interior;  // of each axis: bytes spanned by one position
};

// Returns none if the view has no points, or covers a point twice.
std::optional<Points> points_of(const Program& p, const Operand& view) {
    Points points{view.offset, {}, {}};
    for (std::size_t k = 0; k < view.ndim; ++k) {
        const std::int64_t extent = p.shape(view)[k], stride = p.strides(view)[k];
        if (extent == 0 || (extent > 1 && stride == 0)) return std::nullopt;
        if (extent == 1) continue;
        if (stride < 0) points.offset += (extent - 1) * stride;
        points.axes.push_back({stride < 0 ? -stride : stride, extent});
    }
    std::ranges::sort(points.axes, std::greater<>(), &ViewAxis::stride);
    points.interior.resize(points.axes.size());
    std::int64_t span = itemsize(view.dtype);
    for (std::size_t k = points.axes.size(); k-- > 0;) {
        if (span > points.axes[k].stride) return std::nullopt;
        points.interior[k] = span;
        span += (points.axes[k].extent - 1) * points.axes[k].stride;
    }
    return points;
}

// The stride of an axis, and the bytes that a position of it spans in some view.
struct Boundary {
    std::int64_t stride, interior;
};

// Returns the strides of the axes of a base, outermost first. Two strides outside an axis are steps
// along one axis if their greatest common divisor has room for the bytes inside.
std::optional<Dims> find_axes(const std::vector<Points>& views, std::int64_t item) {
    std::vector<Boundary> all;
    for (const Points& v : views) {
        for (std::size_t k = 0; k + 1 < v.axes.size(); ++k) {
            all.push_back({v.axes[k].stride, v.interior[k]});
        }
    }
    std::ranges::sort(all, {}, &Boundary::stride);
    std::vector<Boundary> axes{{item, item}};
    for (const Boundary& b : all) {
        Boundary& last = axes.back();
        const std::int64_t common = std::gcd(last.stride, b.stride);
        const std::int64_t interior = std::max(last.interior, b.interior);
        if (axes.size() > 1 && common >= interior) {
            last = {common, interior};
        } else {
            axes.push_back(b);
        }
    }
    Dims strides;
    for (std::size_t k = axes.size(); k-- > 0;) {
        if (k > 0 && axes[k].stride % axes[k - 1].stride != 0) return std::nullopt;
        strides.push_back(axes[k].stride);
    }
    return strides;
}

// Returns the extents of the axes with these strides. The outermost may end within the base's last
// position.
Dims extents_of(const Dims& strides, std::int64_t bytes) {
    Dims extents;
    for (std::int64_t stride : strides) {
        extents.push_back((bytes + stride - 1) / stride);
        bytes = stride;
    }
    return extents;
}

std::optional<Generator> generator_of(const Points& points, const Dims& strides,
                                      const Dims& extents, std::uint32_t op) {
    Generator g{{}, op};
    std::int64_t rest = points.offset;
    for (std::int64_t stride : strides) {
        g.axes.push_back({rest / stride, rest / stride + 1, 1, 1});
        rest %= stride;
    }
    if (rest != 0) return std::nullopt;
    for (const ViewAxis& axis : points.axes) {
        const auto* const at = std::ranges::find_if(
            strides, [&](std::int64_t stride) { return axis.stride % stride == 0; });
        if (at == strides.end()) return std::nullopt;
        AxisRange& range = g.axes[static_cast<std::size_t>(at - strides.begin())];
        if (range.upper > range.lower + 1) return std::nullopt;  // two axes of the view
        range.step = axis.stride / *at;
        range.upper = range.lower + (axis.extent - 1) * range.step + 1;
    }
    for (std::size_t k = 0; k < extents.size(); ++k) {
        if (g.axes[k].upper > extents[k]) return std::nullopt;
    }
    return g;
}

// Turns the last axis, of short rows, into periods of the axis outside. Returns false if some rows
// have steps.
bool fold_rows(ViewGenerators& found) {
    const std::int64_t length = found.set.shape.back();
    for (const Generator& g : found.set.generators) {
        if (g.axes.back().step > 1 || g.axes[g.axes.size() - 2].width > 1) return false;
    }
    for (Generator& g : found.set.generators) {
        const AxisRange row = g.axes.back();
        g.axes.pop_back();
        const AxisRange rows = g.axes.back();
        const std::int64_t last = (rows.upper - 1) * length;
        const auto folded = RangePart::of({rows.lower * length + row.lower, last + row.upper,
                                           rows.step * length, row.upper - row.lower});
        g.axes.back() = {folded->lower, folded->upper, folded->step, folded->width};
    }
    found.set.shape.pop_back();
    found.set.shape.back() *= length;
    found.strides[found.strides.size() - 2] = found.strides.back();
    found.strides.pop_back();
    return true;
}

}  // namespace

std::optional<ViewGenerators> generators_of(const Program& program,
                                            std::span<const std::uint32_t> operands) {
    if (operands.empty()) return std::nullopt;
    const Operand& first = program.operands[operands[0]];
    std::vector<Points> views;
    for (std::uint32_t index : operands) {
        const Operand& view = program.operands[index];
        if (view.dtype != first.dtype) return std::nullopt;
        std::optional<Points> points = points_of(program, view);
        if (!points) return std::nullopt;
        views.push_back(std::move(*points));
    }
    const auto strides = find_axes(views, itemsize(first.dtype));
    if (!strides) return std::nullopt;
    ViewGenerators found{*strides, {extents_of(*strides, program.bases[first.base].bytes), {}, {}}};
    for (std::uint32_t k = 0; k < views.size(); ++k) {
        auto generator = generator_of(views[k], found.strides, found.set.shape, k);
        if (!generator) return std::nullopt;
        found.set.generators.push_back(std::move(*generator));
    }
    while (found.set.shape.size() > 1 && found.set.shape.back() < kShortRow && fold_rows(found)) {
    }
    return found;
}

}  // namespace hassium
