// Loops without the shapes that they are written in: where one cannot do without a boundary between
// its axes (program/axes.hpp).
#pragma once

#include <cstdint>

#include "base/small_vec.hpp"
#include "program/program.hpp"

namespace hassium {

// Strides of a reduction's result over its iteration shape: 0 along reduced axes.
Dims result_strides(const Program& program, const Instruction& reduction);

// The boundaries between axes that a loop cannot do without, each as the number of elements inside
// it, ascending; the last is the number of all elements. A map needs those where one of its views
// does not carry on, a reduction those between axes that its tree treats differently as well.
//
// Loops over as many elements have common axes when of any two of their boundaries one divides the
// other. That is a question about pairs, so it may be asked loop by loop.
using LoopCuts = SmallVec<std::int64_t, 8>;
LoopCuts loop_cuts(const Program& program, const Instruction& instruction);
// All boundaries of both; empty when they have no common axes.
LoopCuts common_cuts(const LoopCuts& a, const LoopCuts& b);
// Whether all boundaries of `few` are among `many`, over as many elements.
bool cuts_within(const LoopCuts& few, const LoopCuts& many);

}  // namespace hassium
