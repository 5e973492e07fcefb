// Programs with other instructions than were recorded, as text.
#pragma once

#include <string>
#include <vector>

#include "program/deaths.hpp"
#include "rewrite/rewrite.hpp"
#include "support/check.hpp"

namespace rewriting {

// As recorded: bases say that they die.
inline hassium::Program recorded(const std::string& text) {
    using namespace hassium;
    Program p = Program::parse(text);
    Program out = p;
    out.instructions.clear();
    out.origins.clear();
    for (std::size_t i = 0; i < p.instructions.size(); ++i) {
        const Instruction& instruction = p.instructions[i];
        if (p.is_del(instruction)) {
            out.bases[p.inputs(instruction)[0].base].dies = 1;
            continue;
        }
        out.instructions.push_back(instruction);
        out.origins.push_back(p.origins[i]);
    }
    return out;
}

// The lines of what `rewrite` makes of the program, without its bases; "same" where that is
// nothing.
template <class Rewrite>
std::string lines(const std::string& text, Rewrite rewrite) {
    const hassium::Program p = recorded(text);
    const std::optional<hassium::RewrittenProgram> rewritten = rewrite(p);
    if (!rewritten) return "same";
    const hassium::Program& made = rewritten->program;
    CHECK(rewritten->from.size() == made.instructions.size());
    CHECK(made.bases.size() >= p.bases.size());
    CHECK(made.constants.size() >= p.constants.size());
    std::vector<std::uint32_t> recorded_as;
    const hassium::Program finished = hassium::with_deaths(made, recorded_as);
    finished.verify();
    std::string found = finished.dump();
    while (found.starts_with("base ")) found.erase(0, found.find('\n') + 1);
    return found;
}

}  // namespace rewriting
