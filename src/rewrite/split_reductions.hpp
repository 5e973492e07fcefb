// Splits reductions over a few lines of a few elements each, as `a.sum(axis=1)` of shape
// (100000, 3, 3), into maps: one over all first lines, one over all second lines, and so on.
//
// A nest of such a reduction would go from one line to the next after three elements, and pay for
// each what a tile costs. The maps run across the lines, fuse with what makes the input and with
// what reads the result, and the arrays between them are contracted.
//
// The bits are the same: in the column form of a reduction (program/reduction_tree.hpp) so few
// elements combine in order, and a sum begins with a constant zero here as well.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"

namespace hassium {

// The program without such reductions of at least `least_bytes` of input; none where there are no
// such. See rewrite.hpp for the contract of a pass.
std::optional<Program> split_reductions(const Program& recorded, std::int64_t least_bytes,
                                        std::vector<std::uint32_t>& from);

}  // namespace hassium
