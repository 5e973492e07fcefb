// Def. 13: the bytes, or elements, of the views that blocks read and write from outside. Broadcast
// axes count once: a row that is broadcast to a matrix is read as a row.
#include "fuse/cost/external.hpp"

namespace hassium {
namespace {

std::vector<ViewPrice> sizes(const Costing& costing) {
    std::vector<ViewPrice> prices;
    prices.reserve(costing.graph.views.size());
    for (const DistinctView& view : costing.graph.views) {
        double size = costing.size(view);
        prices.push_back({size, size});
    }
    return prices;
}

}  // namespace

double bohrium_cost(const Costing& costing, const Partition& partition) {
    return external_cost(costing.graph, sizes(costing), partition);
}

Nets bohrium_nets(const Costing& costing) { return external_nets(costing.graph, sizes(costing)); }

}  // namespace hassium
