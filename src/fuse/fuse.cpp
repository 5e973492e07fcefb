#include "fuse/fuse.hpp"

#include <string>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "fuse/partitioners.hpp"

namespace hassium {
namespace {

constexpr Partitioner kPartitioners[] = {
    {"singleton", partition_singleton},
    {"linear", partition_linear},
    {"greedy", partition_greedy},
};

}  // namespace

std::span<const Partitioner> partitioners() { return kPartitioners; }

const Partitioner& find_partitioner(std::string_view name) {
    std::string names;
    for (const Partitioner& row : kPartitioners) {
        if (row.name == name) return row;
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    throw UserError(ErrorKind::Value, "[partition] unknown partitioner '" + std::string(name) +
                                          "': must be one of " + names);
}

Partition partition(const Program& program, const FuseOptions& options,
                    std::vector<Guard>* guards) {
    const Partitioner& partitioner = find_partitioner(options.partitioner);
    const CostModel& model = find_cost_model(options.cost_model);
    Graph graph = build_graph(program);
    Legality legality(graph);
    Nets nets = model.nets(graph);
    Partition result = partitioner.run({program, graph, legality, model, nets});
    result.cost = model.cost(graph, result);
    result.bound = nets.constant;
    result.optimal = result.cost == result.bound;
    result.apart = nets.constant;
    for (const Net& net : nets.nets) {
        result.apart += net.weight * static_cast<double>(net.end - net.begin - 1);
    }
    if (guards) *guards = std::move(graph.questions.guards());
    if (settings().on(Setting::verify)) result.verify(program);
    return result;
}

}  // namespace hassium
