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

// A plan compiled to kernel calls; shared by every flush that hits its cache entry.
class BlockCode;
std::shared_ptr<BlockCode> compile(const LoopPlan& plan);
// Binds code to a plan of the same structure with other numbers. Returns false if these numbers
// need other code; `code` is then unusable.
bool rebind(BlockCode& code, const LoopPlan& plan);
// As rebind, for a plan with the numbers of a congruent one, to which the code `model` is bound.
bool rebind_congruent(BlockCode& code, const LoopPlan& plan, const BlockCode& model);
std::shared_ptr<BlockCode> copy_of(const BlockCode& code);
// Returns whether the codes are equal in everything that execution depends on.
bool same_code(const BlockCode& a, const BlockCode& b);

// Acquires all memory of the block before its first store (std::bad_alloc leaves the bindings as
// they were) and runs it. Throws Interrupted between chunks; a block that overwrites its own input
// runs to its end first.
void run_block(const Program& program, const LoopPlan& plan, const BlockCode& code,
               std::span<Binding> bases, RunState& state);
// Releases the memory of bases that die in a block that has run.
void release_dead(const LoopPlan& plan, std::span<Binding> bases);

// Runs several blocks as one sweep, as the first one's plan says; sets `raised` for each.
struct PlannedCode {
    const LoopPlan* plan;
    const BlockCode* code;
};
// Returns whether the sweep uses as many threads as the blocks one after another. If not, they run
// one after another.
bool sweeps_on_all_threads(std::span<const PlannedCode> nests);
void run_sweep(const Program& program, std::span<const PlannedCode> nests, std::span<Binding> bases,
               RunState& state, std::span<std::uint8_t> raised);

// Runs one map instruction on ready operands, contiguous or strided, without program or plan: the
// eager path. Operands: outputs, inputs; none may be null. Returns the FpFlag bits raised.
struct DirectOperand {
    char* data;
    DType dtype;
    const std::int64_t* strides;  // over the iteration shape; 0 for broadcast axes
};
std::uint8_t run_direct(Op op, DType compute, std::span<const std::int64_t> shape,
                        std::span<const DirectOperand> operands);
// As run_direct, for a copy with one cast.
std::uint8_t run_direct_copy(std::span<const std::int64_t> shape, const DirectOperand& out,
                             const DirectOperand& in);
// Copies n contiguous elements, or fills them with one element (`fills`).
void run_direct_line(DType dtype, char* out, const char* in, bool fills, std::int64_t n);
// Copies where a mask is true, for one dtype; returns false, doing nothing, if no kernel fits.
bool run_direct_blend(std::span<const std::int64_t> shape, const DirectOperand& out,
                      const DirectOperand& in, const DirectOperand& mask);

// Reduces contiguous elements of shape [outer][reduced][inner] along the middle axis, in one chunk
// of the tree for each result (reduction_tree.hpp), or rows in several. Returns nothing if no
// kernel fits.
struct DirectFold {
    std::int64_t outer, reduced, inner;
};
std::optional<std::uint8_t> run_direct_fold(Op op, DType compute, const DirectFold& fold,
                                            const DirectOperand& in, const DirectOperand& out);
// Stores the positions (Argmax, Argmin) as contiguous int64; returns false if no kernel fits.
bool run_direct_extreme(Op op, DType dtype, const DirectFold& fold, const char* in, char* out);
// Runs a row that makes a block of its own: a scan, gather, arg-reduction or opaque row.
// `part_is_constant`: the values of a put are one element, whatever its view says.
std::uint8_t run_direct_single(const Instruction& i, std::span<const BoundView> operands,
                               bool part_is_constant);
// Stores the first n numbers of a generator of `dtype`, contiguous; returns false if no kernel
// fits.
bool run_direct_generator(Op op, DType dtype, const DirectOperand& out, const char* start,
                          const char* step, std::int64_t n);

}  // namespace hassium
