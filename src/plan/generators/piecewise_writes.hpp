// Recognises the arrays that a program writes piecewise: writes of one base as a set of generators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/generators/generators.hpp"
#include "program/program.hpp"

namespace hassium {

// Writes of one base that may run as one nest, in place of the last of them.
struct PiecewiseWrites {
    BaseId base;
    std::vector<std::uint32_t>
        instructions;  // in writing order; operation k of the set is the k-th
    Dims strides;      // bytes along each axis of the set
    GeneratorSet set;
};

// Rows of fewer elements become periods of the axis outside: the pixels of an image whose writes
// take some of three colours each are grids of step 3 along its rows.
inline constexpr std::int64_t kShortRow = 64;

// Writes of a group. Each is compared with all others, so this bounds the time that a write takes.
inline constexpr std::size_t kMostPieces = 256;

// The views of one base as generators along the axes of the base, and the bytes along these axes.
// The axes are read off the strides of the views: a stride is a step along the widest axis that it
// is a multiple of. Negative strides cover the same points. None where the views have no common
// axes, such as diagonals of rows that others write, or cover a point twice.
struct ViewGenerators {
    Dims strides;
    GeneratorSet set;  // operation k is the k-th view
};
std::optional<ViewGenerators> generators_of(const Program& program,
                                            std::span<const std::uint32_t> operands);

// All such groups of at least two writes, in the order of their last writes.
//
// A group has maps without a mask that each write one view of the base. No instruction between its
// first and its last write uses what the group writes or changes what it reads, so all writes may
// be moved to the last one, together with dels of their inputs. A write reads the base only at its
// own points.
std::vector<PiecewiseWrites> find_piecewise_writes(const Program& program);

}  // namespace hassium
