// Copies whose two sides are contiguous along different axes. Internal to exec.
#pragma once

#include <span>

#include "exec/executor.hpp"

namespace hassium {

// Whether the nest is one such copy, without a cast.
bool is_transposition(const LoopPlan& plan);

// Runs it, on the pool's threads when it is large.
void run_transposition(const LoopPlan& plan, std::span<const Binding> bases, RunState& state);

}  // namespace hassium
