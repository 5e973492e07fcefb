// Neighbouring nests that run as one sweep over memory.
//
// A stencil reads shifted views of an array and writes a temporary; the next nest copies the
// temporary over the array; the next time step begins again. Run separately, each moves its arrays
// from memory and back. In a sweep, every nest follows the first by some rows (its lag), so that it
// finds in the cache what the nests before it read and wrote, and a temporary that lives and dies
// in the sweep is a ring of a few rows. Every kernel sees the same values, so results are
// bit-identical. This is loop shifting and fusion, and on several threads split tiling.
//
// A row is one position of the outermost axis, or one unit of work if the nest has a single axis:
// then as many elements as take the bytes of a neighbour's row, because merged axes and copies have
// no rows. Nests may have different numbers of rows. If row i of a nest and row j of a later one
// access the same bytes and one of them writes, i must run before j. All such i - j are between two
// numbers, the dependence distances `least` and `most`. So a nest lags the first by
//
//     lag = max(lag of the earlier + most)
//
// rows, over all earlier nests that it depends on. In an elimination every row of a step reads one
// row and one element that the step before has computed: then the nest lags behind the last of the
// rows it reads. A sweep is legal when
//
//   - overlapping views of one base that are not only read have rows of equal strides, at most
//     Sweep::kMostHalo rows apart, or every row reads the whole of the later one, which overlaps no
//     row but the first Sweep::kMostHead;
//   - no nest uses the result of a reduction, which exists only when the sweep is complete.
//
// It pays where nests share an array that is larger than kLeastBytes, as long as all rows in flight
// fit a cache (kMostInFlight) and it ends soon (kMostSeconds). It never holds more memory at a time
// than the nests one after another.
//
// On several threads rows are cut in bands. First each thread runs, for a band from row s to row t
// of the first nest, the rows s + lead to t - lag of every nest, where
//
//     lead = max(lead of the earlier - least):
//
// these depend on rows of this band alone. The remaining rows between two bands run when these are
// done, nest by nest. If all rows read results of the first ones, these, the head, run before any
// band begins, and no rows may remain between bands.
//
// A nest of a single axis that steps from row to row of an array of the sweep, as the column of
// quotients in an elimination, rides along between larger ones, one element per row.
#pragma once

#include <span>

#include "plan/loop_plan.hpp"

namespace hassium {

// Minimum size of arrays and of nests, by the setting `sweep`.
struct SweptSizes {
    std::int64_t bytes, rows;
};
SweptSizes swept_sizes();
// Returns whether the plan by itself can be part of a sweep. Cheap, while the plan is in cache.
bool may_sweep(const LoopPlan& plan, const SweptSizes& least);
// Marks plans that run as one sweep with the plans after them.
void find_sweeps(std::span<LoopPlan> plans, const SweptSizes& least);

}  // namespace hassium
