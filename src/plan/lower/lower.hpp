// Lowers one block to a loop nest in canonical iteration order. Whatever fuse/legal/legal.cpp
// allows is lowered.
#pragma once

#include <cstdint>
#include <vector>

#include "fuse/partition.hpp"
#include "plan/loop_plan.hpp"
#include "program/program.hpp"

namespace hassium {

// How often a program names each base: what all its blocks ask for. It depends on structure alone,
// so programs of one structure share it.
struct BaseUses {
    std::vector<std::uint32_t> operands;  // del and sync included
    std::vector<std::uint32_t> computed;  // without them
};
BaseUses count_uses(const Program& program);

// Lowers block after block of one program; holds scratch of the size of the program, so that a
// block costs what its members cost.
class Lowering {
  public:
    Lowering(const Program& program, const BaseUses& uses);
    LoopPlan lower(const Block& block);
    // Forgets what is noted of bases: another nest begins.
    void begin();

    const Program& program;
    const BaseUses& uses;

    // What is noted of a base, for the present block only.
    struct Note {
        std::uint32_t block = 0;                 // of the notes below; another: nothing is noted
        std::uint32_t use = kNothing;            // place among the block's uses
        std::uint32_t first_operand = kNothing;  // of the plan's operands on it, see next_operand
        bool contracted = false;
    };
    static constexpr std::uint32_t kNothing = 0xffffffffu;
    Note& note(BaseId base) {
        Note& note = notes_[base];
        if (note.block != block_) note = {block_, kNothing, kNothing, false};
        return note;
    }
    std::vector<std::uint32_t> next_operand;  // per operand of the plan: the next on its base

  private:
    std::vector<Note> notes_;
    std::uint32_t block_ = 0;
};

// One block alone.
LoopPlan lower(const Program& program, const Block& block);

}  // namespace hassium
