// Blocks of several nests: a reduction with the users of its result (rules 8 and 9 of
// fuse/legal/legal.hpp), an accumulation with the members around it (rule 11).
//
// Members are divided into phases. A phase is a nest over the whole iteration space or over the
// axes that the reductions keep; it ends where a statement needs a result that is complete only
// when a row is reduced, or changes between these spaces. Softmax has three over the whole space
// (maximum, exponential and sum, quotient), a mean has a reduction and a map over the kept axes.
//
// If reductions run along short rows, phases alternate on panels: as many rows as the caches hold
// go through all phases before the next rows. A phase reads results of earlier phases only in its
// own rows, so results are bit-identical; an array is read from memory once, and temporaries
// between phases take the memory of one panel. Otherwise each phase runs to its end before the
// next.
//
// Accumulations are phases of their own, over panels too: some lines, or a piece of a line that is
// longer than a panel. The pieces of a line run in order, each with the result of the one before.
//
// In a panelled block all phases begin with the same axes: the kept ones, outermost as in the
// reductions' trees. One of them is cut into panels; those inside it are part of a panel.
#pragma once

#include <vector>

#include "plan/lower/lowering_context.hpp"

namespace hassium {

using PhaseList = std::vector<std::vector<std::uint32_t>>;

// Returns the working members of a block by phase. At most one phase: a plain nest.
PhaseList phases_of(const LoweringContext& context);
// Sets the plan of a block of several phases.
void lower_rows(LoweringContext& context, const PhaseList& phases);

}  // namespace hassium
