// Splitting the axes of maps, so that grids of an array are boxes of it.
#pragma once

#include <optional>

#include "rewrite/rewrite.hpp"

namespace hassium {

// A program in which the maps that touch arrays of at least `least_bytes` which are assembled from
// grids, as `a[:, 0::2] = x; a[:, 1::2] = y`, go over (n, 2) where they went over 2 n elements. The
// instructions are those of the recorded program, one by one. None: nothing is split.
std::optional<Program> split_axes(const Program& recorded, std::int64_t least_bytes);

}  // namespace hassium
