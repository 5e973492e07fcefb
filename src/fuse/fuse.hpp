// WSP: partitions a program into blocks. papers: "Fusion of Array Operations at Runtime".
#pragma once

#include <limits>
#include <string_view>

#include "fuse/legal/guards.hpp"
#include "fuse/modes.hpp"
#include "fuse/partition.hpp"
#include "program/program.hpp"

namespace hassium {

struct FuseOptions {
    std::string_view partitioner;  // a name of the partitioner table
    std::string_view cost_model;
    CostUnit unit = CostUnit::Bytes;
    LegalityMode legality = LegalityMode::Full;
    // Seconds after which a searching partitioner returns the best partition so far; 0: the greedy
    // one. Negative or NaN: UserError (Value).
    double time_limit = std::numeric_limits<double>::infinity();
};

// Builds the graph, runs the partitioner, returns blocks in execution order. `bound` is proven, and
// `optimal` means that the cost reaches it. `guards`, if given, receives the answers that the
// result depends on besides the program's symbolic structure.
Partition partition(const Program& program, const FuseOptions& options,
                    std::vector<Guard>* guards = nullptr);

}  // namespace hassium
