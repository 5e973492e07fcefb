// The parts of a line that the text form omits because they follow from the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ops/dtype_rules.hpp"
#include "program/program.hpp"

namespace hassium {

// Returns the compute dtype of a line without suffix. `ins` are the inputs as promotion sees them:
// views are strong, constants weak by their spelling. Sets `op` to what resolve() replaces it with
// (int64 with uint64). Empty if NumPy would find no loop: then the suffix is required.
//   call                NumPy's promotion; if all inputs are constants, the output's dtype if the
//                       row has a loop that yields it
//   reduce, accumulate  NumPy's default for the input's dtype
std::optional<DType> implied_compute(Op& op, Method method, std::span<const OperandType> ins,
                                     bool all_constant, DType out);
// Returns how promotion sees a constant written as `kind`.
OperandType literal_type(DTypeKind kind);
// Returns the dtype of input `k` of the loop: that of a constant without a suffix.
DType input_dtype(Op op, Method method, DType compute, int k);
// Returns the number of inputs of an instruction: the row's, or one for a reduction.
int input_count(Op op, Method method);

}  // namespace hassium
