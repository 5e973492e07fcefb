// The exact partitioner: the greedy answer, then branch and bound until it is proven or time is
// over. What the search offers is grown by the greedy merge, which knows all of legality.
#include <algorithm>
#include <chrono>

#include "fuse/branch_and_bound.hpp"
#include "fuse/partitioners.hpp"

namespace hassium {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point deadline_after(double seconds) {
    constexpr double kForever = 1e9;
    if (seconds > kForever) return Clock::time_point::max();
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Partition partition_optimal(const FusionProblem& problem) {
    Clock::time_point deadline = deadline_after(problem.time_limit);
    Partition best = partition_greedy(problem);
    best.cost = problem.model.cost(problem.costing, best);
    best.bound = problem.nets.floor(problem.graph.size());
    if (best.cost <= best.bound || Clock::now() >= deadline) return best;

    auto offer = [&](const ExactInstance& x, const std::vector<std::uint32_t>& blocks) {
        Partition found = grow_greedily(problem, x.spread(blocks));
        found.cost = problem.model.cost(problem.costing, found);
        if (found.cost < best.cost) best = std::move(found);
        return best.cost;
    };
    BranchAndBound search(offer, best.cost, deadline);
    SearchResult result = search.run(build_instance(problem), best.bound);
    best.bound = result.bound;
    best.nodes = result.nodes;
    return best;
}

}  // namespace hassium
