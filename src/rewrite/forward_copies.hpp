// Copy forwarding: arrays that are assembled from copies are read where the copies came from.
//
// `roll`, `concatenate`, `stack` and `pad` copy pieces into a new array, and so does who assigns
// the parts of an array by hand. A reader of the whole sees a view that no single copy wrote,
// so nothing fuses across it (fuse/legal/legal.hpp, rule 1): a stencil made of eight rolled grids
// carries sixteen arrays to memory and back. Here such an array is not made at all. The maps that
// read it are cut where its pieces meet, into one instruction for each cell of the iteration space,
// and each reads the memory that the piece was copied from. What is left is an interior that reads
// shifted views of one array, and rims: several generators of one result, split into cubes, in the
// words of "On Code Generation for Multi-Generator WITH-Loops in SAC".
//
// An array is left out when
//
//   - it is new, dies in the program, and every write is a copy without a cast into a box of it
//     (rewrite/boxes.hpp), before the first read;
//   - every reader is a map, of a box of it that is covered by the pieces;
//   - nothing is written to what a piece was copied from until the last reader has run, nor by a
//     reader.
//
// Maps that make or read the whole of what a cut map touches are cut in the same way, so that they
// share the cells' blocks, unless something else than maps, such as a reduction, wants in the end
// what would live and die between them: that would have to be kept in memory. What lives and dies
// between maps that are all cut gets a base for each cell.
//
// Elements are computed by the same operations on the same values: bits do not change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"

namespace hassium {

// The recorded program without arrays of at least `least` bytes that it puts together; none when
// there are no such. See rewrite.hpp for the contract of a pass.
std::optional<Program> forward_copies(const Program& recorded, std::int64_t least,
                                      std::vector<std::uint32_t>& from);

}  // namespace hassium
