// Finds arrays that a program writes piecewise: the writes of one base as a set of generators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/generators/generators.hpp"
#include "program/program.hpp"

namespace hassium {

// Writes of one base that may run as one nest in place of the last of them.
struct PiecewiseWrites {
    BaseId base;
    std::vector<std::uint32_t>
        instructions;  // in writing order; operation k of the set is the k-th
    Dims strides;      // bytes along each axis of the set
    GeneratorSet set;
};

// Rows of fewer elements become periods of the axis outside: writes to single colours of the pixels
// of an image are grids of step 3 along its rows.
inline constexpr std::int64_t kShortRow = 64;

// Writes per group. Each is compared with all others, so this bounds the time per write.
inline constexpr std::size_t kMostPieces = 256;

// The views of one base as generators along the axes of the base, and the strides of these axes.
// The axes are inferred from the strides of the views: a stride steps along the widest axis that it
// is a multiple of. Negative strides cover the same points. None if the views have no common axes,
// such as diagonals of rows that others write, or cover a point twice.
struct ViewGenerators {
    Dims strides;
    GeneratorSet set;  // operation k is the k-th view
};
std::optional<ViewGenerators> generators_of(const Program& program,
                                            std::span<const std::uint32_t> operands);

// Returns all such groups of at least two writes, in the order of their last writes.
//
// A group consists of unmasked maps that each write one view of the base. No instruction between
// its first and last write uses what the group writes or changes what it reads, so all writes can
// be moved to the last one, together with dels of their inputs. A write reads the base only at the
// points that it writes.
std::vector<PiecewiseWrites> find_piecewise_writes(const Program& program);

}  // namespace hassium
