// Instructions that make a block of their own: scans (Method::Accumulate), gathers, scatters and
// arg-reductions (rows of class Reduce). They choose their own loops.
#pragma once

#include <span>

#include "exec/executor.hpp"
#include "program/program.hpp"

namespace hassium {

// Operands as in the program: outputs, inputs, then the mask if there is one, each as stored; the
// routine casts to the dtypes of loop_of(op, compute). A constant is a view with all strides zero;
// `part_is_constant`: the values of a put are one. An output is identical to an input's view, or
// shares no byte with it. Runs on the thread of the flush without locks; may use parallel_for and
// the memory pool; polls state.interrupted only while no input has been overwritten. The caller
// handles floating-point flags on its own thread; the routine adds those of workers to
// state.raised.
void run_single(const Instruction& instruction, std::span<const BoundView> operands,
                bool part_is_constant, RunState& state);

}  // namespace hassium
