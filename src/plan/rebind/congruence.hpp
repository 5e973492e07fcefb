// Congruent blocks: blocks of one program that do the same with other arrays, as the steps of a
// loop do.
//
// A Congruence relates a block to one before it, its model: their instructions, bases and plans are
// equal but for names. In a program of the family whose two blocks have equal numbers too, the
// answers that hold for the model's plan (plan/rebind/rebind.hpp) hold for the other, which takes
// over its numbers without asking again.
#pragma once

#include <cstdint>
#include <optional>

#include "base/small_vec.hpp"
#include "plan/loop_plan.hpp"
#include "plan/lower/lower.hpp"
#include "program/program.hpp"

namespace hassium {

class Congruence {
  public:
    // None: they differ in more than names, now, or are no nests. `model` is its number.
    static std::optional<Congruence> of(std::uint32_t model, const LoopPlan& model_plan,
                                        const LoopPlan& plan, const Program& program,
                                        const BaseUses& uses);

    std::uint32_t model() const { return model_; }
    // Whether the two blocks have equal numbers in this program.
    bool holds(const Program& program) const;

  private:
    // Operands that were recorded one after another, and their geometry.
    struct Stretch {
        std::uint32_t own, model, count;
        std::uint32_t own_geometry, model_geometry, words;
    };
    std::uint32_t model_ = 0;
    SmallVec<Stretch, 2> stretches_;

    bool add(const Program& program, const Instruction& model, const Instruction& own);
};

// Which blocks are worth comparing: others are not alike.
std::uint64_t congruence_key(const LoopPlan& plan);
// Gives a plan the numbers of its model, which has been bound.
void take_numbers(LoopPlan& plan, const LoopPlan& model);

}  // namespace hassium
