// The exact partitioner: the greedy partition, then branch and bound until it is proven or time is
// over. Partitions offered by the search are grown by the greedy merge, which knows all of
// legality.
#include <chrono>

#include "fuse/exact/branch_and_bound.hpp"
#include "fuse/partitioners/partitioners.hpp"

namespace hassium {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point deadline_after(double seconds) {
    constexpr double kForever = 1e9;
    if (seconds > kForever) return Clock::time_point::max();
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// The search builds relations of all pairs. Its root took 2 to 6 times as long as the greedy merge
// on programs of 100 to 1,000 instructions and 30 to 50 times at 10,000; if even that does not fit
// the time limit, starting it is wasted.
bool too_long(std::size_t count, Clock::duration greedy, Clock::time_point deadline) {
    constexpr std::size_t kAlwaysTried = 64;
    if (count <= kAlwaysTried || deadline == Clock::time_point::max()) return false;
    double times = 2 + static_cast<double>(count) / 300;
    auto needed = std::chrono::duration<double>(greedy) * times;
    return std::chrono::duration<double>(deadline - Clock::now()) < needed;
}

}  // namespace

Partition partition_optimal(const FusionProblem& problem) {
    Clock::time_point start = Clock::now(), deadline = deadline_after(problem.time_limit);
    Partition best = partition_greedy(problem);
    best.cost = problem.model.cost(problem.costing, best);
    best.bound = problem.nets.floor(problem.graph.size());
    if (best.cost <= best.bound || Clock::now() >= deadline) return best;
    if (too_long(problem.graph.size(), Clock::now() - start, deadline)) return best;

    bool whole = problem.model.extra == nullptr;
    auto consider = [&](Partition&& found) {
        found.cost = problem.model.cost(problem.costing, found);
        if (found.cost < best.cost) best = std::move(found);
    };
    auto offer = [&](const ExactInstance& x, const std::vector<std::uint32_t>& blocks) {
        auto block_of = x.spread(blocks);
        consider(grow_greedily(problem, block_of));
        if (!whole) consider(order_blocks(problem, block_of));
        return best.cost;
    };
    BranchAndBound search(offer, best.cost, deadline, whole);
    SearchResult result = search.run(build_instance(problem), best.bound);
    best.bound = result.bound;
    best.nodes = result.nodes;
    return best;
}

}  // namespace hassium
