// The plan of a block for views that lie elsewhere: of equal shapes and strides, at other offsets.
//
// A Rebinding (rebind.hpp) follows lowering through other extents, and does not understand all of
// it. Of any block these are simple: windows that slide over an array, columns that are filled one
// after another. All that planning asks of offsets is which views begin together and which of two
// comes first. While the answers are the same, so is the plan, but for the offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/loop_plan.hpp"
#include "program/program.hpp"

namespace hassium {

class OffsetRebinding {
  public:
    // None: some operand of the plan is no view of an instruction.
    static std::optional<OffsetRebinding> of(const LoopPlan& plan, const Program& program);

    // Moves the plan to where the program's views are, which has its operands in the places that
    // the plan's own program has. False: more is different; the plan is as it was.
    bool apply(LoopPlan& plan, const Program& program) const;

  private:
    using Index = std::uint32_t;

    // Consecutive words of the geometry, and where they are kept.
    struct Stretch {
        Index first, count, at;
    };
    // An operand of a nest that is in memory, and the view that says where.
    struct Place {
        Index nest, operand, view;
    };
    // Views of one base, in the order in which they begin.
    struct Pair {
        Index first, second;
        bool together;
    };
    // For a base that has memory for a panel only.
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
