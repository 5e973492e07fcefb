// Instructions that name elements of a vector by an index: a take reads any of the vector for an
// element of its result, a scatter writes any of it for an element of its values.
#pragma once

#include <cstddef>

#include "program/program.hpp"

namespace hassium {

// Whether it is a take from a contiguous vector, of one dtype. Such a one may share a loop with
// maps over its result; others have a routine of their own. Asks nothing that the symbolic form
// does not say (program/symbolic.hpp).
bool is_lookup(const Program& program, const Instruction& i);

// Among the operands of a take.
inline constexpr std::size_t kLookedUp = 1;

// Whether it is a scatter of a vector of values into a vector. Such a one may share a block with
// maps over its values, as an accumulation may; others have a routine of their own. Asks nothing
// that the symbolic form does not say.
bool is_vector_scatter(const Program& program, const Instruction& i);

// The vector among the operands of either, which has no place in the loop; no operand: it is
// neither.
inline constexpr std::size_t kNoVector = ~std::size_t{0};
std::size_t vector_of(const Program& program, const Instruction& i);

}  // namespace hassium
