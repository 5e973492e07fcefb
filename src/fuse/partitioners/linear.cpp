// Linear merge. Paper: "Fusion of Array Operations at Runtime", section V-E: instructions join the
// current block in program order until one may not; that one opens the next block. Blocks are
// intervals of the program, so their order is always valid.
#include "fuse/partitioners/partitioners.hpp"

namespace hassium {

Partition partition_linear(const FusionProblem& problem) {
    Partition result;
    BlockState block, next;
    for (std::uint32_t k = 0; k < problem.graph.size(); ++k) {
        problem.legality.load(k, next);
        if (k > 0 && problem.legality.may_join(block, next)) {
            problem.legality.join(block, next);
        } else {
            result.blocks.emplace_back();
            std::swap(block, next);
        }
        result.blocks.back().members.push_back(k);
    }
    return result;
}

}  // namespace hassium
