#include "rewrite/boxes.hpp"

#include <algorithm>

namespace hassium {
namespace {

// The widest axes of a base whose elements may be apart: the grids of an interpolation, colours.
constexpr std::int64_t kMostApart = 8;

}  // namespace

std::int64_t Box::volume() const {
    std::int64_t n = 1;
    for (std::size_t k = 0; k < lower.size(); ++k) {
        n *= std::max<std::int64_t>(upper[k] - lower[k], 0);
    }
    return n;
}

bool Box::contains(const Box& other) const {
    for (std::size_t k = 0; k < lower.size(); ++k) {
        if (other.lower[k] < lower[k] || other.upper[k] > upper[k]) return false;
    }
    return true;
}

Box Box::meet(const Box& other) const {
    Box both = *this;
    for (std::size_t k = 0; k < lower.size(); ++k) {
        both.lower[k] = std::max(lower[k], other.lower[k]);
        both.upper[k] = std::min(upper[k], other.upper[k]);
    }
    return both;
}

std::vector<Box> Box::without(const Box& other) const {
    if (meet(other).volume() == 0) return {*this};
    std::vector<Box> parts;
    Box left = *this;
    for (std::size_t k = 0; k < lower.size(); ++k) {
        for (const bool below : {true, false}) {
            Box part = left;
            if (below) {
                part.upper[k] = std::min(left.upper[k], other.lower[k]);
            } else {
                part.lower[k] = std::max(left.lower[k], other.upper[k]);
            }
            if (part.volume() > 0) parts.push_back(std::move(part));
        }
        left.lower[k] = std::max(left.lower[k], other.lower[k]);
        left.upper[k] = std::min(left.upper[k], other.upper[k]);
    }
    return parts;
}

std::optional<BaseAxes> BaseAxes::of(const Program& program, BaseId base,
                                     std::span<const std::uint32_t> operands) {
    if (operands.empty()) return std::nullopt;
    const std::int64_t item = itemsize(program.operands[operands[0]].dtype);
    BaseAxes axes;
    axes.strides_.push_back(item);
    axes.bytes_ = program.bases[base].bytes;
    for (std::uint32_t index : operands) {
        const Operand& view = program.operands[index];
        if (itemsize(view.dtype) != item) return std::nullopt;
        for (std::size_t k = 0; k < view.ndim; ++k) {
            const std::int64_t stride = program.strides(view)[k];
            if (program.shape(view)[k] < 2 || stride == 0) continue;
            if (stride < item) return std::nullopt;
            auto known = std::find(axes.strides_.begin(), axes.strides_.end(), stride);
            if (known == axes.strides_.end()) axes.strides_.push_back(stride);
        }
    }
    std::sort(axes.strides_.begin(), axes.strides_.end(), std::greater<>());
    std::int64_t outside = axes.bytes_;
    for (std::int64_t stride : axes.strides_) {
        axes.extents_.push_back((outside + stride - 1) / stride);
        outside = stride;
    }
    return axes;
}

StridedView StridedView::of(const Program& program, const Operand& view) {
    return {view.offset, Dims(program.shape(view)), Dims(program.strides(view))};
}

std::vector<StridedView> StridedView::split(std::size_t axis, AxisSplit split) const {
    const std::int64_t groups = shape[axis] / split.factor, step = strides[axis];
    StridedView first = *this;
    first.shape[axis] = groups;
    first.strides[axis] = step * split.factor;
    std::vector<StridedView> views;
    if (split.apart) {
        for (std::int64_t k = 0; k < split.factor; ++k) {
            views.push_back(first);
            views.back().offset += k * step;
        }
    } else {
        first.shape.insert(axis + 1, split.factor);
        first.strides.insert(axis + 1, step);
        views.push_back(std::move(first));
    }
    if (const std::int64_t left = shape[axis] - groups * split.factor; left > 0) {
        views.push_back(*this);
        views.back().shape[axis] = left;
        views.back().offset += groups * split.factor * step;
    }
    return views;
}

std::optional<BoxView> BaseAxes::find(const StridedView& view) const {
    BoxView found;
    std::int64_t left = view.offset;
    for (std::int64_t stride : strides_) {
        found.box.lower.push_back(left / stride);
        found.box.upper.push_back(left / stride + 1);
        left %= stride;
    }
    if (left != 0) return std::nullopt;
    for (std::size_t j = 0; j < view.shape.size(); ++j) {
        found.axis.push_back(BoxView::kBroadcast);
        const std::int64_t extent = view.shape[j], stride = view.strides[j];
        if (extent == 1 || stride == 0) continue;
        const auto at = std::find(strides_.begin(), strides_.end(), stride);
        const auto k = static_cast<std::size_t>(at - strides_.begin());
        // Two axes of a view may have one stride, as those of sliding windows do.
        if (at == strides_.end() || found.box.upper[k] != found.box.lower[k] + 1) {
            return std::nullopt;
        }
        found.axis[j] = static_cast<std::uint8_t>(k);
        found.box.upper[k] = found.box.lower[k] + extent;
    }
    // The last element along each axis and those within it lies before the next step of the axis
    // outside it, so that no two positions are of one element.
    std::int64_t last = 0;
    for (std::size_t k = strides_.size(); k-- > 0;) {
        last += (found.box.upper[k] - 1) * strides_[k];
        if (last >= (k == 0 ? bytes_ : strides_[k - 1])) return std::nullopt;
    }
    return found;
}

AxisSplit BaseAxes::split_of(const StridedView& view, std::size_t axis) const {
    const std::int64_t extent = view.shape[axis], stride = view.strides[axis];
    const auto at = std::find(strides_.begin(), strides_.end(), stride);
    if (extent == 1 || at == strides_.begin() || at == strides_.end()) return {};
    const std::int64_t along = extents_[static_cast<std::size_t>(at - strides_.begin())];
    std::int64_t left = view.offset;
    for (auto outer = strides_.begin(); outer != at; ++outer) left %= *outer;
    const std::int64_t begins = left / stride;
    if (along * stride != at[-1] || begins + extent <= along) return {};
    if (begins == 0) return {along, false};
    return along <= kMostApart ? AxisSplit{std::min(along, extent), true} : AxisSplit{};
}

}  // namespace hassium
