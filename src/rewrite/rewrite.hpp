// The rewrite stage: runs the passes of passes.def over a recorded program, one after another.
//
// A pass takes a verified program and returns another that computes the same bits, or none where it
// changes nothing. Its bases, operands, geometry and constants begin with those of the program it
// was given. Bases beyond are written and die in it; one that is an input is the program's
// constants in memory (constants_in_memory). Constants beyond have values that the pass chose. No
// two instructions share an operand. What a pass does depends on structure, geometry and settings
// alone, never on the value of a constant: plans are cached without these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "program/program.hpp"

namespace hassium {

// A program that passes have changed.
struct RewrittenProgram {
    Program program;
    std::vector<std::uint32_t> from;  // the instruction of the source that each comes from
    // By reroll: instructions that stand for `count` of the source, `period` apart, in order.
    struct Rerolled {
        std::uint32_t instruction, period, count;
    };
    std::vector<Rerolled> rerolled;

    // Appends an instruction that comes from instruction `index` of the source.
    Instruction& append(const Program& source, std::uint32_t index, const Instruction& changed) {
        program.origins.push_back(source.origins[index]);
        from.push_back(index);
        return program.instructions.emplace_back(changed);
    }
};
// The program's constants as an input, each in the bytes of a Constant.
inline BaseInfo constants_in_memory(const Program& p) {
    const auto bytes = static_cast<std::int64_t>(p.constants.size() * sizeof(Constant));
    return {.bytes = bytes, .dtype = DType::U8, .input = 1};
}
// All of the source but its instructions.
RewrittenProgram without_instructions(const Program& source);

// The passes, which change arrays of at least `least_bytes`; none where there is nothing to change.
#define HS_PASS(name, arrays, bytes) \
    std::optional<RewrittenProgram> name(const Program& recorded, std::int64_t least_bytes);
#include "rewrite/passes.def"
#undef HS_PASS

// The largest part of an array that is computed as a part, in elements or bytes: for a larger one
// a map keeps its domain, which other maps may share (infer_bounds.cpp).
constexpr std::int64_t largest_part(std::int64_t all) { return all - all / 4; }

// The text of a program that a pass has changed, after the pass.
struct RewriteDump {
    std::string_view pass;
    std::string program;
};

// The program after all passes that the settings switch on; none where no pass changes anything.
// Appends to `dumps` where that is given.
std::optional<RewrittenProgram> rewrite(const Program& recorded,
                                        std::vector<RewriteDump>* dumps = nullptr);
// A program that reroll has changed, before that: what it reports belongs to these instructions.
struct UnrolledProgram {
    Program program;
    std::vector<std::uint32_t> recorded_as;           // instructions of the recorded program
    std::vector<std::vector<std::uint32_t>> members;  // per rewritten instruction: what it does
};
UnrolledProgram unroll(const Program& recorded);
// Bytes from which on an array concerns the pass, as it is set.
std::int64_t least_bytes_of(Setting pass);

}  // namespace hassium
