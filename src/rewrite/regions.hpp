// Regions of a map's domain: a range with a step along each axis.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/small_vec.hpp"
#include "program/axes.hpp"
#include "program/program.hpp"

namespace hassium {

// A view that is read of a base.
struct ReadView {
    std::int64_t offset, itemsize;
    Dims shape, strides;

    static ReadView of(const Program& program, const Operand& view);
    Extent extent() const { return {offset, itemsize, shape, strides}; }
};

// Positions first, first + step, ... of each axis.
struct Region {
    Dims first, count, step;

    std::int64_t volume() const;
    bool meets(const Region& other) const;  // as if every step were one
    // The smallest region that holds both.
    Region hull(const Region& other) const;
};

// The domain of a map that writes each element once, and its operands' views over it: coalesced
// axes, the outermost of the result first.
class Domain {
  public:
    // None: two axes of the result interleave.
    static std::optional<Domain> of(const Program& program, const Instruction& map);

    // Makes two axes of one where the view, of another shape, takes the steps of both.
    void split(const ReadView& view);

    std::int64_t volume() const;
    // The positions of the elements that a view of the result shows; none where it shows others.
    std::optional<Region> find(const ReadView& view) const;
    // Whether find() knows the view, with its axes in the order of the domain's.
    bool keeps_order(const ReadView& view) const;
    // The inputs as a view of the result shows them, with the view's axes, given that find() knows
    // it and that it has the result's dtype. Appends their geometry.
    std::vector<Operand> inputs_through(Program& program, const ReadView& view) const;
    // Appends the operands over a region; the index of the first.
    std::uint32_t append_operands(Program& program, const Region& region) const;

  private:
    static constexpr std::uint8_t kBroadcast = 0xff;
    // Where the axes of a view run: along which axes of the domain, by how many positions a step.
    struct Walk {
        Region region;
        SmallVec<std::uint8_t, 8> axis;  // kBroadcast: the view repeats or has one element
        Dims step;
    };
    std::optional<Walk> walk(const ReadView& view) const;
    void split(std::int64_t stride);

    std::vector<Operand> operands_;
    Dims recorded_;  // strides of the result, as recorded
    Dims shape_;
    std::vector<Dims> strides_;  // of each operand, one an axis; 0 of constants
};

}  // namespace hassium
