// Def. 20: every two accesses to identical views from different blocks cost 1, so that fusing four
// of them saves 6, as the paper says (its formula counts each pair from both sides; pairs count
// once here). An instruction that reads and writes one view accesses it twice.
#include "fuse/cost/cost_models.hpp"

namespace hassium {
namespace {

double accesses(std::uint8_t kinds) { return ((kinds & kRead) != 0) + ((kinds & kWrite) != 0); }

}  // namespace

double max_locality_cost(const Costing& costing, const Partition& partition) {
    const Graph& g = costing.graph;
    std::vector<double> all(g.views.size(), 0), here(g.views.size(), 0);
    for (const ViewAccess& a : g.accesses) all[a.view] += accesses(a.kinds);
    double both_sides = 0;
    for (const Block& block : partition.blocks) {
        for (std::uint32_t m : block.members) {
            for (const ViewAccess& a : g.accesses_of(m)) here[a.view] += accesses(a.kinds);
        }
        for (std::uint32_t m : block.members) {
            for (const ViewAccess& a : g.accesses_of(m)) {
                both_sides += here[a.view] * (all[a.view] - here[a.view]);
                here[a.view] = 0;
            }
        }
    }
    return both_sides / 2;
}

Nets max_locality_nets(const Costing& costing) {
    const Graph& g = costing.graph;
    Nets nets;
    std::vector<std::uint32_t> next(g.views.size() + 1, 0);
    for (const ViewAccess& a : g.accesses) {
        next[a.view + 1] += static_cast<std::uint32_t>(accesses(a.kinds));
    }
    for (std::size_t v = 0; v < g.views.size(); ++v) {
        next[v + 1] += next[v];
        nets.nets.push_back({1, next[v], next[v + 1], NetKind::Pairs});
    }
    nets.pins.resize(next.back());
    for (std::uint32_t k = 0; k < g.size(); ++k) {
        for (const ViewAccess& a : g.accesses_of(k)) {
            for (double n = accesses(a.kinds); n > 0; --n) nets.pins[next[a.view]++] = k;
        }
    }
    std::erase_if(nets.nets, [&](const Net& net) {
        return net.begin == net.end || nets.pins[net.begin] == nets.pins[net.end - 1];
    });
    return nets;
}

}  // namespace hassium
