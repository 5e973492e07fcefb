// Splits axes of maps so that interleaved grids of an array become boxes of it.
#pragma once

#include <optional>

#include "rewrite/rewrite.hpp"

namespace hassium {

// Returns a program in which maps over arrays of at least `least_bytes` that are assembled from
// grids, as `a[:, 0::2] = x; a[:, 1::2] = y`, run over (n, 2) instead of 2 n elements. None if
// nothing is split.
std::optional<RewrittenProgram> split_axes(const Program& recorded, std::int64_t least_bytes);

}  // namespace hassium
