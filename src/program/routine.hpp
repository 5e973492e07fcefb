// Routines: rows of class Opaque, each run by functions that are registered for it.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"
#include "program/program.hpp"

namespace hassium {

// One operand of a routine, or of another instruction that is run by itself.
struct BoundView {
    char* data;
    DType dtype;
    std::span<const std::int64_t> shape;
    std::span<const std::int64_t> strides;
};

// Whether some byte is between the first and the last one of each.
bool may_share(const BoundView& a, const BoundView& b);

// Options of routines: bits of Instruction::axes.
inline constexpr std::uint64_t kStable = 1;  // sort, argsort: equal elements stay in order
inline constexpr std::uint64_t kBehind = 1;  // searchsorted: behind equal elements, not before

// nonzero has the pitch of a row as its option.

// Bools whose true ones count_runs counts together.
inline constexpr std::int64_t kCountedRun = std::int64_t{1} << 15;

// Runs an instruction on its operands: outputs, then inputs; a constant has strides of zero. Called
// without engine locks, by a flush without the GIL. May use the threads of the pool and throw
// UserError or std::bad_alloc.
using RoutineFn = void (*)(const Instruction& instruction, std::span<const BoundView> operands,
                           RunState& state);

// A row has a routine of its own, one of a library, or both: then the first one runs and may leave
// work to the other. Registered before anything runs.
void register_routine(Op op, RoutineFn fn);
void register_library_routine(Op op, RoutineFn fn);
// Registers when the extension is loaded: one static object beside each routine.
struct RegisteredRoutine {
    RegisteredRoutine(Op op, RoutineFn fn) { register_routine(op, fn); }
};

// Run an instruction of class Opaque.
void run_routine(const Instruction& instruction, std::span<const BoundView> operands,
                 RunState& state);
void run_library_routine(const Instruction& instruction, std::span<const BoundView> operands,
                         RunState& state);

}  // namespace hassium
