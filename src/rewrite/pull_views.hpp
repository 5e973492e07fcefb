// Views are pulled through maps: `f(x)[::-1] * w` becomes `f(x[::-1]) * w`.
//
// A map and its readers share a block when they go through the result alike. Where every reader is
// a map and reads the result through one and the same other view, the map computes what that view
// shows, in its order, from views of its operands: the result lives and dies in the block. This is
// a gather whose index is an affine function (pull_gathers.hpp), but the map stays where it is, so
// that nothing has to be asked of writes in between.
//
// The maps that make its operands for it alone are pulled with it. Where an operand is made for
// others as well, nothing is pulled: the map would leave the block of its source.
//
// Views that exchange axes stay: a transposed array is written in the order of memory and read
// again block by block (exec/nest/transpose.cpp) faster than a block goes through its operands one
// way and through its result the other. Elements are computed by the same operations on the same
// values: bits do not change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"

namespace hassium {

// The recorded program with bases of at least `least` bytes in the order in which they are read;
// none where all are. As every pass otherwise (rewrite.hpp).
std::optional<Program> pull_views(const Program& recorded, std::int64_t least,
                                  std::vector<std::uint32_t>& from);

}  // namespace hassium
