// The boundaries between axes that a loop needs, independent of the shape it is written in
// (program/axes.hpp).
#pragma once

#include <cstdint>

#include "base/small_vec.hpp"
#include "program/program.hpp"

namespace hassium {

// Returns the strides of a reduction's result over its iteration shape: 0 along reduced axes.
Dims result_strides(const Program& program, const Instruction& reduction);

// The boundaries that a loop needs between axes, each as the number of elements inside it,
// ascending; the last is the number of all elements. A map needs those across which one of its
// views does not coalesce, a reduction also those between axes of different roles in its tree.
//
// Loops over equally many elements have common axes if of any two of their boundaries one divides
// the other. This is a condition on pairs, so it can be tested loop by loop.
using LoopCuts = SmallVec<std::int64_t, 8>;
LoopCuts loop_cuts(const Program& program, const Instruction& instruction);
// Returns the union of both; empty if they have no common axes.
LoopCuts common_cuts(const LoopCuts& a, const LoopCuts& b);
// Returns whether all boundaries of `few` are among `many`, for equal element counts.
bool cuts_within(const LoopCuts& few, const LoopCuts& many);

}  // namespace hassium
