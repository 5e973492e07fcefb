// One block per instruction: no fusion, the baseline of every other partition.
#include "fuse/partitioners/partitioners.hpp"

namespace hassium {

Partition partition_singleton(const FusionProblem& problem) {
    Partition result;
    result.blocks.resize(problem.graph.size());
    for (std::uint32_t k = 0; k < problem.graph.size(); ++k) {
        result.blocks[k].members.push_back(k);
    }
    return result;
}

}  // namespace hassium
