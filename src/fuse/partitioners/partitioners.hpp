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

// Everything a partitioner may look at.
struct FusionProblem {
    const Program& program;
    const Graph& graph;
    const Legality& legality;
    const CostModel& model;
    const Costing& costing;  // what the model's functions take
    const Nets& nets;        // of the model
    // Seconds; partitioners that search stop by then, with the best they have.
    double time_limit = std::numeric_limits<double>::infinity();
};

struct Partitioner {
    std::string_view name;
    // Blocks in execution order, members in program order. partition() fills in the cost, and
    // raises the bound to what the nets say in plain sight.
    Partition (*run)(const FusionProblem& problem);
};

Partition partition_singleton(const FusionProblem& problem);
Partition partition_linear(const FusionProblem& problem);
Partition partition_unintrusive(const FusionProblem& problem);
Partition partition_greedy(const FusionProblem& problem);
Partition partition_optimal(const FusionProblem& problem);

// The greedy merge, begun with given blocks: a number below the count of instructions
// for each. What is not legal together is not merged.
Partition grow_greedily(const FusionProblem& problem, std::span<const std::uint32_t> block_of);
// Those blocks in execution order, not grown.
Partition order_blocks(const FusionProblem& problem, std::span<const std::uint32_t> block_of);

// UserError (Value) with the names that there are.
const Partitioner& find_partitioner(std::string_view name);
std::span<const Partitioner> partitioners();

}  // namespace hassium
