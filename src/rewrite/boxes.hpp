// Views of a base as boxes: ranges of positions along the axes of the base.
//
// The axes of a base are inferred from the strides of its views. Views that reverse an axis, skip
// elements or run over the end of an axis into the next are not boxes.
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
    // Returns the intersection of two boxes of one base; its volume is 0 if they are disjoint.
    Box meet(const Box& other) const;
    // Returns the difference of this box and `other`, as disjoint boxes.
    std::vector<Box> without(const Box& other) const;
    friend bool operator==(const Box&, const Box&) = default;
};

// A view as a box. `axis[j]` is the axis of the base along which axis j of the view runs, or
// kBroadcast if that has one element or stride 0.
struct BoxView {
    static constexpr std::uint8_t kBroadcast = 0xff;
    Box box;
    SmallVec<std::uint8_t, 8> axis;
};

// Cuts an axis of a view into groups of `factor` elements.
struct AxisSplit {
    std::int64_t factor = 1;  // 1: no cut
    bool apart = false;       // each element of the groups is a view of its own
};

// A view without its base. Strides and offset are in bytes.
struct StridedView {
    std::int64_t offset = 0;
    Dims shape, strides;

    static StridedView of(const Program& program, const Operand& view);
    // Returns the view with an axis split into two, the groups and the elements of one; or the
    // first elements of all groups, the second elements, and so on. Last come the elements behind
    // the last whole group, if there are any.
    std::vector<StridedView> split(std::size_t axis, AxisSplit split) const;
};

// The axes of one base, outermost first. The last position of an outer axis may have fewer elements
// along the inner ones: 2 n + 1 elements of which every second is written are axes of n + 1 and 2.
class BaseAxes {
  public:
    // Infers the axes from the views of the base among `operands`; none if a stride is negative or
    // less than an element.
    static std::optional<BaseAxes> of(const Program& program, BaseId base,
                                      std::span<const std::uint32_t> operands);

    std::optional<BoxView> find(const StridedView& view) const;
    std::optional<BoxView> find(const Program& program, const Operand& view) const {
        return find(StridedView::of(program, view));
    }
    // Returns how an axis of the view must be split to make the view boxes, but for a rest: into
    // steps over whole axes of the base and steps along one of them. The innermost steps come
    // first. Groups that begin inside a step of the base are apart. No cut if none is needed, or
    // possible, or if there would be too many boxes.
    AxisSplit split_of(const StridedView& view, std::size_t axis) const;
    std::size_t rank() const { return strides_.size(); }
    std::span<const std::int64_t> strides() const { return strides_; }

  private:
    Dims extents_, strides_;
    std::int64_t bytes_ = 0;  // of the base
};

}  // namespace hassium
