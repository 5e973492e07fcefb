// The product of fusion: the instructions of a program in ordered blocks. A block shares one loop
// nest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuse/modes.hpp"

namespace hassium {

struct Program;

// Instructions in execution order. One may be in two blocks (recomputation).
struct Block {
    std::vector<std::uint32_t> members;
    friend bool operator==(const Block&, const Block&) = default;
};

struct Partition {
    std::vector<Block> blocks;  // in execution order
    double cost = 0;
    double bound = 0;  // a proven lower bound; equal to cost when optimal
    bool optimal = false;
    std::uint64_t nodes = 0;  // of the search tree, for searching partitioners
    double apart = 0;         // cost of one block per instruction: the baseline of fusion
    double bytes_saved = 0;   // by Def. 13, whatever the cost model

    // Returns the largest possible distance to the optimum, as a fraction of the cost.
    double gap() const { return cost > bound ? (cost - bound) / cost : 0; }

    std::string dump(const Program& program) const;
    // Throws InternalError unless every instruction is covered, the order respects the
    // dependencies, and every block is legal under the rules of `mode` (legal.hpp; all of them by
    // default).
    void verify(const Program& program, LegalityMode mode = LegalityMode::Full) const;
};

}  // namespace hassium
