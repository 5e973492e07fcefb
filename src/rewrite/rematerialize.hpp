// What is cheap to make is made again where it is wanted later, instead of being kept in memory.
//
// The distances of all pairs, x[:, None] - x, are as large as a matrix and come from two rows. When
// their length has been computed and its diagonal overwritten, what follows cannot share a block
// with what came before (fuse/legal/legal.hpp, rule 1), and the distances that it wants again would
// go to memory and back, which takes longer than to subtract once more. So a second instruction
// makes them, on a base of its own.
//
// Instructions have levels: one that depends on another is a level later where it cannot share a
// block with it, because views of one base meet without being identical. A base is made again for
// every later level that reads it when
//
//   - it dies in the program, and one map that takes a few cycles writes all of it;
//   - what that reads is small beside it, and stays as it is until the last reader has run.
//
// This is rematerialisation. Bits do not change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"

namespace hassium {

// The recorded program with instructions that make bases of at least `least` bytes again; none when
// there are no such. As every pass otherwise (rewrite.hpp).
std::optional<Program> rematerialize(const Program& recorded, std::int64_t least,
                                     std::vector<std::uint32_t>& from);

}  // namespace hassium
