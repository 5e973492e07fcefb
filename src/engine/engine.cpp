#include "engine/engine.hpp"

#include <chrono>
#include <cstdio>
#include <new>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "engine/state.hpp"
#include "exec/executor.hpp"
#include "exec/memory_pool.hpp"
#include "fuse/fuse.hpp"
#include "ops/dtype_rules.hpp"
#include "plan/lower.hpp"

namespace hassium {
namespace {

using Clock = std::chrono::steady_clock;

// Adds the time it lives to one stage.
class StageTimer {
  public:
    explicit StageTimer(Stage stage) : stage_(stage), start_(Clock::now()) {}
    ~StageTimer() {
        auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_);
        counters().nanoseconds[static_cast<int>(stage_)].fetch_add(spent.count(),
                                                                   std::memory_order_relaxed);
    }

  private:
    Stage stage_;
    Clock::time_point start_;
};

template <class Pass>
auto timed(Stage stage, Pass&& pass) {
    StageTimer timer(stage);
    return pass();
}

// What converting the operands of an instruction to and from its loop's dtypes can raise.
std::uint8_t conversions_raise(const Program& program, const Instruction& instruction) {
    std::optional<Loop> loop = loop_of(instruction.op, instruction.compute);
    if (!loop || info(instruction.op).cls == OpClass::System) return 0;
    std::uint8_t flags = 0;
    std::span<const Operand> outs = program.outputs(instruction), ins = program.inputs(instruction);
    for (std::size_t k = 0; k < outs.size(); ++k) {
        flags |= cast_raises(loop->out[k], outs[k].dtype);
    }
    for (std::size_t k = 0; k < ins.size(); ++k) flags |= cast_raises(ins[k].dtype, loop->in[k]);
    return flags;
}

// The rows of a block that can have raised what the hardware flags show, by condition. Copy stands
// for a cast.
void collect_reports(const Program& program, std::span<const std::uint32_t> instructions,
                     std::uint8_t raised, std::vector<FpReport>& reports) {
    for (int condition = 0; condition < 4; ++condition) {
        if (!(raised >> condition & 1)) continue;
        FpReport report{condition, {}, ErrMode::Ignore};
        for (std::uint32_t i : instructions) {
            const Instruction& instruction = program.instructions[i];
            ErrMode mode = program.origins[i].errstate.mode(condition);
            if (mode == ErrMode::Ignore) continue;
            bool row = raises(instruction.op, instruction.compute) >> condition & 1;
            bool cast = conversions_raise(program, instruction) >> condition & 1;
            if (row) report.candidates.push_back(instruction.op);
            if (cast) report.candidates.push_back(Op::Copy);
            if (row || cast) report.mode = mode;
        }
        if (!report.candidates.empty()) reports.push_back(std::move(report));
    }
}

}  // namespace

// One job on its way through the stages.
struct Engine::State::Run {
    Job job;
    std::vector<Binding> bindings;
    std::vector<bool> done;
    std::vector<FpReport> reports;
    bool (*interrupted)() = nullptr;
    std::exception_ptr error;
};

// Flush: verify, key, cache probe, graph and partition, plan, compile, execute.
std::shared_ptr<const CachedFlush> Engine::State::prepare(const Program& program) {
    const Settings& config = settings();
    bool verify = config.on(Setting::verify);
    if (verify) timed(Stage::Verify, [&] { program.verify(); });

    std::uint64_t key = 0;
    if (config.on(Setting::cache)) {
        auto hit = timed(Stage::Cache, [&] {
            key = program.hash();
            return cache.find(program, key, config.version());
        });
        if (hit) {
            counters().add(Counter::cache_hits);
            return hit;
        }
    }
    counters().add(Counter::cache_misses);

    auto entry = std::make_shared<CachedFlush>();
    std::string_view cost_model = config.choice(Setting::cost_model);
    entry->partition = timed(Stage::Partition, [&] {
        return partition(program, {config.choice(Setting::partitioner), cost_model});
    });
    if (verify) timed(Stage::Verify, [&] { entry->partition.verify(program); });
    timed(Stage::Plan, [&] {
        for (const Block& block : entry->partition.blocks) {
            entry->plans.push_back(lower(program, block));
            if (verify) entry->plans.back().verify();
            entry->codes.push_back(compile(entry->plans.back()));
        }
    });
    entry->bytes_saved = static_cast<std::int64_t>(entry->partition.apart - entry->partition.cost);
    entry->settings_version = config.version();
    if (config.on(Setting::cache)) {
        entry->program = program;
        entry->program.origins.clear();
        entry->program.constants.clear();
        cache.store(key, entry, static_cast<std::size_t>(config.get(Setting::cache_entries)));
    }
    return entry;
}

void Engine::State::execute(Run& run) {
    const Program& program = run.job.program;
    // An array that was read before anything was written to it exists, with whatever it holds.
    for (std::size_t b = 0; b < run.bindings.size(); ++b) {
        Binding& base = run.bindings[b];
        if (program.bases[b].input && !base.data) base.data = memory_pool().acquire(base.bytes);
    }
    if (settings().choice(Setting::executor) == "reference") {
        if (settings().on(Setting::verify)) program.verify();
        for (std::uint32_t i = 0; i < program.instructions.size(); ++i) {
            RunState state{0, run.interrupted};
            run_reference(program, i, run.bindings, state);
            run.done[i] = true;
            collect_reports(program, {&i, 1}, state.raised, run.reports);
        }
        return;
    }
    std::int64_t misses = counters().get(Counter::cache_misses);
    std::shared_ptr<const CachedFlush> entry = prepare(program);
    counters().add(Counter::bytes_saved, entry->bytes_saved);
    if (capturing) {
        std::string plans;
        for (const LoopPlan& plan : entry->plans) plans += plan.dump();
        captured.push_back({program.dump(), entry->partition.dump(program), plans,
                            counters().get(Counter::cache_misses) == misses});
    }
    StageTimer timer(Stage::Execute);
    for (std::size_t b = 0; b < entry->plans.size(); ++b) {
        const LoopPlan& plan = entry->plans[b];
        RunState state{0, run.interrupted};
        run_block(program, plan, *entry->codes[b], run.bindings, state);
        for (std::uint32_t i : plan.instructions) run.done[i] = true;
        if (state.raised & plan.raises) {
            collect_reports(program, plan.instructions, state.raised, run.reports);
        }
    }
}

namespace {

void trace(const Program& program, std::size_t blocks, double seconds) {
    std::fprintf(stderr, "hassium: flush of %zu instructions, %zu blocks so far, %.1f us\n",
                 program.instructions.size(), blocks, seconds * 1e6);
    if (settings().get(Setting::trace) > 1) std::fputs(program.dump().c_str(), stderr);
}

}  // namespace

void Engine::State::run_job(Queue& queue, Job job, const Host& host) {
    Run run{std::move(job), {}, {}, {}, host.interrupted, nullptr};
    run.done.resize(run.job.program.instructions.size());
    run.bindings.reserve(run.job.bases.size());
    for (const Base* base : run.job.bases) run.bindings.push_back({base->data, base->bytes});
    counters().add(Counter::flushes);
    queue.running = true;
    queue.runner = std::this_thread::get_id();

    void* left = host.leave();
    auto start = Clock::now();
    try {
        execute(run);
    } catch (...) {
        run.error = std::current_exception();
    }
    if (settings().get(Setting::trace) > 0) {
        trace(run.job.program, static_cast<std::size_t>(counters().get(Counter::blocks)),
              std::chrono::duration<double>(Clock::now() - start).count());
    }
    host.enter(left);

    finish(queue, run);
    if (!run.reports.empty()) host.report(run.reports);
    if (run.error) std::rethrow_exception(run.error);
}

// Writes back what the run knows of the bases, returns unfinished work, lets the dead go.
void Engine::State::finish(Queue& queue, Run& run) {
    std::vector<Base*> bases = run.job.bases;
    for (std::size_t b = 0; b < bases.size(); ++b) bases[b]->data = run.bindings[b].data;
    if (run.error) queue.restore(std::move(run.job), run.done);
    for (Base* base : bases) {
        base->in_flight = false;
        if (queue.holds(*base)) continue;
        base->owner = nullptr;
        if (base->dead) destroy_base(base);
    }
    {
        std::lock_guard lock(mutex);
        queue.running = false;
    }
    finished.notify_all();
}

void Engine::State::flush_queue(Queue& queue, std::size_t count, const Host& host) {
    while (queue.running) {
        if (queue.runner == std::this_thread::get_id()) {
            throw UserError(ErrorKind::Runtime, "[flush] called while this thread is flushing");
        }
        void* left = host.leave();
        {
            std::unique_lock lock(mutex);
            finished.wait(lock, [&] { return !queue.running; });
        }
        host.enter(left);
    }
    if (queue.empty()) return;
    Job job = timed(Stage::Simplify, [&] { return queue.take(std::min(count, queue.size())); });
    if (job.program.instructions.empty()) return;
    run_job(queue, std::move(job), host);
}

void Engine::State::settle(Base& base, const Host& host) {
    Queue& own = mine();
    while (base.owner && base.owner != &own) {
        flush_queue(*base.owner, base.owner->size(), host);
    }
}

void Engine::State::give_memory(Base& base) {
    if (!base.data) base.data = memory_pool().acquire(base.bytes);
}

Queue& Engine::State::mine() {
    // The thread's share of its queue. The engine keeps another while instructions are pending, so
    // a thread that ends hands its queue over to whoever reads from it.
    thread_local std::shared_ptr<Queue> owned;
    // In one word of static thread storage: reaching the dynamic kind is a call. Nobody records
    // after the thread's destructors have run.
    [[gnu::tls_model("initial-exec")]] thread_local Queue* queue = nullptr;
    if (!queue) {
        std::erase_if(queues, [](const std::shared_ptr<Queue>& q) {
            return q.use_count() == 1 && q->empty() && !q->running;
        });
        owned = std::make_shared<Queue>();
        queues.push_back(owned);
        queue = owned.get();
    }
    return *queue;
}

Engine::Engine() : state_(std::make_unique<State>()) {
    set_memory_release(
        [](char* memory, std::int64_t bytes) { memory_pool().release(memory, bytes); });
}

Engine& Engine::instance() {
    static Engine* engine = new Engine();  // arrays may die after static destruction
    return *engine;
}

void Engine::flush() {
    Queue& queue = state_->mine();
    while (!queue.empty() || queue.running) state_->flush_queue(queue, queue.size(), host_);
}

char* Engine::ready(Base& base) {
    while (base.owner) state_->flush_queue(*base.owner, base.owner->size(), host_);
    state_->give_memory(base);
    return base.data;
}

char* Engine::begin_export(Base& base) {
    char* data = ready(base);
    ++base.exports;
    base.range_known = false;
    return data;
}

void Engine::end_export(Base& base) { --base.exports; }

Engine::CacheInfo Engine::cache_info() const {
    const Counters& c = counters();
    return {c.get(Counter::cache_hits), c.get(Counter::cache_misses), state_->cache.entries()};
}

void Engine::cache_clear() { state_->cache.clear(); }

Engine::Memory Engine::memory() const {
    PoolStats stats = memory_pool().stats();
    return {stats.held, stats.kept, stats.peak};
}

void Engine::reset_peak() { memory_pool().reset_peak(); }

void Engine::start_capture() {
    state_->capturing = true;
    state_->captured.clear();
}

std::vector<Captured> Engine::stop_capture() {
    state_->capturing = false;
    return std::move(state_->captured);
}

// A child of fork has only the forking thread: a flush of another thread would never end there.
void Engine::before_fork() {
    for (std::size_t k = 0; k < state_->queues.size(); ++k) {
        std::shared_ptr<Queue> queue = state_->queues[k];
        while (queue->running && queue->runner != std::this_thread::get_id()) {
            void* left = host_.leave();
            {
                std::unique_lock lock(state_->mutex);
                state_->finished.wait(lock, [&] { return !queue->running; });
            }
            host_.enter(left);
        }
    }
    state_->mutex.lock();
}

void Engine::after_fork_parent() { state_->mutex.unlock(); }

void Engine::after_fork_child() { state_->mutex.unlock(); }

}  // namespace hassium
