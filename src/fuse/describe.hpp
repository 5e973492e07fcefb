// What a picture of a partition shows, in words.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuse/fuse.hpp"
#include "fuse/partition.hpp"

namespace hassium {

// Two blocks that may not become one, by two instructions that may not share a block.
struct ForbiddenEdge {
    std::uint32_t a, b;  // blocks
    std::uint32_t instruction_a, instruction_b;
    std::string reason;
};

struct Description {
    // Per block: the views it reads and writes from outside (Def. 10), and the bases that are
    // created and deleted in it.
    std::vector<std::vector<std::string>> reads, writes, contracted;
    // Between instructions; what follows from others is mostly left out.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies;
    std::vector<ForbiddenEdge> forbidden;
    // Bytes per instruction: of its operands, and of those that its block moves from or to memory.
    // A view is counted for its first reader and its last writer in the block.
    std::vector<double> touched, moved;
};

// Of more blocks than that, only those pairs are described one of which waits for the other: there
// would be too many.
inline constexpr std::size_t kMostForbiddenBlocks = 200;

Description describe(const Program& program, const Partition& partition, LegalityMode mode);

// A program as an abstract instance of WSP (Def. 1, and a cost of connectivity nets): for solvers
// outside, such as an integer program that checks ours.
struct Instance {
    std::uint32_t size;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies, forbidden;
    double constant;
    std::vector<std::pair<double, std::vector<std::uint32_t>>> nets;
};

Instance instance_of(const Program& program, const FuseOptions& options);
// What a partition costs; it must be legal.
double cost_of(const Program& program, const Partition& partition, const FuseOptions& options);

}  // namespace hassium
