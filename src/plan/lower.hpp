// Lowers one block to a loop nest in canonical iteration order. Whatever fuse/legal.cpp allows is
// lowered.
#pragma once

#include "fuse/partition.hpp"
#include "plan/loop_plan.hpp"
#include "program/program.hpp"

namespace hassium {

LoopPlan lower(const Program& program, const Block& block);

}  // namespace hassium
