// Exact reductions of an instance: the result has the same optimum, and fewer choices.
#pragma once

#include "fuse/exact/exact_instance.hpp"

namespace hassium {

// Each returns whether it changed anything. Requires closed pairs.
bool split_nets(ExactInstance& x);
bool drop_weightless(ExactInstance& x);
bool merge_dominated(ExactInstance& x);

// Applies all of them until nothing changes; the instance is compact afterwards.
void reduce(ExactInstance& x);
// The one reduction that is exact if nets are not the whole cost.
void split_alone(ExactInstance& x);

}  // namespace hassium
