// The plan of one program bound to the numbers of another of its family.
//
// Programs of one symbolic form (program/symbolic.hpp) that are cut alike differ in numbers only,
// and mostly planning decides alike for them: the same arrays are contracted, axes come in the same
// order and merge in the same places. A Rebinding knows where each number of a plan comes from in
// the program, and asks again whatever the plan's structure rests on:
//
//   - operands that were one operand still are, and those that were not still are not, so the same
//     bases are contracted and slots are assigned alike;
//   - axes: the first output's strides, or the reductions' trees, give the same order; axes that
//     merged still merge, and between others an operand still stands that refuses.
//
// Then planning would make just this plan, and apply() sets its numbers; spans, swept axes and
// stores past the caches are chosen again by the functions that chose before. What planning derives
// from structure alone (kernels, slots, lifetimes, order of statements) stays as it is. Blocks
// whose iteration spaces agree only after axes are merged, blocks of several phases, blocks over
// nothing, and whatever else is not understood here are only moved
// (plan/rebind/offset_rebinding.hpp), and planned anew where shapes or strides are others. of()
// tries itself on the plan it is made for, so a pass of lowering that it does not know is found
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "plan/loop_plan.hpp"
#include "plan/lower/lower.hpp"
#include "plan/rebind/offset_rebinding.hpp"
#include "program/program.hpp"

namespace hassium {

class Rebinding {
  public:
    static std::optional<Rebinding> of(const LoopPlan& plan, const Program& program,
                                       const BaseUses& uses);

    // Sets the plan's numbers, but for those of pairs of plans (Sweep), from a program as recorded
    // or with its dels: both have the operands in the same places. False: planning would decide
    // otherwise with these numbers; some of the plan's are set then.
    bool apply(LoopPlan& plan, const Program& program, const BaseUses& uses) const;

  private:
    using Index = std::uint32_t;
    static constexpr Index kStill = 0xffffffff;     // in place of a stride: does not move
    static constexpr Index kPosition = 0xffffffff;  // in place of a view: counts elements

    // An operand of the plan that is a view, or was one before it was contracted.
    struct Source {
        Index operand, view;  // of the plan, of the program
        bool memory;
    };
    // Another view of the program that shows what a source shows.
    struct Alias {
        Index source, view;
        bool raw;  // shape and strides are equal as they stand, those of single elements too
    };
    struct Pair {
        Index first, second;  // sources
    };
    // Whether component `outer` and the components [inner, end) make one axis.
    struct Joint {
        std::uint8_t outer, inner, end;
        Index witness = 0;  // when they do not: a source that refuses
    };

    BlockKind kind_ = BlockKind::Nest;
    bool by_strides_ = false;  // the source `leading_` orders the axes
    bool counts_ = false;      // some source is a position
    Index leading_ = 0;
    Instruction alone_ = {};                        // Single
    std::unique_ptr<const OffsetRebinding> moved_;  // all there is to it: nothing below is used
    std::int64_t preferred_tile_ = 0;
    // One piece of memory for all lists: a flush of many blocks passes through a great deal of it.
    std::unique_ptr<std::byte[]> memory_;
    std::span<const Index> extents_;         // per component, in nest order: where in the geometry
    std::span<const std::uint8_t> c_order_;  // components from the program's last axis to its first
    std::span<const std::uint8_t> firsts_, ends_;  // per axis of the nest: components [first, end)
    std::span<const Source> sources_;
    std::span<const Index> strides_;  // per source and component: where in the geometry
    std::span<const Alias> aliases_;
    std::span<const Pair> rising_;    // the second begins behind the first
    std::span<const Pair> crossing_;  // they begin together and walk apart
    std::span<const Joint> merged_, apart_;
    std::span<const Instruction> reductions_;

    struct Maker;  // make_rebinding.cpp
    // What the program has in the places that are listed: per component, per source and component.
    struct Numbers {
        const std::int64_t *extents, *rows;
    };
    bool views_agree(const Program& program, const Numbers& numbers) const;
    bool axes_agree(const Numbers& numbers) const;
    bool bind_trees(LoopPlan& plan, const Program& program) const;
    void bind_operands(LoopPlan& plan, const Program& program, const Numbers& numbers) const;
};

}  // namespace hassium
