// The table of partitioners. Its names are the allowed words of the setting `partitioner`.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "fuse/cost/cost.hpp"
#include "fuse/graph/graph.hpp"
#include "fuse/legal/legal.hpp"
#include "fuse/partition.hpp"

namespace hassium {

// The input of a partitioner.
struct FusionProblem {
    const Program& program;
    const Graph& graph;
    const Legality& legality;
    const CostModel& model;
    const Costing& costing;  // argument of the model's functions
    const Nets& nets;        // of the model
    // Seconds after which searching partitioners return the best partition so far.
    double time_limit = std::numeric_limits<double>::infinity();
};

struct Partitioner {
    std::string_view name;
    // Returns blocks in execution order, members in program order. partition() sets the cost, and
    // raises the bound to the trivial one of the nets.
    Partition (*run)(const FusionProblem& problem);
};

Partition partition_singleton(const FusionProblem& problem);
Partition partition_linear(const FusionProblem& problem);
Partition partition_unintrusive(const FusionProblem& problem);
Partition partition_greedy(const FusionProblem& problem);
Partition partition_optimal(const FusionProblem& problem);

// Runs the greedy merge from given blocks: a number below the count of instructions for each.
// Instructions that are illegal together are not merged.
Partition grow_greedily(const FusionProblem& problem, std::span<const std::uint32_t> block_of);
// Returns those blocks in execution order, without merging more.
Partition order_blocks(const FusionProblem& problem, std::span<const std::uint32_t> block_of);

std::span<const Partitioner> partitioners();

}  // namespace hassium
