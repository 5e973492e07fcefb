#include "program/deaths.hpp"

namespace hassium {

Program with_deaths(const Program& recorded, std::vector<std::uint32_t>& from) {
    auto count = static_cast<std::uint32_t>(recorded.instructions.size());
    std::vector<std::uint32_t> last(recorded.bases.size(), kNoInstruction);
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const Operand& o : recorded.operands_of(recorded.instructions[i])) {
            if (!o.is_constant()) last[o.base] = i;
        }
    }
    // Chains of the bases that die behind an instruction, the last one first.
    std::vector<std::uint32_t> head(count, kNoInstruction), next(last.size(), kNoInstruction);
    std::size_t dels = 0;
    for (std::uint32_t b = 0; b < last.size(); ++b) {
        if (!recorded.bases[b].dies || last[b] == kNoInstruction) continue;
        next[b] = head[last[b]];
        head[last[b]] = b;
        ++dels;
    }
    Program out;
    out.bases = recorded.bases;
    out.constants = recorded.constants;
    out.operands.reserve(recorded.operands.size() + dels);
    out.operands = recorded.operands;
    out.geometry.reserve(recorded.geometry.size() + 2 * dels);
    out.geometry = recorded.geometry;
    out.instructions.reserve(count + dels);
    out.origins.reserve(count + dels);
    from.clear();
    from.reserve(count + dels);
    for (std::uint32_t i = 0; i < count; ++i) {
        out.instructions.push_back(recorded.instructions[i]);
        out.origins.push_back(recorded.origins[i]);
        from.push_back(i);
        for (std::uint32_t b = head[i]; b != kNoInstruction; b = next[b]) {
            append_del(out, b);
            from.push_back(kNoInstruction);
        }
    }
    return out;
}

Program with_deaths_like(const Program& recorded, const Program& finished) {
    Program out;
    out.bases = recorded.bases;
    out.instructions = finished.instructions;
    out.operands.reserve(finished.operands.size());
    out.operands = recorded.operands;
    out.geometry.reserve(finished.geometry.size());
    out.geometry = recorded.geometry;
    for (std::size_t k = recorded.operands.size(); k < finished.operands.size(); ++k) {
        const Operand& del = finished.operands[k];
        out.operands.push_back(del);
        out.geometry.push_back(recorded.bases[del.base].bytes);
        out.geometry.push_back(1);
    }
    return out;
}

}  // namespace hassium
