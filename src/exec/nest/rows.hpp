// Blocks of several phases (plan/lower/rows.hpp).
#pragma once

#include "exec/compile/code.hpp"

namespace hassium {

void run_rows(const Program& program, const LoopPlan& plan, const BlockCode& code,
              std::span<Binding> bases, RunState& state);

}  // namespace hassium
