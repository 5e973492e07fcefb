// Array splitting: parts of a temporary that no view joins become arrays of their own.
#pragma once

#include "program/program.hpp"

namespace hassium {

// Gives each part of a base that is made and dies in the program a base of its own if only maps use
// it and no view shows some of its elements with others. A block that alone uses such a part need
// not keep it in memory. Elements are laid out in the order in which they are read, if all readers
// have one, and maps that write them run in that order, so that they can share a block. Results are
// bit-identical.
void split_bases(Program& program);

}  // namespace hassium
