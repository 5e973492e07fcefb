// Views of the parts of complex numbers: `z.real` and `z.imag`.
#pragma once

#include "program/program.hpp"

namespace hassium {

// Returns 0 if `part` shows the real parts of the elements of `whole`, 1 if the imaginary parts,
// and -1 if neither. Both must be views of one base.
int component_of(const Program& program, const Operand& whole, const Operand& part);

}  // namespace hassium
