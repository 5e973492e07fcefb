// Bounds inference: a map computes the elements that are read of its result, and no others.
//
// `f(x)[5:1000]` records f on all of x, and a view. Backwards through the program, every view that
// is read of a base is demanded of the instructions that write it before. A map whose result is
// demanded in parts computes the smallest regions of its domain that hold them: it writes, and
// reads, views of the views that it was recorded with. So a transposed or reversed view is computed
// in the order of memory, and what reads the elements reads them where they would have been in any
// case: bits do not change. A region is a range with a step along each axis. Regions that lie apart
// become an instruction each.
//
// Demanded are the views that other instructions read, and of a base that lives on those that its
// syncs name; all of it where it has none.
//
// An element that nothing reads raises no condition either, as long as the program leaves errstate
// as NumPy has it: an instruction that was recorded under another that reports computes all
// elements (Instruction::all_elements).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"

namespace hassium {

// The largest part of an array that is computed as a part, in elements or bytes: for a larger one
// the map keeps its domain, which other maps may share.
constexpr std::int64_t largest_part(std::int64_t all) { return all - all / 4; }

// The recorded program without elements of bases of at least `least` bytes that nothing reads; none
// where there are no such. As every pass otherwise (rewrite.hpp).
std::optional<Program> infer_bounds(const Program& recorded, std::int64_t least,
                                    std::vector<std::uint32_t>& from);

}  // namespace hassium
