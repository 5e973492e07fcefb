// Blocks that one instruction makes alone: scans (Method::Accumulate), gathers, scatters and
// reductions to a position (rows of class Reduce). They choose their own loops.
#pragma once

#include <span>

#include "exec/executor.hpp"
#include "program/program.hpp"

namespace hassium {

// Operands as in the program: outputs, inputs, then the mask if there is one, each as stored; the
// routine casts to the dtypes of loop_of(op, compute). A constant comes as a view with all strides
// zero; `part_is_constant`: the value of a put is one. An output is an input's view exactly, or
// shares no byte with it. Called on the thread of the flush without locks; may use parallel_for and
// the memory pool; asks state.interrupted only while nothing has been stored that an input needs.
// Floating-point flags are the caller's business on its own thread; what workers raise the routine
// adds to state.raised.
void run_single(const Instruction& instruction, std::span<const BoundView> operands,
                bool part_is_constant, RunState& state);

}  // namespace hassium
