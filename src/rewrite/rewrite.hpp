// The rewrite stage: runs the passes of passes.def over a recorded program, one after another.
//
// A pass takes a verified program and returns another that computes the same bits, or none where it
// changes nothing. Its bases, operands, geometry and constants begin with those of the program it
// was given. Bases beyond are written and die in it; constants beyond have values that the pass
// chose. No two instructions share an operand. What a pass does depends on structure, geometry and
// settings alone, never on the value of a constant: plans are cached without these. `from`
// receives, for every instruction, the index of the instruction that it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "program/program.hpp"

namespace hassium {

// The arrays that a pass is about: a program without large ones is not looked at.
enum class Arrays : std::uint8_t { Made, All };

struct RewritePass {
    std::string_view name;
    Setting setting;
    Arrays arrays;
    std::int64_t least_bytes;  // of an array that the pass is about, where the setting is `auto`
    std::optional<Program> (*run)(const Program& program, std::int64_t least_bytes,
                                  std::vector<std::uint32_t>& from);
};
std::span<const RewritePass> rewrite_passes();

// The text of a program that a pass has changed, after the pass.
struct RewriteDump {
    std::string_view pass;
    std::string program;
};

// A program that passes have changed.
struct RewrittenProgram {
    Program program;
    std::vector<std::uint32_t> from;  // recorded instruction of each instruction
};

// The program after all passes that the settings switch on; none where no pass changes anything.
// Appends to `dumps` where that is given.
std::optional<RewrittenProgram> rewrite(const Program& recorded,
                                        std::vector<RewriteDump>* dumps = nullptr);
// Bytes from which on an array concerns the pass, as it is set.
std::int64_t least_bytes_of(Setting pass);

}  // namespace hassium
