// Runs plans: binds memory, walks the nest, calls kernels. Knows strides, tails and threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "plan/loop_plan.hpp"
#include "program/program.hpp"
#include "program/routine.hpp"

namespace hassium {

// A plan turned into kernel calls; shared by every flush that hits its cache entry.
class BlockCode;
std::shared_ptr<BlockCode> compile(const LoopPlan& plan);
// Code for a plan of the same structure with other numbers. False: with these numbers the code
// would be another; it is of no use then.
bool rebind(BlockCode& code, const LoopPlan& plan);
// The same for a plan like another, with its numbers, to which the code `model` is bound.
bool rebind_congruent(BlockCode& code, const LoopPlan& plan, const BlockCode& model);
std::shared_ptr<BlockCode> copy_of(const BlockCode& code);
// Whether they are equal in everything that execution depends on.
bool same_code(const BlockCode& a, const BlockCode& b);

// Takes all memory of the block before its first store (std::bad_alloc leaves the bindings as they
// were) and runs it. Throws Interrupted between chunks, but a block
// that overwrites an input of its own runs to its end first.
void run_block(const Program& program, const LoopPlan& plan, const BlockCode& code,
               std::span<Binding> bases, RunState& state);
// Returns the memory of what dies in a block that has run.
void release_dead(const LoopPlan& plan, std::span<Binding> bases);

// Several blocks as one sweep, as the first one's plan says; sets what each of them `raised`.
struct PlannedCode {
    const LoopPlan* plan;
    const BlockCode* code;
};
// Whether it can be divided among as many threads as the blocks one after another. Else they run
// so.
bool sweeps_on_all_threads(std::span<const PlannedCode> nests);
void run_sweep(const Program& program, std::span<const PlannedCode> nests, std::span<Binding> bases,
               RunState& state, std::span<std::uint8_t> raised);

// One map instruction on ready operands, contiguous or strided, without program or plan: the direct
// path of the recorder. Operands: outputs, inputs (a null base data is not allowed).
struct DirectOperand {
    char* data;
    DType dtype;
    const std::int64_t* strides;  // over the iteration shape; broadcast axes 0
};
std::uint8_t run_direct(Op op, DType compute, std::span<const std::int64_t> shape,
                        std::span<const DirectOperand> operands);
// The same for a copy, cast once.
std::uint8_t run_direct_copy(std::span<const std::int64_t> shape, const DirectOperand& out,
                             const DirectOperand& in);
// The same for n contiguous elements, copied from contiguous ones, or all from one (`fills`).
void run_direct_line(DType dtype, char* out, const char* in, bool fills, std::int64_t n);
// The same where a mask is true, of one dtype; false: not this way.
bool run_direct_blend(std::span<const std::int64_t> shape, const DirectOperand& out,
                      const DirectOperand& in, const DirectOperand& mask);

// The same for a reduction of contiguous elements of shape [outer][reduced][inner] along the middle
// axis, in one chunk of the tree for each result (reduction_tree.hpp), or of rows in several.
// Empty: not this way.
struct DirectFold {
    std::int64_t outer, reduced, inner;
};
std::optional<std::uint8_t> run_direct_fold(Op op, DType compute, const DirectFold& fold,
                                            const DirectOperand& in, const DirectOperand& out);
// The positions of the extremes (Argmax, Argmin), one after another as int64; false: not this way.
bool run_direct_extreme(Op op, DType dtype, const DirectFold& fold, const char* in, char* out);
// The same for what makes a block alone: a scan, a gather, a reduction to a position, opaque work.
// `part_is_constant`: the value of a put is one element, whatever its view says.
std::uint8_t run_direct_single(const Instruction& i, std::span<const BoundView> operands,
                               bool part_is_constant);
// The first n numbers of a generator of `dtype` into contiguous memory; false: not this way.
bool run_direct_generator(Op op, DType dtype, const DirectOperand& out, const char* start,
                          const char* step, std::int64_t n);

}  // namespace hassium
