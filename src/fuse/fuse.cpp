#include "fuse/fuse.hpp"

#include <algorithm>
#include <string>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "fuse/cost/cost_models.hpp"
#include "fuse/partitioners/partitioners.hpp"

namespace hassium {
namespace {

constexpr Partitioner kPartitioners[] = {
    {"singleton", partition_singleton},     {"linear", partition_linear},
    {"unintrusive", partition_unintrusive}, {"greedy", partition_greedy},
    {"optimal", partition_optimal},
};

// With more, guards cost more time than a new partition, or more memory than they are worth.
constexpr std::size_t kQuestionsPerInstruction = 128;
constexpr std::size_t kMostQuestions = 1 << 17;

std::size_t most_questions(const Program& program) {
    return std::min(kQuestionsPerInstruction * program.instructions.size(), kMostQuestions);
}

double bytes_saved(const FusionProblem& problem, const Partition& result) {
    bool counted = problem.model.nets == bohrium_nets && problem.costing.unit == CostUnit::Bytes;
    if (counted) return result.apart - result.cost;
    Nets nets = bohrium_nets(problem.graph);
    return cost_apart(nets, problem.graph.size()) - bohrium_cost(problem.graph, result);
}

}  // namespace

std::span<const Partitioner> partitioners() { return kPartitioners; }

namespace {

// Throws UserError (Value) with the known names.
const Partitioner& find_partitioner(std::string_view name) {
    std::string names;
    for (const Partitioner& row : kPartitioners) {
        if (row.name == name) return row;
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    throw UserError(ErrorKind::Value, "[partition] unknown partitioner '" + std::string(name) +
                                          "': must be one of " + names);
}

}  // namespace

Partition partition(const Program& program, const FuseOptions& options,
                    std::vector<Guard>* guards) {
    if (!(options.time_limit >= 0)) {
        throw UserError(ErrorKind::Value, "[partition] time limit " +
                                              std::to_string(options.time_limit) +
                                              ": must be a number of seconds, 0 or more");
    }
    const Partitioner& partitioner = find_partitioner(options.partitioner);
    const CostModel& model = find_cost_model(options.cost_model);
    Graph graph = build_graph(program, options.legality, guards ? most_questions(program) : 0);
    Legality legality(graph, options.legality);
    Costing costing(graph, options.unit);
    Nets nets = model.nets(costing);
    FusionProblem problem{program, graph, legality, model, costing, nets, options.time_limit};
    Partition result = partitioner.run(problem);
    result.cost = model.cost(costing, result);
    result.bound = std::min(std::max(result.bound, nets.floor(graph.size())), result.cost);
    result.optimal = result.cost <= result.bound;
    result.apart = cost_apart(nets, graph.size());
    for (std::uint32_t k = 0; model.extra && k < graph.size(); ++k) {
        result.apart += model.extra(costing, {&k, 1});
    }
    result.bytes_saved = bytes_saved(problem, result);
    counters().add(Counter::view_pairs, graph.view_pairs);
    if (guards) legality.ask_for(result);
    if (guards) *guards = std::move(graph.questions).guards();
    if (settings().on(Setting::verify)) result.verify(program, options.legality);
    return result;
}

}  // namespace hassium
