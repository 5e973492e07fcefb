// WSP: partition a program into blocks. papers: "Fusion of Array Operations at Runtime".
#pragma once

#include <string_view>

#include "fuse/guards.hpp"
#include "fuse/partition.hpp"
#include "program/program.hpp"

namespace hassium {

struct FuseOptions {
    std::string_view partitioner;  // a name of the partitioner table
    std::string_view cost_model;
};

// Builds the graph, runs the partitioner, returns blocks in execution order. `guards`, when given,
// receives what the result rests on beside the program's symbolic structure.
Partition partition(const Program& program, const FuseOptions& options,
                    std::vector<Guard>* guards = nullptr);

}  // namespace hassium
