// Neighbouring nests that run as one sweep over memory.
//
// A stencil reads shifted views of an array and makes a temporary; the next nest writes the
// temporary over the array; the next time step begins anew. Apart, each carries its arrays from
// memory and back. Together, every nest follows the first some rows behind (its lag), so that it
// meets in the cache what those before it read and wrote, and a temporary that lives and dies in
// between is a ring of a few rows. Every kernel sees the same numbers, so bits do not change. This
// is loop shifting and fusion, and on several threads split tiling.
//
// A row is one position of the outermost axis, or one unit of work where the nest has a single
// axis: then so many elements as take the bytes of a neighbour's row, because merged axes and
// copies know nothing of rows. Nests may have different numbers of rows. Wherever row i of a nest
// and row j of a later one touch the same bytes and one of them writes, i must run before j. All
// such i - j lie between two numbers, the dependence distances `least` and `most`. So a nest stays
//
//     lag = max(lag of the earlier + most)
//
// rows behind the first, over all earlier nests that it has to do with. In an elimination every row
// of a step reads one row and one element that the step before has made: then the nest stays behind
// the last of the rows it reads. A sweep is legal when
//
//   - views of one base that meet and are not only read have rows of equal strides, at most
//     Sweep::kMostHalo rows apart, or the later one is read as a whole by every row and meets no
//     row but the first Sweep::kMostHead;
//   - no nest touches the result of a reduction, which exists when the sweep is over.
//
// It pays where nests share an array that is larger than kLeastBytes, as long as all the rows in
// flight stay in a cache (kMostInFlight) and it ends soon (kMostSeconds). It never holds more
// memory at a time than the nests one after another.
//
// On several threads rows are cut in bands. At first each thread runs, of a band that begins at row
// s and ends at row t of the first nest, the rows s + lead to t - lag of every nest, where
//
//     lead = max(lead of the earlier - least):
//
// these have to do with rows of this band alone. What is left between two bands runs when they are
// done, nest by nest. Where all rows read what the first ones make, these, the head, run before any
// band begins, and nothing may be left between bands.
//
// A nest of a single axis that goes from row to row of an array of the sweep, as the column of
// quotients in an elimination, rides along between larger ones, an element a row.
#pragma once

#include <span>

#include "plan/loop_plan.hpp"

namespace hassium {

// Arrays and nests from this size on, as the setting `sweep` has it.
struct SweptSizes {
    std::int64_t bytes, rows;
};
SweptSizes swept_sizes();
// Whether the plan can be part of a sweep, by itself. Cheap, while the plan is at hand.
bool may_sweep(const LoopPlan& plan, const SweptSizes& least);
// Whether it can be part of one between others: one element for each of their rows, as a column.
bool may_ride(const LoopPlan& plan);
// Marks plans that run as one sweep with plans after them.
void find_sweeps(std::span<LoopPlan> plans, const SweptSizes& least);

}  // namespace hassium
