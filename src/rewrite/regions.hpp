// Regions of a map's domain: a strided range along each axis.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/small_vec.hpp"
#include "program/axes.hpp"
#include "program/program.hpp"

namespace hassium {

// The geometry of a view that an instruction reads.
struct ReadView {
    std::int64_t offset, itemsize;
    Dims shape, strides;

    static ReadView of(const Program& program, const Operand& view);
    Extent extent() const { return {offset, itemsize, shape, strides}; }
};

// The positions first, first + step, ... along each axis; `count` of them.
struct Region {
    Dims first, count, step;

    std::int64_t volume() const;
    bool meets(const Region& other) const;  // treats every step as 1
    // Returns the smallest region that contains both.
    Region hull(const Region& other) const;
};

// The domain of a map that writes each element once, with the strides of its operands: coalesced
// axes, outermost of the result first.
class Domain {
  public:
    // Returns none if two axes of the result interleave.
    static std::optional<Domain> of(const Program& program, const Instruction& map);

    // Splits an axis in two where `view`, of another shape, has strides of both parts.
    void split(const ReadView& view);

    std::int64_t volume() const;
    // Returns the positions of the elements that a view of the result shows; none if it shows
    // others.
    std::optional<Region> find(const ReadView& view) const;
    // Returns whether find() accepts the view and its axes are in the order of the domain's.
    bool keeps_order(const ReadView& view) const;
    // Returns the inputs as seen through `view` of the result, with the axes of the view, and
    // appends their geometry. find() must accept the view, and it must have the result's dtype.
    std::vector<Operand> inputs_through(Program& program, const ReadView& view) const;
    // Appends the operands restricted to a region; returns the index of the first.
    std::uint32_t append_operands(Program& program, const Region& region) const;

  private:
    static constexpr std::uint8_t kBroadcast = 0xff;
    // How a view walks the domain: the domain axis of each view axis, and positions per step.
    struct Walk {
        Region region;
        SmallVec<std::uint8_t, 8> axis;  // kBroadcast: the view axis has stride 0 or one element
        Dims step;
    };
    std::optional<Walk> walk(const ReadView& view) const;
    void split(std::int64_t stride);

    std::vector<Operand> operands_;
    Dims recorded_;  // strides of the result, as recorded
    Dims shape_;
    std::vector<Dims> strides_;  // of each operand, one per axis; 0 for constants
};

}  // namespace hassium
