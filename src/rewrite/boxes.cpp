#include "rewrite/boxes.hpp"

#include <algorithm>

namespace hassium {

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
    std::int64_t outside = program.bases[base].bytes;
    for (std::int64_t stride : axes.strides_) {
        if (outside % stride != 0) return std::nullopt;
        axes.extents_.push_back(outside / stride);
        outside = stride;
    }
    return axes;
}

std::optional<BoxView> BaseAxes::find(const Program& program, const Operand& view) const {
    BoxView found;
    std::int64_t left = view.offset;
    for (std::int64_t stride : strides_) {
        found.box.lower.push_back(left / stride);
        found.box.upper.push_back(left / stride + 1);
        left %= stride;
    }
    if (left != 0) return std::nullopt;
    for (std::size_t j = 0; j < view.ndim; ++j) {
        found.axis.push_back(BoxView::kBroadcast);
        const std::int64_t extent = program.shape(view)[j], stride = program.strides(view)[j];
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
    for (std::size_t k = 0; k < strides_.size(); ++k) {
        if (found.box.upper[k] > extents_[k]) return std::nullopt;
    }
    return found;
}

std::int64_t BaseAxes::split_of(const Program& program, const Operand& view,
                                std::size_t axis) const {
    const std::int64_t extent = program.shape(view)[axis], stride = program.strides(view)[axis];
    const auto at = std::find(strides_.begin(), strides_.end(), stride);
    if (extent == 1 || at == strides_.begin() || at == strides_.end()) return 1;
    const std::int64_t along = extents_[static_cast<std::size_t>(at - strides_.begin())];
    const std::int64_t place = view.offset % at[-1] / stride;
    return extent > along && place == 0 && extent % along == 0 ? along : 1;
}

}  // namespace hassium
