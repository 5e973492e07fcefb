// Where bases end. A recorded program has no `del`: its bases say that they die, because a prefix
// of the queue takes along deaths that came after it.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace hassium {

inline constexpr std::uint32_t kNoInstruction = 0xffffffffu;

// The recorded program with a `del` behind the last use of each base that dies. Operands and
// geometry of the recorded instructions keep their places; those of the dels come after all others.
// `from` tells for every instruction which recorded one it is, kNoInstruction for a del.
Program with_deaths(const Program& recorded, std::vector<std::uint32_t>& from);

// Gives a finished program the numbers of another that was recorded with the same structure.
void renumber(Program& finished, const Program& recorded);

}  // namespace hassium
