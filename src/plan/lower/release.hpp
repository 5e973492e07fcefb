// Releases memory after the block that uses it last, wherever the partition put the deletion: that
// may be in any later block, and a temporary that waits for it keeps the next one from reusing
// memory that is still in the cache.
#pragma once

#include <span>

#include "plan/loop_plan.hpp"
#include "program/program.hpp"

namespace hassium {

void release_early(const Program& program, std::span<LoopPlan> plans);

}  // namespace hassium
