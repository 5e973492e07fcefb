// The form of Def. 13 and every model after it: a block pays for the distinct views that it reads,
// except those of bases that it creates, and for those that it writes, except those of bases that
// it deletes. Only the price of a view differs. Views of interleaved elements count as one, since
// they cover the same cache lines.
#pragma once

#include <span>

#include "fuse/cost/cost_models.hpp"

namespace hassium {

// `prices`: one per view of the graph.
double external_cost(const Graph& graph, std::span<const ViewPrice> prices,
                     const Partition& partition);
// The same as nets: for every view its readers and the creator of the base, and its writers and its
// deleter. A net without creator (or deleter) pays for its first block too.
Nets external_nets(const Graph& graph, std::span<const ViewPrice> prices);

}  // namespace hassium
