// The oracle of tests and bug reports: runs a program one instruction and one element at a time,
// without plan, threads or vectors, with the reduction trees of the tile executor.
#pragma once

#include <cstddef>
#include <span>

#include "program/program.hpp"

namespace hassium {

// Runs one instruction. Allocates operands without memory before the first store (on std::bad_alloc
// the bindings are unchanged) and frees the operand of a Del. Sets the floating-point exceptions in
// `state.raised`; throws Interrupted before an instruction.
void run_reference(const Program& program, std::size_t instruction, std::span<Binding> bases,
                   RunState& state);

}  // namespace hassium
