// Def. 19: every array that the program creates costs 1 unless one block both creates and deletes
// it.
#include "fuse/cost/cost_models.hpp"

namespace hassium {

double max_contract_cost(const Costing& costing, const Partition& partition) {
    const Graph& g = costing.graph;
    std::vector<std::uint32_t> block_of = blocks_of(partition, g.size());
    double created = 0, contracted = 0;
    for (const BaseLife& life : g.bases) {
        if (life.created == kNone) continue;
        ++created;
        contracted += del_counts(life) && block_of[life.created] == block_of[life.deleted];
    }
    return created - contracted;
}

Nets max_contract_nets(const Costing& costing) {
    Nets nets;
    for (const BaseLife& life : costing.graph.bases) {
        if (life.created == kNone) continue;
        if (!del_counts(life)) {
            nets.constant += 1;
            continue;
        }
        auto begin = static_cast<std::uint32_t>(nets.pins.size());
        nets.pins.push_back(life.created);
        nets.pins.push_back(life.deleted);
        nets.nets.push_back({1, begin, begin + 2});
    }
    return nets;
}

}  // namespace hassium
