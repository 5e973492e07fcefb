// Generators in text form, taken through the phases: for the command line and tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hassium {

// The dump after each phase, with its name, in the order of the phases. `segmentation` is one of
// auto, all, cubes and generators; `tiles` the extents of each level of tiling, the outermost
// first. UserError (Value) for a malformed text, an unknown name, tiles that do not suit the shape,
// or a nest that is too large.
std::vector<std::pair<std::string, std::string>> dump_generators(
    const std::string& text, const std::string& segmentation,
    const std::vector<std::vector<std::int64_t>>& tiles);

}  // namespace hassium
