// Instructions that index vectors. They may share a block with maps over their iteration space
// (fuse/legal/legal.hpp, rules 11 and 12); other gathers and scatters run as routines. The
// predicates use only facts of the symbolic form (program/symbolic.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/program.hpp"

namespace hassium {

// Returns whether `i` is a take from a contiguous vector of one dtype; it iterates over its result.
bool is_lookup(const Program& program, const Instruction& i);
// Operand index of the vector that a take reads.
inline constexpr std::size_t kLookedUp = 1;

// Returns whether `i` processes the elements of a vector in order: a scatter of a vector of values
// into a vector, or a segmented reduction of a contiguous vector.
bool takes_vector_in_order(const Program& program, const Instruction& i);

// Returns a bit mask of the operands that are not indexed by the loop: an iteration reads or writes
// them at any position.
constexpr std::uint32_t operands_off_loop(Op op, Method method) {
    if (method == Method::Reduceat) return 0b101;  // results and segment starts
    if (is_scatter(op, method)) return 0b001;
    return info(op).is_gather() ? 1u << kLookedUp : 0;
}
// The same for an instruction; 0 unless it may share a block.
std::uint32_t operands_off_loop(const Program& program, const Instruction& i);

}  // namespace hassium
