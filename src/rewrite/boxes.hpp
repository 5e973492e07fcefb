// Views of a base as boxes: ranges of positions along the base's own axes.
//
// The axes of a base are read off the steps that its views take. Views that reverse an axis, skip
// elements or run over the end of an axis into the next are no boxes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/small_vec.hpp"
#include "program/program.hpp"

namespace hassium {

// Positions lower[k] <= i < upper[k] along each axis.
struct Box {
    Dims lower, upper;

    std::int64_t volume() const;
    bool contains(const Box& other) const;
    // For two boxes of one base; of volume 0 where they do not meet.
    Box meet(const Box& other) const;
    // What of it lies outside the other, in boxes.
    std::vector<Box> without(const Box& other) const;
    friend bool operator==(const Box&, const Box&) = default;
};

// A view as a box. `axis[j]` is the base's axis along which the view's axis j runs, kBroadcast
// where it has one element or repeats.
struct BoxView {
    static constexpr std::uint8_t kBroadcast = 0xff;
    Box box;
    SmallVec<std::uint8_t, 8> axis;
};

// The axes of one base, outermost first.
class BaseAxes {
  public:
    // For the views of the base among the operands; none where their steps make no axes.
    static std::optional<BaseAxes> of(const Program& program, BaseId base,
                                      std::span<const std::uint32_t> operands);

    std::optional<BoxView> find(const Program& program, const Operand& view) const;
    // By which factor the view's axis has to be split, into steps over whole axes of the base and
    // steps along one, to be a box: that of the innermost steps, or 1 where it need not or cannot
    // be split.
    std::int64_t split_of(const Program& program, const Operand& view, std::size_t axis) const;
    std::size_t rank() const { return strides_.size(); }
    std::span<const std::int64_t> strides() const { return strides_; }

  private:
    Dims extents_, strides_;
};

}  // namespace hassium
