// The contents of a picture of a partition, as text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuse/fuse.hpp"
#include "fuse/partition.hpp"

namespace hassium {

// Two blocks that may not merge, because of two instructions that may not share a block.
struct ForbiddenEdge {
    std::uint32_t a, b;  // blocks
    std::uint32_t instruction_a, instruction_b;
    std::string reason;
};

struct Description {
    // Per block: the views that it reads and writes from outside (Def. 10), and the bases that it
    // both creates and deletes.
    std::vector<std::vector<std::string>> reads, writes, contracted;
    // Between instructions; transitive ones are mostly left out.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies;
    std::vector<ForbiddenEdge> forbidden;
    // Bytes per instruction: of its operands, and of those that its block loads or stores. A view
    // is counted for its first reader and its last writer in the block.
    std::vector<double> touched, moved;
};

// For more blocks than that, only pairs of which one depends on the other are described, to bound
// their number.
inline constexpr std::size_t kMostForbiddenBlocks = 200;

Description describe(const Program& program, const Partition& partition, LegalityMode mode);

// A program as an abstract instance of WSP (Def. 1, and a cost of connectivity nets), for external
// solvers, such as an integer program that checks the exact partitioner.
struct Instance {
    std::uint32_t size;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies, forbidden;
    double constant;
    std::vector<std::pair<double, std::vector<std::uint32_t>>> nets;
};

Instance instance_of(const Program& program, const FuseOptions& options);
// Returns the cost of a partition, which must be legal.
double cost_of(const Program& program, const Partition& partition, const FuseOptions& options);

}  // namespace hassium
