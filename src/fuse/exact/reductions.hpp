// Exact reductions of an instance: what is left has the same optimum, and fewer choices.
#pragma once

#include "fuse/exact/exact_instance.hpp"

namespace hassium {

// Each answers whether it changed anything. The pairs must be closed.
bool split_nets(ExactInstance& x);
bool drop_weightless(ExactInstance& x);
bool merge_dominated(ExactInstance& x);

// All of them until nothing changes; the instance comes out compact.
void reduce(ExactInstance& x);
// The one reduction that holds where nets are not the whole cost.
void split_alone(ExactInstance& x);

}  // namespace hassium
