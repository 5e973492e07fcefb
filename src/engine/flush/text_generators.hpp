// Runs generators in text form through the phases: for the command line and tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hassium {

// Returns the dump after each phase, with its name, in the order of the phases. `segmentation` is
// one of auto, all, cubes and generators; `tiles` has the extents of each level of tiling,
// outermost first. Throws UserError (Value) for malformed text, an unknown name, tiles that do not
// fit the shape, or a nest that is too large.
std::vector<std::pair<std::string, std::string>> dump_generators(
    const std::string& text, const std::string& segmentation,
    const std::vector<std::vector<std::int64_t>>& tiles);

// A piecewise write of a program in text form (plan/generators/piecewise_writes.hpp).
struct TextPieces {
    std::string base;
    std::vector<std::uint32_t> instructions;
    std::vector<std::int64_t> strides;  // bytes
    std::string set;                    // operation i3 is instruction 3
};
std::vector<TextPieces> find_pieces(const std::string& text);

}  // namespace hassium
