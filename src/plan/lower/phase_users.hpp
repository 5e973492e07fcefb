// Maps each base to the phases of a block that use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plan/lower/lowering_context.hpp"
#include "plan/lower/rows.hpp"

namespace hassium {

class PhaseUsers {
  public:
    PhaseUsers(const LoweringContext& context, const PhaseList& phases)
        : program_(context.program) {
        for (std::size_t k = 0; k < phases.size(); ++k) {
            for (std::uint32_t i : phases[k]) add(k, context.instruction(i));
        }
    }
    void add(std::size_t phase, const Instruction& i) {
        for (const Operand& o : program_.operands_of(i)) {
            if (o.is_constant()) continue;
            std::vector<std::size_t>& users = users_[o.base];
            const auto at = std::lower_bound(users.begin(), users.end(), phase);
            if (at == users.end() || *at != phase) users.insert(at, phase);
        }
    }
    // Returns the phases that use the base, ascending.
    std::span<const std::size_t> of(std::uint32_t base) const {
        const auto found = users_.find(base);
        return found == users_.end() ? std::span<const std::size_t>{} : found->second;
    }

  private:
    const Program& program_;
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> users_;
};

}  // namespace hassium
