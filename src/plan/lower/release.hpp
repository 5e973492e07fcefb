// Memory goes back after the block that touches it last, wherever the partition put the deletion:
// a deletion may stand in any block behind that one, and a temporary that waits for it keeps the
// next one from using memory that is still in the cache.
#pragma once

#include <span>

#include "plan/loop_plan.hpp"
#include "program/program.hpp"

namespace hassium {

void release_early(const Program& program, std::span<LoopPlan> plans);

}  // namespace hassium
