#include "rewrite/regions.hpp"

#include <algorithm>
#include <numeric>

#include "program/axes.hpp"

namespace hassium {
namespace {

constexpr int kMostOperands = 5;  // of a map with one result: output, three inputs and a mask

// Returns whether the axes of a view nest, so that each offset has a unique position along each.
bool nests(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
           std::int64_t itemsize) {
    std::int64_t inner = itemsize;
    for (std::size_t k = shape.size(); k-- > 0;) {
        const std::int64_t step = std::abs(strides[k]);
        if (step < inner) return false;
        inner = step * shape[k];
    }
    return true;
}

}  // namespace

ReadView ReadView::of(const Program& program, const Operand& view) {
    ReadView read{view.offset, hassium::itemsize(view.dtype), {}, {}};
    const auto shape = program.shape(view), strides = program.strides(view);
    read.shape.assign(shape.data(), shape.size());
    read.strides.assign(strides.data(), strides.size());
    return read;
}

std::int64_t Region::volume() const { return element_count(count); }

bool Region::meets(const Region& other) const {
    for (std::size_t k = 0; k < first.size(); ++k) {
        if (first[k] > other.first[k] + other.step[k] * (other.count[k] - 1)) return false;
        if (other.first[k] > first[k] + step[k] * (count[k] - 1)) return false;
    }
    return true;
}

Region Region::hull(const Region& other) const {
    Region both = *this;
    for (std::size_t k = 0; k < first.size(); ++k) {
        const std::int64_t last = std::max(first[k] + step[k] * (count[k] - 1),
                                           other.first[k] + other.step[k] * (other.count[k] - 1));
        std::int64_t common = std::abs(first[k] - other.first[k]);
        if (count[k] > 1) common = std::gcd(common, step[k]);
        if (other.count[k] > 1) common = std::gcd(common, other.step[k]);
        both.first[k] = std::min(first[k], other.first[k]);
        both.step[k] = std::max<std::int64_t>(common, 1);
        both.count[k] = (last - both.first[k]) / both.step[k] + 1;
    }
    return both;
}

std::optional<Domain> Domain::of(const Program& program, const Instruction& map) {
    const std::span<const Operand> operands = program.operands_of(map);
    const auto count = static_cast<int>(operands.size());
    auto stride = [&](int k, std::size_t axis) {
        const Operand& o = operands[static_cast<std::size_t>(k)];
        return o.is_constant() ? 0 : program.strides(o)[axis];
    };
    Domain made;
    made.operands_.assign(operands.begin(), operands.end());
    for (const std::int64_t step : program.strides(operands[0])) {
        made.recorded_.push_back(std::abs(step));
    }
    made.strides_.resize(operands.size());
    const Axes<kMostOperands> axes = coalesce<kMostOperands>(
        program.shape(operands[0]), stride_order(program.strides(operands[0])), stride, count);
    for (const Axis<kMostOperands>& axis : axes) {
        made.shape_.push_back(axis.extent);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            made.strides_[k].push_back(axis.strides[k]);
        }
    }
    if (!nests(made.shape_, made.strides_[0], itemsize(operands[0].dtype))) return std::nullopt;
    return made;
}

void Domain::split(const ReadView& view) {
    for (const std::int64_t stride : recorded_) split(stride);
    for (std::size_t j = 0; j < view.shape.size(); ++j) {
        if (view.shape[j] > 1) split(std::abs(view.strides[j]));
    }
}

void Domain::split(std::int64_t stride) {
    for (std::size_t k = 0; k < shape_.size(); ++k) {
        const std::int64_t own = std::abs(strides_[0][k]), inner = stride / own;
        if (stride % own != 0 || inner <= 1 || inner >= shape_[k] || shape_[k] % inner != 0) {
            continue;
        }
        shape_.insert(k, shape_[k] / inner);
        shape_[k + 1] = inner;
        for (Dims& strides : strides_) strides.insert(k, strides[k] * inner);
        return;
    }
}

std::int64_t Domain::volume() const { return element_count(shape_); }

std::optional<Domain::Walk> Domain::walk(const ReadView& view) const {
    const std::size_t rank = shape_.size();
    const Dims& strides = strides_[0];
    Walk walk;
    for (std::size_t k = 0; k < rank; ++k) {
        walk.region.first.push_back(0);
        walk.region.count.push_back(1);
        walk.region.step.push_back(1);
    }
    // Counts both from their first byte, with positive strides.
    std::int64_t offset = view.offset - operands_[0].offset;
    for (std::size_t k = 0; k < rank; ++k) {
        if (strides[k] < 0) offset -= strides[k] * (shape_[k] - 1);
    }
    for (std::size_t j = 0; j < view.shape.size(); ++j) {
        walk.axis.push_back(kBroadcast);
        walk.step.push_back(0);
        const std::int64_t count = view.shape[j], stride = std::abs(view.strides[j]);
        if (count == 1 || stride == 0) continue;
        if (view.strides[j] < 0) offset -= stride * (count - 1);
        std::size_t along = 0;
        for (; along < rank; ++along) {
            const std::int64_t own = std::abs(strides[along]);
            if (walk.region.count[along] == 1 && stride % own == 0 &&
                stride / own * (count - 1) < shape_[along]) {
                break;
            }
        }
        if (along == rank) return std::nullopt;
        walk.axis[j] = static_cast<std::uint8_t>(along);
        walk.step[j] = view.strides[j] / strides[along];
        walk.region.count[along] = count;
        walk.region.step[along] = std::abs(walk.step[j]);
    }
    if (offset < 0) return std::nullopt;
    for (std::size_t k = 0; k < rank; ++k) {
        const std::int64_t span = walk.region.step[k] * (walk.region.count[k] - 1);
        const std::int64_t own = std::abs(strides[k]), first = offset / own;
        offset %= own;
        if (first + span >= shape_[k]) return std::nullopt;
        walk.region.first[k] = strides[k] < 0 ? shape_[k] - 1 - first - span : first;
    }
    if (offset + view.itemsize > itemsize(operands_[0].dtype)) return std::nullopt;
    return walk;
}

std::optional<Region> Domain::find(const ReadView& view) const {
    std::optional<Walk> found = walk(view);
    if (!found) return std::nullopt;
    return std::move(found->region);
}

bool Domain::keeps_order(const ReadView& view) const {
    const std::optional<Walk> found = walk(view);
    if (!found) return false;
    int last = -1;
    for (const std::uint8_t axis : found->axis) {
        if (axis == kBroadcast) continue;
        if (axis < last) return false;
        last = axis;
    }
    return true;
}

std::vector<Operand> Domain::inputs_through(Program& program, const ReadView& view) const {
    const Walk found = *walk(view);
    std::vector<Operand> inputs;
    for (std::size_t o = 1; o < operands_.size(); ++o) {
        inputs.push_back(operands_[o]);
        if (operands_[o].is_constant()) continue;
        std::int64_t offset = operands_[o].offset;
        for (std::size_t k = 0; k < shape_.size(); ++k) {
            offset += found.region.first[k] * strides_[o][k];
        }
        Dims strides;
        for (std::size_t j = 0; j < view.shape.size(); ++j) {
            const std::size_t k = found.axis[j];
            strides.push_back(k == kBroadcast ? 0 : found.step[j] * strides_[o][k]);
            if (found.step[j] < 0) offset -= strides[j] * (view.shape[j] - 1);
        }
        append_view(program, operands_[o].base, operands_[o].dtype, offset, view.shape, strides);
        inputs.back() = program.operands.back();
        program.operands.pop_back();
    }
    return inputs;
}

std::uint32_t Domain::append_operands(Program& program, const Region& region) const {
    const auto first = static_cast<std::uint32_t>(program.operands.size());
    for (std::size_t o = 0; o < operands_.size(); ++o) {
        if (operands_[o].is_constant()) {
            program.operands.push_back(operands_[o]);
            continue;
        }
        std::int64_t offset = operands_[o].offset;
        Dims strides;
        for (std::size_t k = 0; k < shape_.size(); ++k) {
            offset += region.first[k] * strides_[o][k];
            strides.push_back(strides_[o][k] * region.step[k]);
        }
        append_view(program, operands_[o].base, operands_[o].dtype, offset, region.count, strides);
    }
    return first;
}

}  // namespace hassium
