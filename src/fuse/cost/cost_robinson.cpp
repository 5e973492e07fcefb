// Def. 21: blocks + N * Max Contract + N^2 * Max Locality. The paper calls N "the total number of
// accessed arrays" and says that its size ranks locality before contraction before blocks. That
// holds for the number of all operands that are views, counting each use, `del` and `sync` too: it
// is at least the number of instructions, so at least the number of blocks, and at least twice the
// number of arrays that a partition can contract. (The number of distinct views is too small.)
#include "fuse/cost/cost_models.hpp"

namespace hassium {
namespace {

double accessed(const Graph& g) {
    double n = 0;
    for (const Operand& o : g.program->operands) n += !o.is_constant();
    return n;
}

}  // namespace

double robinson_cost(const Costing& costing, const Partition& partition) {
    double n = accessed(costing.graph);
    return static_cast<double>(partition.blocks.size()) +
           n * max_contract_cost(costing, partition) +
           n * n * max_locality_cost(costing, partition);
}

Nets robinson_nets(const Costing& costing) {
    double n = accessed(costing.graph);
    Nets nets = max_locality_nets(costing);
    for (Net& net : nets.nets) net.weight *= n * n;
    nets.constant *= n * n;
    Nets contract = max_contract_nets(costing);
    auto shift = static_cast<std::uint32_t>(nets.pins.size());
    nets.pins.insert(nets.pins.end(), contract.pins.begin(), contract.pins.end());
    for (const Net& net : contract.nets) {
        nets.nets.push_back({net.weight * n, net.begin + shift, net.end + shift, net.kind});
    }
    nets.constant += n * contract.constant;
    nets.per_block = 1;
    return nets;
}

}  // namespace hassium
