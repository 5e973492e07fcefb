// The oracle of tests and bug reports: runs a program one instruction and one element at a time,
// without a plan, threads or vectors, with the reduction trees of the tile executor.
#pragma once

#include <cstddef>
#include <span>

#include "program/program.hpp"

namespace hassium {

// Runs one instruction. Takes the memory of operands that have none before the first store
// (std::bad_alloc leaves the bindings as they were) and releases what a Del ends. Sets the
// floating-point exceptions in `state.raised`; throws Interrupted before an instruction.
void run_reference(const Program& program, std::size_t instruction, std::span<Binding> bases,
                   RunState& state);

}  // namespace hassium
