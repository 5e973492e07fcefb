// The rewrite stage: runs the passes of passes.def over a recorded program, one after another.
//
// A pass takes a verified program and returns another that computes the same bits, or none where it
// changes nothing. Its bases, operands and geometry begin with those of the program it was given;
// bases beyond are written and die in it. Constants are the same. `from` receives, for every
// instruction, the index of the instruction that it comes from.
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

struct RewritePass {
    std::string_view name;
    Setting setting;
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

// The program after all passes that the settings switch on; none where no pass changes anything.
// `any_size`: as if every array were large enough. Appends to `dumps` where that is given.
std::optional<Program> rewrite(const Program& recorded, bool any_size,
                               std::vector<std::uint32_t>& from,
                               std::vector<RewriteDump>* dumps = nullptr);
// Whether the settings ask for some pass on arrays of any size.
bool rewrites_any_size();

}  // namespace hassium
