// Congruent blocks: blocks of one program that do the same to different arrays, as the steps of a
// loop do.
//
// A Congruence relates a block to an earlier one, its model: their instructions, bases and plans
// are equal up to renaming. If the two blocks have equal numbers in a program of the family,
// everything checked for the model's plan (plan/rebind/rebind.hpp) holds for the other, which takes
// the model's numbers without a check.
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
    // Returns none if they differ in more than names in this program, or are not nests. `model` is
    // the index of the model.
    static std::optional<Congruence> of(std::uint32_t model, const LoopPlan& model_plan,
                                        const LoopPlan& plan, const Program& program,
                                        const BaseUses& uses);

    std::uint32_t model() const { return model_; }
    // Returns whether the two blocks have equal numbers in this program.
    bool holds(const Program& program) const;

  private:
    // Operands that were recorded consecutively, and their geometry.
    struct Stretch {
        std::uint32_t own, model, count;
        std::uint32_t own_geometry, model_geometry, words;
    };
    std::uint32_t model_ = 0;
    SmallVec<Stretch, 2> stretches_;

    bool add(const Program& program, const Instruction& model, const Instruction& own);
};

// Returns a key: only blocks with equal keys can be congruent.
std::uint64_t congruence_key(const LoopPlan& plan);
// Copies the numbers of a bound model to a plan.
void take_numbers(LoopPlan& plan, const LoopPlan& model);

}  // namespace hassium
