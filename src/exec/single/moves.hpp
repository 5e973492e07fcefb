// Instructions that make a block of their own: scans (Method::Accumulate), gathers, scatters and
// arg-reductions (rows of class Reduce). They choose their own loops.
#pragma once

#include <span>

#include "exec/executor.hpp"
#include "program/program.hpp"

namespace hassium {

struct SingleOptions {
    bool part_is_constant = false;  // the values of a put are one
    bool stream = false;            // a scan may write past the caches
};

// Operands as in the program: outputs, inputs, then the mask if there is one, each as stored; the
// routine casts to the dtypes of loop_of(op, compute). A constant is a view with all strides zero.
// An output is identical to an input's view, or shares no byte with it. Runs on the thread of the
// flush without locks; may use parallel_for and the memory pool; polls state.interrupted only while
// no input has been overwritten. The caller handles floating-point flags on its own thread; the
// routine adds those of workers to state.raised.
void run_single(const Instruction& instruction, std::span<const BoundView> operands,
                const SingleOptions& options, RunState& state);

}  // namespace hassium
