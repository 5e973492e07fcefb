// The parameters of a block's code. Internal to exec.
//
// Code is structure (steps, kernels, chains, which step uses which pointer) and parameters
// (strides, offsets, extents, scratch offsets). The compiler makes the structure, and reads a
// plan's numbers only through `code.lies`, folds_planes and the count of axes in the span and
// swept; bind_numbers fills in all parameters, for new code and for code that is rebound to another
// plan of equal structure. So there is one place that computes a parameter, and none can be
// forgotten.
#pragma once

#include "exec/compile/code.hpp"
#include "plan/loop_plan.hpp"

namespace hassium {

// Returns the layout of each operand over the span; Scalar for operands that are not in memory.
std::vector<LaidOutOperand> operand_layouts(const LoopPlan& plan);

// Returns whether several rows are folded at a time, element by element. Longer rows are folded in
// registers.
bool folds_planes(const PlanReduction& r);

// Sets extents, tiles, units and jobs.
void bind_shape(BlockCode& code, const LoopPlan& plan);
// Sets all parameters. The plan must have the structure and layouts that the code was made for.
void bind_numbers(BlockCode& code, const LoopPlan& plan);

}  // namespace hassium
