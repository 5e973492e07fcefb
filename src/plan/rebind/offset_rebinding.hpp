// Rebinds the plan of a block to views of equal shapes and strides at other offsets.
//
// A Rebinding (rebind.hpp) models how lowering depends on extents, and does not cover all of it.
// Offsets are simple for any block: windows that slide over an array, columns that are filled one
// after another. Planning uses offsets only to test which views begin at the same byte and which of
// two begins first. As long as these answers are equal, so is the plan, except for the offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/loop_plan.hpp"
#include "program/program.hpp"

namespace hassium {

class OffsetRebinding {
  public:
    // Returns none if some operand of the plan is not a view of an instruction.
    static std::optional<OffsetRebinding> of(const LoopPlan& plan, const Program& program);

    // Sets the plan's offsets from the program's views; operand indices must be those of the plan's
    // own program. Returns false if anything but offsets differs; the plan is then unchanged.
    bool apply(LoopPlan& plan, const Program& program) const;

  private:
    using Index = std::uint32_t;

    // Consecutive words of the geometry, and the index of their copy.
    struct Stretch {
        Index first, count, at;
    };
    // An operand of a nest that is in memory, and the view with its offset.
    struct Place {
        Index nest, operand, view;
    };
    // Views of one base, in the order of their offsets.
    struct Pair {
        Index first, second;
        bool together;
    };
    // The required offset of a base that has memory for a panel only.
    struct Still {
        Index view;
        std::int64_t offset;
    };

    std::vector<Stretch> stretches_;
    std::vector<std::int64_t> numbers_;
    std::vector<Place> places_;
    std::vector<Pair> pairs_;
    std::vector<Still> still_;

    void keep_geometry(const Program& program, const Operand& view);
    bool add_nest(const LoopPlan& nest, Index number, const Program& program);
    void order_views(const Program& program, std::vector<Index> views);
    bool holds(const Program& program) const;
};

}  // namespace hassium
