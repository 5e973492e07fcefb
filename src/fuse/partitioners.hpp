// The table of partitioners. Its names are the allowed words of the setting `partitioner`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fuse/cost.hpp"
#include "fuse/graph.hpp"
#include "fuse/legal.hpp"
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
    double time_limit;       // seconds; infinity: none
};

struct Partitioner {
    std::string_view name;
    // Blocks in execution order, members in program order. partition() fills in the cost, and
    // raises the bound to what the nets say in plain sight.
    Partition (*run)(const FusionProblem& problem);
};

Partition partition_singleton(const FusionProblem& problem);
Partition partition_linear(const FusionProblem& problem);
Partition partition_greedy(const FusionProblem& problem);

// UserError (Value) with the names that there are.
const Partitioner& find_partitioner(std::string_view name);
std::span<const Partitioner> partitioners();

}  // namespace hassium
