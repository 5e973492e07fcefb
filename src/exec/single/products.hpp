// Products of many small matrices, and of matrices of integers: what BLAS is slow at or does not
// do.
#pragma once

#include <span>

#include "exec/executor.hpp"
#include "program/program.hpp"

namespace hassium {

// Operands as run_single has them, of Op::Matmul, Matvec or Vecmat. False: not handled here,
// and nothing is done. A single product of floats is: that is what BLAS is for.
bool multiply_small(const Instruction& instruction, std::span<const BoundView> operands,
                    RunState& state);

}  // namespace hassium
