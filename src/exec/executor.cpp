// Runs one block: memory first, then the nest (alone or on the pool's threads), then results and
// releases.
#include "exec/executor.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <optional>
#include <vector>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "exec/block_memory.hpp"
#include "exec/code.hpp"
#include "exec/flags.hpp"
#include "exec/moves.hpp"
#include "exec/thread_pool.hpp"
#include "exec/transpose.hpp"

namespace hassium {
namespace {

constexpr double kLeastChunk = 3e-6;
constexpr std::int64_t kChunksPerThread = 8;
constexpr auto kPollEvery = std::chrono::milliseconds(20);
constexpr double kPollWorth = 10e-3;  // blocks shorter than this are not interrupted

// Jobs in chunks, over threads or alone.
class NestRun {
  public:
    NestRun(const Launch& launch, const LoopPlan& plan, RunState& state)
        : launch_(launch), plan_(plan), state_(state), jobs_(launch.code.jobs) {}

    void run() {
        double seconds = plan_.seconds;
        polls_ = state_.interrupted && launch_.code.interruptible && seconds > kPollWorth;
        int threads = jobs_ > 1 ? threads_for(seconds) : 1;
        std::int64_t chunks = 1;
        if (threads > 1 || polls_) {
            double most = std::min(seconds / kLeastChunk, static_cast<double>(jobs_));
            std::int64_t wanted = kChunksPerThread * threads;
            if (polls_) wanted = std::max(wanted, static_cast<std::int64_t>(seconds / 5e-3));
            chunks = std::clamp<std::int64_t>(wanted, 1, static_cast<std::int64_t>(most) + 1);
            chunks = std::min(chunks, jobs_);
        }
        chunks_ = chunks;
        next_poll_ = polls_ ? std::chrono::steady_clock::now() + kPollEvery : next_poll_;
        if (threads > 1 && chunks > 1) {
            counters().add(Counter::parallel_blocks);
            parallel_for(chunks, threads, run_chunk, this);
        } else {
            for (std::int64_t chunk = 0; chunk < chunks; ++chunk) run_chunk(this, chunk, 0);
        }
        state_.raised |= raised_.load(std::memory_order_relaxed);
    }

  private:
    const Launch& launch_;
    const LoopPlan& plan_;
    RunState& state_;
    std::int64_t jobs_, chunks_ = 1;
    bool polls_ = false;
    std::chrono::steady_clock::time_point next_poll_{};
    std::atomic<std::uint8_t> raised_{0};

    static void run_chunk(void* context, std::int64_t chunk, int worker) {
        auto& self = *static_cast<NestRun*>(context);
        if (worker == 0 && self.polls_) self.poll();
        std::int64_t first = self.jobs_ * chunk / self.chunks_;
        std::int64_t last = self.jobs_ * (chunk + 1) / self.chunks_;
        if (self.plan_.raises) clear_fp_flags();
        run_jobs(self.launch_, first, last);
        // Stores past the caches are ordered by a fence alone, here for the whole chunk: one for
        // each tile would cost as much as the stores gain. Sweeps do not stream.
        if (self.plan_.stream) self.launch_.code.tiles->fence();
        if (self.plan_.raises) {
            self.raised_.fetch_or(read_fp_flags(), std::memory_order_relaxed);
        }
    }

    void poll() {
        auto now = std::chrono::steady_clock::now();
        if (now < next_poll_) return;
        next_poll_ = now + kPollEvery;
        if (state_.interrupted()) throw Interrupted();
    }
};

void run_nest(const Program& program, const LoopPlan& plan, const BlockCode& code,
              std::span<Binding> bases, RunState& state) {
    Taken taken = acquire_all(plan, bases);
    std::optional<PartialMemory> partials;
    try {
        partials.emplace(code, bases);
        thread_scratch(code.all_scratch_bytes());
    } catch (const std::bad_alloc&) {
        give_back(taken, bases);
        throw;
    }
    Launch launch{constants_of(program, state), code, bases, partials->pointers()};
    note_launch(state);
    if (code.jobs == 0) return store_identities(launch);
    NestRun(launch, plan, state).run();
    if (code.reductions.empty()) return;
    if (plan.raises) clear_fp_flags();
    finish_reductions(launch);
    if (plan.raises) state.raised |= read_fp_flags();
}

// --- one instruction
// ------------------------------------------------------------------------------

void run_alone(const Program& program, const LoopPlan& plan, std::span<Binding> bases,
               RunState& state) {
    const Instruction* alone = nullptr;
    for (std::uint32_t index : plan.instructions) {
        const Instruction& i = program.instructions[index];
        if (info(i.op).cls != OpClass::System) alone = &i;
    }
    HS_CHECK(alone, "a single block has an instruction that computes");
    std::vector<BoundView> views;
    static constexpr std::int64_t kNowhere[kMaxDims] = {};
    std::span<const std::int64_t> shape = program.iteration_shape(*alone);
    for (const Operand& o : program.operands_of(*alone)) {
        if (o.is_constant()) {
            // Kernels only read what is no output.
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
    if (info(alone->op).cls == OpClass::Opaque) {
        OpaqueFn fn = registered_opaque();
        HS_CHECK(fn, "opaque rows need a registered function");
        fn(alone->op, views, alone->axes);
    } else {
        run_single(program, *alone, views, state);
    }
    if (plan.raises) state.raised |= read_fp_flags();
}

}  // namespace

void run_block(const Program& program, const LoopPlan& plan, const BlockCode& code,
               std::span<Binding> bases, RunState& state) {
    if (plan.kind == BlockKind::System) return release_all(plan, bases);
    FaultCount faults(plan.bytes);
    if (is_transposition(plan)) {
        acquire_all(plan, bases);
        note_launch(state);
        run_transposition(plan, bases, state);
    } else if (plan.kind == BlockKind::Nest) {
        run_nest(program, plan, code, bases, state);
    } else {
        acquire_all(plan, bases);
        run_alone(program, plan, bases, state);
    }
    release_all(plan, bases);
    counters().add(Counter::blocks);
    counters().add(Counter::bytes_moved, plan.bytes);
    if (!plan.contracted.empty()) {
        counters().add(Counter::contracted, static_cast<std::int64_t>(plan.contracted.size()));
    }
}

}  // namespace hassium
