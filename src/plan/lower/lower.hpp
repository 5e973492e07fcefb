// Lowers one block to a loop nest in canonical iteration order. Every block that
// fuse/legal/legal.cpp allows can be lowered.
#pragma once

#include <cstdint>
#include <vector>

#include "fuse/partition.hpp"
#include "plan/loop_plan.hpp"
#include "program/program.hpp"

namespace hassium {

// Number of uses of each base by a program, which all its blocks need. It depends on structure
// alone, so programs of one structure share it.
struct BaseUses {
    std::vector<std::uint32_t> operands;  // del and sync included
    std::vector<std::uint32_t> computed;  // without them
};
BaseUses count_uses(const Program& program);

// Lowers the blocks of one program, one after another. Holds scratch memory of the size of the
// program, so that the time per block depends on its members only.
class Lowering {
  public:
    Lowering(const Program& program, const BaseUses& uses);
    LoopPlan lower(const Block& block);
    // Clears the notes on bases for the next nest.
    void begin();

    const Program& program;
    const BaseUses& uses;

    // Notes on a base, valid for the current block only.
    struct Note {
        std::uint32_t block = 0;       // that the notes belong to; if another, they are void
        std::uint32_t use = kNothing;  // index among the block's uses
        std::uint32_t first_operand = kNothing;  // the plan's first operand on it, see next_operand
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

// Lowers a single block.
LoopPlan lower(const Program& program, const Block& block);

}  // namespace hassium
