// What of a block's code are numbers, and what the rest of it rests on. Internal to exec.
//
// Code is structure (steps, kernels, chains, who uses which pointer) and numbers (strides, offsets,
// extents, where scratch begins). The compiler makes structure only, and what it asks of a plan's
// numbers it asks through `code.lies`, folds_planes and the count of axes in the span and swept;
// bind_numbers fills in all numbers, for new code and, later, for code that is bound to another
// plan of equal structure. So there is one place that computes a number, and none can be forgotten
// when code is bound again.
#pragma once

#include "exec/compile/code.hpp"
#include "plan/loop_plan.hpp"

namespace hassium {

// How every operand lies over the span; those that are not in memory as Scalar.
std::vector<LaidOutOperand> operand_layouts(const LoopPlan& plan);

// Whether several rows are folded at a time, element by element. Longer rows are folded in
// registers.
bool folds_planes(const PlanReduction& r);

// The shape of the walk: extents, tiles, units, jobs.
void bind_shape(BlockCode& code, const LoopPlan& plan);
// All numbers. The plan's structure and lies are those the code was made for.
void bind_numbers(BlockCode& code, const LoopPlan& plan);

}  // namespace hassium
