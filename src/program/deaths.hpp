// Adds `del` instructions. A recorded program has none: its bases are marked as dying, because a
// prefix of the queue includes deaths that happened after the cut.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace hassium {

inline constexpr std::uint32_t kNoInstruction = 0xffffffffu;

// Returns the recorded program with a `del` after the last use of each base that dies. Operands and
// geometry of the recorded instructions keep their indices; those of the dels follow. Sets `from`
// to the recorded instruction of each instruction, kNoInstruction for a del.
Program with_deaths(const Program& recorded, std::vector<std::uint32_t>& from);

// Copies bases, operands and geometry from a recorded program of the same structure.
void renumber(Program& finished, const Program& recorded);

}  // namespace hassium
