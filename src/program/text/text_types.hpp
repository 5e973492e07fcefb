// What the text form leaves out because it follows from the rest of the line.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ops/dtype_rules.hpp"
#include "program/program.hpp"

namespace hassium {

// The compute dtype of a line without suffix. `ins` as promotion sees them: views are strong,
// constants weak by the way they are written. `op` changes where resolve() changes it (int64
// against uint64). Empty when NumPy would find no loop: then the suffix is needed.
//   call              that of NumPy's promotion; when all inputs are constants, the output's dtype
//   if
//                     the row has a loop that yields it
//   reduce, accumulate  NumPy's default for the input's dtype
std::optional<DType> implied_compute(Op& op, Method method, std::span<const OperandType> ins,
                                     bool all_constant, DType out);
// How promotion sees a constant that is written in `dtype`.
OperandType literal_type(DTypeKind kind);
// dtype of input `k` of the loop, which a constant has unless the text says otherwise.
DType input_dtype(Op op, Method method, DType compute, int k);
// Inputs of an instruction: the row's, or one for a reduction.
int input_count(Op op, Method method);

}  // namespace hassium
