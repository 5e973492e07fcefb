#include "program/deaths.hpp"

#include <algorithm>

namespace hassium {

Program with_deaths(const Program& recorded, std::vector<std::uint32_t>& from) {
    auto count = static_cast<std::uint32_t>(recorded.instructions.size());
    std::vector<std::uint32_t> last(recorded.bases.size(), kNoInstruction);
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const Operand& o : recorded.operands_of(recorded.instructions[i])) {
            if (!o.is_constant()) last[o.base] = i;
        }
    }
    // Linked lists of the bases that die after each instruction, last base first.
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

void renumber(Program& finished, const Program& recorded) {
    std::copy(recorded.bases.begin(), recorded.bases.end(), finished.bases.begin());
    std::copy(recorded.operands.begin(), recorded.operands.end(), finished.operands.begin());
    std::copy(recorded.geometry.begin(), recorded.geometry.end(), finished.geometry.begin());
    for (std::size_t k = recorded.operands.size(); k < finished.operands.size(); ++k) {
        const Operand& del = finished.operands[k];
        finished.geometry[del.geometry] = recorded.bases[del.base].bytes;
    }
}

}  // namespace hassium
