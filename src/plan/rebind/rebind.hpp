// Binds the plan of one program to the numbers of another of its family.
//
// Programs of one symbolic form (program/symbolic.hpp) with the same partition differ in numbers
// only, and planning mostly decides equally for them: the same arrays are contracted, axes come in
// the same order and merge in the same places. A Rebinding knows the source of each number of a
// plan in the program, and rechecks everything that the plan's structure depends on:
//
//   - equal operands are still equal, and different ones still different, so the same bases are
//     contracted and slots are assigned equally;
//   - axes: the first output's strides, or the reductions' trees, give the same order; merged axes
//     still merge, and between the others some operand still prevents it.
//
// Then planning would make exactly this plan, and apply() sets its numbers; spans, swept axes and
// non-temporal stores are chosen again by the functions of planning. What planning derives from
// structure alone (kernels, slots, lifetimes, order of statements) is unchanged. Blocks whose
// iteration spaces agree only after axes are merged, blocks of several phases, empty blocks, and
// everything else that is not modelled here can only change offsets
// (plan/rebind/offset_rebinding.hpp) and are planned anew for other shapes or strides. of() checks
// itself on the plan that it is made for, which detects passes of lowering that it does not model.
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

    // Sets the plan's numbers, except those of pairs of plans (Sweep), from a program as recorded
    // or with its dels: operand indices are equal in both. Returns false if planning would decide
    // differently with these numbers; the plan is then partly overwritten.
    bool apply(LoopPlan& plan, const Program& program, const BaseUses& uses) const;

  private:
    using Index = std::uint32_t;
    static constexpr Index kStill = 0xffffffff;     // in place of a stride: 0
    static constexpr Index kPosition = 0xffffffff;  // in place of a view: a position

    // An operand of the plan that is a view, or was one before it was contracted.
    struct Source {
        Index operand, view;  // of the plan, of the program
        bool memory;
    };
    // Another view of the program that shows the same elements as a source.
    struct Alias {
        Index source, view;
        bool raw;  // shape and strides are equal literally, including those of single elements
    };
    struct Pair {
        Index first, second;  // sources
    };
    // Whether component `outer` and the components [inner, end) form one axis.
    struct Joint {
        std::uint8_t outer, inner, end;
        Index witness = 0;  // if they do not: a source that prevents it
    };

    BlockKind kind_ = BlockKind::Nest;
    bool by_strides_ = false;  // the source `leading_` orders the axes
    bool counts_ = false;      // some source is a position
    Index leading_ = 0;
    Instruction alone_ = {};                        // Single
    std::unique_ptr<const OffsetRebinding> moved_;  // if set, the members below are unused
    std::int64_t preferred_tile_ = 0;
    // One allocation for all lists: a flush of many blocks reads a great deal of it.
    std::unique_ptr<std::byte[]> memory_;
    std::span<const Index> extents_;         // per component, in nest order: index in the geometry
    std::span<const std::uint8_t> c_order_;  // components from the program's last axis to its first
    std::span<const std::uint8_t> firsts_, ends_;  // per axis of the nest: components [first, end)
    std::span<const Source> sources_;
    std::span<const Index> strides_;  // per source and component: index in the geometry
    std::span<const Alias> aliases_;
    std::span<const Pair> rising_;    // the second begins after the first
    std::span<const Pair> crossing_;  // they begin together and have different strides
    std::span<const Joint> merged_, apart_;
    std::span<const Instruction> reductions_;

    struct Maker;  // make_rebinding.cpp
    // The program's numbers at the listed indices: per component, per source and component.
    struct Numbers {
        const std::int64_t *extents, *rows;
    };
    bool views_agree(const Program& program, const Numbers& numbers) const;
    bool axes_agree(const Numbers& numbers) const;
    bool bind_trees(LoopPlan& plan, const Program& program) const;
    void bind_operands(LoopPlan& plan, const Program& program, const Numbers& numbers) const;
};

}  // namespace hassium
