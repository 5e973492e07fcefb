// The structure of a recorded program without its numbers.
//
// Two programs have one symbolic form when they differ in numbers only, and numbers that were equal
// are equal: extents count as 0, 1, or a symbol numbered by first appearance (so the shapes of any
// two operands are equal in both programs or in neither); strides as 0, one item, negative, other;
// offsets and the bytes of bases do not count. What else legality rests on is asked as guards
// (fuse/guards.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace hassium {

struct SymbolicKey {
    std::vector<std::uint64_t> words;
    std::uint64_t hash = 0;
};

void symbolic_key(const Program& recorded, SymbolicKey& key);

}  // namespace hassium
