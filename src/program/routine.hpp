// Routines: rows of class Opaque, each run by a function registered for it.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"
#include "program/program.hpp"

namespace hassium {

// One operand of a routine, or of another instruction that runs by itself.
struct BoundView {
    char* data;
    DType dtype;
    std::span<const std::int64_t> shape;
    std::span<const std::int64_t> strides;
};

// Returns whether the byte ranges of the two views intersect.
bool may_share(const BoundView& a, const BoundView& b);

// Options of routines: bits of Instruction::axes.
inline constexpr std::uint64_t kStable = 1;  // sort, argsort: equal elements stay in order
inline constexpr std::uint64_t kBehind = 1;  // searchsorted: after equal elements (side="right")

// The option of nonzero is the pitch of a row.

// Number of bools whose true elements count_runs counts together.
inline constexpr std::int64_t kCountedRun = std::int64_t{1} << 15;

// Runs an instruction on its operands: outputs, then inputs; constants have strides of 0. A flush
// calls it without the GIL and without engine locks. May use the thread pool and throw UserError or
// std::bad_alloc.
using RoutineFn = void (*)(const Instruction& instruction, std::span<const BoundView> operands,
                           RunState& state);

// A row has its own routine, one of a library, or both: then its own runs and may delegate to that
// of the library. Register before anything runs.
void register_routine(Op op, RoutineFn fn);
void register_library_routine(Op op, RoutineFn fn);
// Registers a routine when the extension is loaded: one static object next to each routine.
struct RegisteredRoutine {
    RegisteredRoutine(Op op, RoutineFn fn) { register_routine(op, fn); }
};

// Run an instruction of class Opaque.
void run_routine(const Instruction& instruction, std::span<const BoundView> operands,
                 RunState& state);
void run_library_routine(const Instruction& instruction, std::span<const BoundView> operands,
                         RunState& state);

}  // namespace hassium
