// Blocks that are no single nest: a reduction with those who use its result (rules 8 and 9 of
// fuse/legal/legal.hpp), an accumulation with those around it (rule 11).
//
// Members fall into phases. A phase is a nest over the whole iteration space or over the axes that
// the reductions keep; it ends where a statement needs a result that is there only when a row is
// reduced, or crosses from one space to the other. Softmax has three over the whole space (maximum,
// exponential and sum, quotient), a mean has a reduction and a map over what it keeps.
//
// Where reductions run along short rows, phases take turns on panels: as many rows as the caches
// hold are taken through all phases before the next ones. All that a later phase reads of an
// earlier one lies in its own rows, so this changes no number; an array is read from memory once,
// and what lives between phases only has room for a panel. Elsewhere a phase runs to its end before
// the next one begins.
//
// Accumulations are phases of their own, over panels too: some lines, or a piece of a line that is
// longer than a panel. The pieces of a line are taken in order, each with what comes before it.
//
// In a panelled block all phases begin with the same axes: those that are kept, outermost as the
// reductions' trees have them, one of them cut into panels: those inside it are part of a panel.
#pragma once

#include <vector>

#include "plan/lower/lowering_context.hpp"

namespace hassium {

using PhaseList = std::vector<std::vector<std::uint32_t>>;

// The working members of a block, phase by phase. One phase, or none, is a plain nest.
PhaseList phases_of(const LoweringContext& context);
// Fills in the plan of a block of several phases.
void lower_rows(LoweringContext& context, const PhaseList& phases);

}  // namespace hassium
