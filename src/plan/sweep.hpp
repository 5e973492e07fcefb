// Two neighbouring nests that run as one sweep over memory.
//
// A stencil reads shifted views of an array and makes a temporary; the next nest writes the
// temporary over the array. Apart, they carry the temporary to memory and back, and the array
// twice. Together, the second follows the first a few rows behind (the lag), and the temporary is a
// ring of a few rows that stay in the cache; where it is wanted later it is whole, but read from
// the cache all the same. Every kernel sees the same numbers, so bits do not change.
//
// A row is one position of the outermost axis, the same for both nests. Row i of the first must
// have run before row j of the second wherever they touch the same bytes and one of them writes. So
// a sweep is legal when
//
//   - what the first writes, the second reads or writes in the same row alone;
//   - what the first reads and the second writes has rows of equal strides, and rows that overlap
//     are at most kMostHalo apart (the dependence distance): the lag is the largest i - j;
//   - the second reduces nothing and raises nothing; and the ring is new, the second releases it,
//   and
//     its rows do not overlap.
//
// On several threads rows are cut in bands. The first nest runs `halo` rows at both ends of every
// band before any row of the second: those are all that other bands' rows have to do with.
#pragma once

#include <span>

#include "plan/loop_plan.hpp"

namespace hassium {

// Can the plan be part of a sweep, by itself? Cheap, while the plan is at hand.
bool may_sweep(const LoopPlan& plan);
// Marks plans that run as one sweep with the plan after them.
void pair_sweeps(std::span<LoopPlan> plans);

}  // namespace hassium
