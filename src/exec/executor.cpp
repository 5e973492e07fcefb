// Runs one block: acquires memory, runs the nest (on one thread or several), stores results,
// releases memory.
#include "exec/executor.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "exec/block_memory.hpp"
#include "exec/compile/code.hpp"
#include "exec/flags.hpp"
#include "exec/nest/chunked_run.hpp"
#include "exec/nest/rows.hpp"
#include "exec/nest/transpose.hpp"
#include "exec/single/moves.hpp"

namespace hassium {
namespace {

// Runs jobs [first, last) of a launch.
void run_launch(void* context, std::int64_t first, std::int64_t last, int) {
    run_jobs(*static_cast<const Launch*>(context), first, last);
}

// Returns whether the block only writes zeros into memory that it allocates. Fresh pages from the
// system are zero already.
bool only_zeros(const Program& program, const LoopPlan& plan, const RunState& state) {
    if (plan.statements.size() != 1 || plan.acquires.size() != 1) return false;
    const Statement& s = plan.statements[0];
    if (!info(s.op).is_copy() || s.method != Method::Call) return false;
    const PlanOperand &out = plan.operands[s.operands[0]], &in = plan.operands[s.operands[1]];
    if (out.home != Home::Base || out.index != plan.acquires[0]) return false;
    if (in.home != Home::Constant) return false;
    const unsigned char* const value = constants_of(program, state)[in.index].bytes;
    return std::all_of(value, value + itemsize(in.dtype), [](unsigned char b) { return b == 0; });
}

void run_nest(const Program& program, const LoopPlan& plan, const BlockCode& code,
              std::span<Binding> bases, RunState& state) {
    bool fresh = false;
    Taken taken = acquire_all(plan, bases, {}, &fresh);
    if (fresh && !taken.empty() && only_zeros(program, plan, state)) return note_launch(state);
    std::optional<PartialMemory> partials;
    try {
        partials.emplace(code, bases);
        thread_scratch(code.all_scratch_bytes());
    } catch (const std::bad_alloc&) {
        give_back(taken, bases);
        throw;
    }
    Launch launch{constants_of(program, state), code, bases, partials->pointers()};
    std::atomic<bool> decided{false};
    // Jobs that are skipped must not have anything to raise.
    if (!plan.raises && code.can_short_circuit()) {
        const ReductionCode& r = code.reductions[0];
        std::memset(launch.partials[0], r.identity[0], static_cast<std::size_t>(r.partials));
        launch.decided = &decided;
    }
    note_launch(state);
    if (code.jobs == 0) return store_identities(launch);
    ChunkedRun(plan, code, code.jobs, state).run(run_launch, &launch);
    if (decided.load(std::memory_order_relaxed)) counters().add(Counter::blocks_short_circuited);
    finish_all(launch, plan, state);
}

// Single-instruction blocks.

void run_alone(const Program& program, const LoopPlan& plan, std::span<Binding> bases,
               RunState& state) {
    const Instruction* alone = nullptr;
    for (std::uint32_t index : plan.instructions) {
        const Instruction& i = program.instructions[index];
        if (!info(i.op).is_system()) alone = &i;
    }
    HS_CHECK(alone, "a single block has an instruction that computes");
    std::vector<BoundView> views;
    static constexpr std::int64_t kNowhere[kMaxDims] = {};
    std::span<const std::int64_t> shape = program.iteration_shape(*alone);
    for (const Operand& o : program.operands_of(*alone)) {
        if (o.is_constant()) {
            // Kernels only read inputs.
            auto* value = const_cast<unsigned char*>(
                constants_of(program, state)[static_cast<std::size_t>(o.offset)].bytes);
            views.push_back(
                {reinterpret_cast<char*>(value), o.dtype, shape, {kNowhere, shape.size()}});
            continue;
        }
        views.push_back(
            {bases[o.base].data + o.offset, o.dtype, program.shape(o), program.strides(o)});
    }
    note_launch(state);
    if (plan.raises) clear_fp_flags();
    const bool put_constant = program.inputs(*alone)[0].is_constant();
    run_single(*alone, views, {put_constant, plan.stream}, state);
    if (plan.raises) state.raised |= read_fp_flags();
}

}  // namespace

void release_dead(const LoopPlan& plan, std::span<Binding> bases) {
    for (std::uint32_t base : plan.releases) {
        memory_pool().release(bases[base].data, bases[base].bytes);
        bases[base].data = nullptr;
    }
}

void run_block(const Program& program, const LoopPlan& plan, const BlockCode& code,
               std::span<Binding> bases, RunState& state) {
    if (plan.kind == BlockKind::System) return;
    if (is_transposition(plan)) {
        acquire_all(plan, bases);
        note_launch(state);
        run_transposition(plan, bases, state);
    } else if (plan.kind == BlockKind::Nest) {
        run_nest(program, plan, code, bases, state);
    } else if (plan.kind == BlockKind::Rows) {
        run_rows(program, plan, code, bases, state);
    } else {
        acquire_all(plan, bases);
        run_alone(program, plan, bases, state);
    }
    counters().add(Counter::blocks);
    counters().add(Counter::bytes_moved, plan.bytes);
    if (!plan.contracted.empty()) {
        counters().add(Counter::contracted, static_cast<std::int64_t>(plan.contracted.size()));
    }
}

}  // namespace hassium
