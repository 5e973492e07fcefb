#include "plan/lower/release.hpp"

#include <algorithm>

namespace hassium {

void release_early(const Program& program, std::span<LoopPlan> plans) {
    constexpr std::size_t kNever = static_cast<std::size_t>(-1);
    std::vector<std::size_t> last(program.bases.size(), kNever);
    for (std::size_t k = 0; k < plans.size(); ++k) {
        for (std::uint32_t index : plans[k].instructions) {
            const Instruction& i = program.instructions[index];
            if (info(i.op).is_system()) continue;
            for (const Operand& o : program.operands_of(i)) {
                if (!o.is_constant()) last[o.base] = k;
            }
        }
    }
    for (std::size_t k = 0; k < plans.size(); ++k) {
        auto moves = [&](std::uint32_t base) { return last[base] != kNever && last[base] < k; };
        for (std::uint32_t base : plans[k].releases) {
            if (moves(base)) plans[last[base]].releases.push_back(base);
        }
        std::erase_if(plans[k].releases, moves);
        // It was acquired only for the deletion.
        std::erase_if(plans[k].acquires, moves);
    }
}

}  // namespace hassium
