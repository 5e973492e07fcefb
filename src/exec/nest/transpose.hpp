// Copies whose operands are contiguous along different axes. Internal to exec.
#pragma once

#include <span>

#include "exec/executor.hpp"

namespace hassium {

// Returns whether the nest is one such copy, without a cast.
bool is_transposition(const LoopPlan& plan);

// Runs the copy, on the pool's threads if it is large.
void run_transposition(const LoopPlan& plan, std::span<const Binding> bases, RunState& state);

}  // namespace hassium
