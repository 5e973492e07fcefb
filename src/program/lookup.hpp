// Instructions on vectors that an index names elements of. They may share a block with maps over
// what they iterate over (fuse/legal/legal.hpp, rules 11 and 12); others have a routine of their
// own. Nothing is asked that the symbolic form does not say (program/symbolic.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/program.hpp"

namespace hassium {

// Whether it is a take from a contiguous vector, of one dtype: it iterates over its result.
bool is_lookup(const Program& program, const Instruction& i);
// Among the operands of a take.
inline constexpr std::size_t kLookedUp = 1;

// Whether it takes the elements of a vector in order: a scatter of a vector of values into a
// vector, or a reduction of the segments of a contiguous vector.
bool takes_vector_in_order(const Program& program, const Instruction& i);

// The operands of such instructions that have no place in the loop, as bits: an element of the
// iteration reads or writes them anywhere.
constexpr std::uint32_t operands_off_loop(Op op, Method method) {
    if (method == Method::Reduceat) return 0b101;  // results and beginnings
    if (is_scatter(op, method)) return 0b001;
    return info(op).is_gather() ? 1u << kLookedUp : 0;
}
// For an instruction: 0 unless it may share a block.
std::uint32_t operands_off_loop(const Program& program, const Instruction& i);

}  // namespace hassium
