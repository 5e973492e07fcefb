// Gathers are pulled through maps: `f(x)[i]` becomes `f(x[i])`.
//
// A map whose result dies and is read by gathers alone computes every element, and the gathers read
// few of them. Here each gather reads the operands of the map instead, and the map computes what
// was gathered: what nothing asks for is never computed, and the map joins the block of the gather.
// Step by step a gather passes a whole expression; operands that meet again are gathered once.
// Operands that are constant along the gathered axis are read as they are.
//
// A gather is pulled when its result has no more elements than its source, and when reading several
// operands at random places costs no more than reading them in order (pull_pays). The other
// conditions are those under which values stay: nothing writes an operand between the map and the
// gather, and no element is computed for the condition that it raises (Instruction::all_elements).
// Elements are computed by the same operations on the same values: bits do not change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"

namespace hassium {

// The recorded program without bases of at least `least` bytes that only gathers read; none where
// there are no such. As every pass otherwise (rewrite.hpp).
std::optional<Program> pull_gathers(const Program& recorded, std::int64_t least,
                                    std::vector<std::uint32_t>& from);

}  // namespace hassium
