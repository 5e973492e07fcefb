// Takes from a vector: an element of the result needs one of the index and any of the vector.
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

}  // namespace hassium
