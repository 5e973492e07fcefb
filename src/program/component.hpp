// Views of the parts of complex numbers: `z.real` and `z.imag`.
#pragma once

#include "program/program.hpp"

namespace hassium {

// Which part of the elements of `whole` does `part` show, element by element? 0 the real, 1 the
// imaginary; -1: it is no such view. Both are views of one base.
int component_of(const Program& program, const Operand& whole, const Operand& part);

}  // namespace hassium
