// The rewrite stage: runs the passes of passes.def over a recorded program, one after another.
//
// A pass takes a verified program and returns another that computes the same bits, or none if it
// changes nothing. Bases, operands, geometry and constants of the result begin with those of its
// argument. Additional bases are written and die in the program; an additional base that is an
// input holds the program's constants in memory (constants_in_memory). Additional constants have
// values that the pass chose. No two instructions share an operand. A pass depends on structure,
// geometry and settings alone, never on the values of constants: plans are cached without these.
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
    std::vector<std::uint32_t> from;  // per instruction, the one of the source that it comes from
    // Set by reroll: an instruction that replaces `count` instructions of the source, `period`
    // apart.
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
// Returns the input base that holds the program's constants, sizeof(Constant) bytes each.
inline BaseInfo constants_in_memory(const Program& p) {
    const auto bytes = static_cast<std::int64_t>(p.constants.size() * sizeof(Constant));
    return {.bytes = bytes, .dtype = DType::U8, .input = 1};
}
// Returns a copy of the source without its instructions.
RewrittenProgram without_instructions(const Program& source);

// The passes. Each changes arrays of at least `least_bytes`; none if there is nothing to change.
#define HS_PASS(name, arrays, bytes) \
    std::optional<RewrittenProgram> name(const Program& recorded, std::int64_t least_bytes);
#include "rewrite/passes.def"
#undef HS_PASS

// Returns the largest part of an array, in elements or bytes, that is computed as a part. For a
// larger one the map keeps its domain, which other maps may share (infer_bounds.cpp).
constexpr std::int64_t largest_part(std::int64_t all) { return all - all / 4; }

// The text of the program after a pass that changed it.
struct RewriteDump {
    std::string_view pass;
    std::string program;
};

// Runs all passes that the settings enable; returns none if no pass changes anything. Appends the
// program after each pass to `dumps` if given.
std::optional<RewrittenProgram> rewrite(const Program& recorded,
                                        std::vector<RewriteDump>* dumps = nullptr);
// The program before reroll: floating-point conditions are reported for these instructions.
struct UnrolledProgram {
    Program program;
    std::vector<std::uint32_t> recorded_as;  // per instruction, that of the recorded program
    std::vector<std::vector<std::uint32_t>> members;  // per instruction, those that it replaces
};
UnrolledProgram unroll(const Program& recorded);
// Returns the setting of the pass: it ignores arrays of fewer bytes.
std::int64_t least_bytes_of(Setting pass);

}  // namespace hassium
