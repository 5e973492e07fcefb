// Queues and their flushes: threads that wait for one another, and the path of a job from its queue
// through the stages and back.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/settings.hpp"
#include "engine/background/ticket.hpp"
#include "engine/flush/plan_flush.hpp"
#include "engine/flush/progress.hpp"
#include "engine/flush/reports.hpp"
#include "engine/flush/run.hpp"
#include "program/deaths.hpp"
#include "record/allocation.hpp"
#include "record/thresholds.hpp"
#include "rewrite/rewrite.hpp"
#include "runtime/memory_pool.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

// Returns which instructions are in blocks [first, end), renumbered by `numbers`.
std::vector<bool> instructions_of(const CachedFlush& flush, std::size_t first, std::size_t end,
                                  std::span<const std::uint32_t> numbers) {
    std::vector<bool> found(flush.program.instructions.size());
    for (std::size_t b = first; b < end; ++b) {
        for (std::uint32_t i : flush.plans[b].instructions) {
            if (numbers[i] != kNoInstruction) found[numbers[i]] = true;
        }
    }
    return found;
}

char* copy_in_pool(const void* from, std::int64_t bytes) {
    char* to = memory_pool().acquire(bytes);
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return to;
}

// Replaces the program of a failed job by the rewritten one if there is one: of a recorded
// instruction that became several, some may be done. Returns the index in the job's program of each
// planned instruction.
std::vector<std::uint32_t> leave_undone(const CachedFlush& flush, Job& job) {
    std::vector<std::uint32_t> numbers = flush.form->recorded_as;
    if (!flush.form->is_rewritten()) return numbers;
    Program left = finished_program(flush, job.program, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool split = numbers[i] != kNoInstruction &&
                           job.program.instructions[numbers[i]].method == Method::Reduce &&
                           left.instructions[i].method == Method::Call;
        if (split) left.origins[i].step_of = StepOf::Reduction;
    }
    for (std::size_t b = job.bases.size(); b < job.bindings.size(); ++b) {
        const BaseInfo& base = left.bases[b];
        if (base.input) job.bindings[b].data = copy_in_pool(left.constants.data(), base.bytes);
        job.bases.push_back(new_dead_base(job.bindings[b].data, base.bytes, base.dtype));
    }
    const std::vector<Origin> origins = std::exchange(left.origins, {});
    const std::vector<Instruction> all = std::exchange(left.instructions, {});
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (numbers[i] == kNoInstruction) continue;
        numbers[i] = static_cast<std::uint32_t>(left.instructions.size());
        left.instructions.push_back(all[i]);
        left.origins.push_back(origins[i]);
    }
    job.program = std::move(left);
    return numbers;
}

bool is_want_of_memory(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        return true;
    } catch (...) {
        return false;
    }
}

// Throws for the array that could not be allocated, as NumPy does; rethrows if there is none.
[[noreturn]] void rethrow_for_lacking(const Queue& queue) {
    const Operand* array = queue.largest_lacking();
    if (!array) throw;
    const std::span<const std::int64_t> shape = queue.pending().shape(*array);
    Dims wanted;
    wanted.assign(shape.data(), shape.size());
    const std::int64_t all = queue.pending().bases[array->base].bytes / itemsize(array->dtype);
    const std::int64_t part =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    if (part != all) wanted.assign(&all, 1);  // written in parts
    throw AllocationError(std::move(wanted), array->dtype);
}

// Returns the estimated seconds that a flush saved: passes over arrays, at the bandwidth of a cache
// as these could have run eagerly, and time on other threads.
double spared_by(const CachedFlush& flush) {
    constexpr double kBytesPerSecond = 80e9;
    return static_cast<double>(flush.bytes_saved) / kBytesPerSecond +
           flush.work.shareable * (1 - 1.0 / thread_count());
}

// Describes a flush that may have an exact entry; a family's spare flush, given back, is null here.
KnownProgram known_program(const std::shared_ptr<const CachedFlush>& flush) {
    if (!flush) return {};
    const Program& p = flush->program;
    const std::span<const BaseInfo> bases(p.bases.data(), flush->form->recorded_bases);
    return {flush, flush->form->recorded, p.operands, p.geometry, bases, flush->hash};
}

}  // namespace

void Engine::State::trace(const Run& run) {
    std::vector<std::uint32_t> recorded_as;
    Program program = with_deaths(run.job.program, recorded_as);
    std::fprintf(stderr, "hassium: flush of %zu instructions, %lld blocks so far, %.1f us\n",
                 program.instructions.size(),
                 static_cast<long long>(counters().get(Counter::blocks)),
                 static_cast<double>(run.clock.last() - run.began) * 1e-3);
    if (settings().get(Setting::trace) > 1) std::fputs(program.dump().c_str(), stderr);
}

void Engine::State::begin(Ticket& turn, Run& run) {
    Queue& queue = turn.queue();
    run.settings = settings_identity();
    counters().add(Counter::flushes);
    queue.runner = std::this_thread::get_id();
    queue.running.store(true, std::memory_order_relaxed);
    try {
        probe(run);
    } catch (...) {
        run.error = std::current_exception();
    }
}

void Engine::State::run_to_its_end(Run& run) noexcept {
    try {
        if (!run.error) execute(run);
    } catch (...) {
        run.error = std::current_exception();
    }
}

void Engine::State::end(Ticket& turn, Run& run) {
    if (settings().get(Setting::trace) > 0) trace(run);
    finish(turn, run);
    put_in_order(run.reports);
}

void Engine::State::report_outcome(const Run& run, const Host& host) {
    if (!run.reports.empty()) host.report(run.reports);
    if (run.error) std::rethrow_exception(run.error);
}

void Engine::State::run_here(Ticket& turn, Run& run, const Host& host) {
    const bool brief =
        run.hit && run.flush->work.seconds < threshold_seconds(Threshold::flush_with_lock);
    bool late = false;  // an interrupt came after the last instruction
    if (brief || run.with_lock) {
        run.interrupted = host.interrupted;
        run_to_its_end(run);
    } else {
        void* left = host.leave();
        run.interrupted = Progress::interrupted;
        {
            Progress progress(host, run.began);
            run_to_its_end(run);
            late = progress.end();
        }
        host.enter(left);
    }
    turn.queue().recording_since = run.clock.last() - run.recorded_behind;
    end(turn, run);
    report_outcome(run, host);
    if (late) throw Interrupted();
}

// Finds the instructions of a failed job that are done, and those that could not be allocated.
void Engine::State::note_undone(Run& run) {
    const bool lacking = is_want_of_memory(run.error);
    if (run.flush && run.launched) {
        const CachedFlush& flush = *run.flush;
        const std::vector<std::uint32_t> numbers = leave_undone(flush, run.job);
        const std::size_t next = run.blocks_done;
        run.done = instructions_of(flush, 0, next, numbers);
        if (lacking && next < flush.plans.size()) {
            const std::size_t nests = std::max<std::size_t>(flush.plans[next].sweep.nests, 1);
            run.lacking = instructions_of(flush, next, next + nests, numbers);
        }
    }
    if (lacking && !run.flush && !run.done.empty()) {  // reference executor
        run.lacking.assign(run.done.size(), false);
        const auto next = std::find(run.done.begin(), run.done.end(), false);
        if (next != run.done.end())
            run.lacking[static_cast<std::size_t>(next - run.done.begin())] = true;
    }
    if (!lacking) run.lacking.clear();
    const std::size_t count = run.job.program.instructions.size();
    run.done.resize(count);
    if (!run.lacking.empty()) run.lacking.resize(count);
}

// Writes the run's memory back to the bases, restores unfinished work, releases dead bases.
void Engine::State::finish(Ticket& turn, Run& run) {
    Queue& queue = turn.queue();
    std::vector<Base*> bases = std::move(run.job.bases);
    // Bases were not touched since they were recorded, so they are prefetched.
    constexpr std::size_t kAhead = 8;
    for (std::size_t b = 0; b < bases.size(); ++b) {
        if (b + kAhead < bases.size()) __builtin_prefetch(bases[b + kAhead], 1);
        bases[b]->data = run.job.bindings[b].data;
        if (!run.error) queue.let_go(bases[b]);
    }
    if (run.error) {
        run.job.bases = std::move(bases);
        note_undone(run);
        bases = run.job.bases;
        queue.restore(std::move(run.job), run.done, run.lacking);
        for (Base* base : bases) queue.let_go(base);
    }
    queue.work_before = run.flush ? run.flush->work : Work{};
    if (run.flush && !run.error && !queue.scheduler.cut_anew() &&
        settings().choice(Setting::recording_backoff) == "auto") {
        queue.backoff.flushed({run.planning, spared_by(*run.flush)}, run.job.program, run.settings);
    }
    give_back(run);
    read_lazy_elements(queue);
    if (!run.error) {
        queue.expect(known_program(run.flush));
        run.job.bases = std::move(bases);
        queue.recycle(std::move(run.job));
    }
    turn.pass();
}

// Repeats a flush that fails for lack of memory, as long as each failure finds further allocations
// to defer.
template <class Flush>
void Engine::State::despite_want_of_memory(const Queue& queue, Flush flush) {
    for (;;) {
        const std::size_t before = queue.found_lacking();
        try {
            return flush();
        } catch (const std::bad_alloc&) {
            if (queue.found_lacking() == before) rethrow_for_lacking(queue);
        }
    }
}

void Engine::State::flush_queue(Queue& queue, std::size_t count, const Host& host) {
    despite_want_of_memory(queue, [&] {
        Ticket turn(*this, queue, host);
        // Excludes what was recorded after the call: `count` is 0 if everything was running then.
        run_pending(turn, queue.defer_failed(std::min(count, queue.size()), nullptr), host);
    });
}

void Engine::State::flush_automatically(Queue& queue, std::size_t count, const Host& host) {
    despite_want_of_memory(queue, [&] { flush_due(queue, count, host); });
}

void Engine::State::flush_whole(Queue& queue, const Host& host) {
    Ticket turn(*this, queue, host);
    try {
        run_pending(turn, queue.size(), host);
    } catch (const std::bad_alloc&) {
        rethrow_for_lacking(queue);
    }
}

void Engine::State::flush_base(Base& base, const Host& host, int attempt) {
    constexpr int kAttempts = 3;
    if (!base.owner) return;
    const std::shared_ptr<Queue> queue = base.owner->shared_from_this();
    despite_want_of_memory(*queue, [&] {
        Ticket turn(*this, *queue, host);
        // Threads served before may have flushed the base, or may have recorded more.
        if (base.owner != queue.get()) return;
        run_pending(turn, queue->defer_failed(queue->size(), &base), host, &base,
                    attempt >= kAttempts);
    });
}

void Engine::State::flush_needed(Base& base, Queue& queue, const Host& host) {
    Ticket turn(*this, queue, host);
    if (base.owner == &queue) run_pending(turn, queue.bring_forward(&base), host, &base);
}

// Appends a sync for each live view of a large new array of which only parts are live. Returns the
// number of syncs.
std::size_t Engine::State::note_live_views(Queue& queue, const Host& host) {
    const std::size_t before = queue.size();
    std::vector<Base*> large;
    queue.each_new(least_bytes_of(Setting::infer_bounds),
                   [&](Base& base) { large.push_back(&base); });
    for (Base* base : large) {
        for (const View* view : host.live_views(*base, largest_part(base->bytes))) {
            queue.append_sync(*view);
            base->partial = true;
        }
    }
    return queue.size() - before;
}

void Engine::State::run_pending(Ticket& turn, std::size_t count, const Host& host,
                                const Base* wanted, bool with_lock) {
    Queue& queue = turn.queue();
    end_of_interval(queue);
    if (count == 0) return read_lazy_elements(queue);
    const StageClock clock;
    if (count == queue.size()) count += note_live_views(queue, host);
    Run run{queue.take(count, wanted), clock};
    if (run.job.program.instructions.empty()) return read_lazy_elements(queue);
    if (capture.active()) {
        const Origin& last = run.job.program.origins.back();
        const bool raises = last.reports && last.errstate.acts_at_call();
        run.cause = wanted ? FlushCause::Read : raises ? FlushCause::Raise : FlushCause::Asked;
        run.site = host.site();
    }
    begin(turn, run);
    run.with_lock = with_lock;
    run_here(turn, run, host);
}

void Engine::State::synchronize(Base& base, const Queue& own, const Host& host, int& attempts) {
    while (base.owner && base.owner != &own) flush_base(base, host, attempts++);
}

Queue& Engine::State::mine() {
    // One word of static thread storage: access to dynamic thread storage is a call. No thread
    // records after its destructors have run.
    [[gnu::tls_model("initial-exec")]] thread_local Queue* queue = nullptr;
    if (!queue) queue = &new_queue();
    return *queue;
}

Queue& Engine::State::new_queue() {
    // The thread's reference to its queue. The engine keeps another while instructions are pending,
    // so a thread that ends hands its queue over to the next reader.
    thread_local std::shared_ptr<Queue> owned;
    std::erase_if(queues, [](const std::shared_ptr<Queue>& q) {
        return q.use_count() == 1 && q->empty() && !q->in_service();
    });
    owned = std::make_shared<Queue>();
    queues.push_back(owned);
    return *owned;
}

void Engine::flush() {
    Queue& queue = state_->mine();
    while (!queue.empty() || queue.running) state_->flush_whole(queue, host_);
    queue.backoff.end();
}

void Engine::run_pending() {
    Queue& queue = state_->mine();
    while (!queue.idle() || queue.running) state_->flush_queue(queue, queue.size(), host_);
}

void Engine::run_index(Base& index, const Base& source) {
    Queue& queue = state_->mine();
    if (source.readable() || source.bytes < least_bytes_of(Setting::pull_gathers)) return;
    if (index.owner != &queue || queue.largest_lacking()) return;
    state_->flush_needed(index, queue, host_);
}

void Engine::flush_reports() {
    Queue& own = state_->mine();
    state_->raised_answers.clear();
    if (own.may_report() || own.running) run_pending();
    // Filters of warnings are those of the process. A flush lets other threads run, which may end.
    const std::vector<std::shared_ptr<Queue>> queues = state_->queues;
    for (const std::shared_ptr<Queue>& queue : queues) {
        if (queue->may_report() || queue->running) {
            state_->flush_queue(*queue, queue->size(), host_);
        }
    }
}

}  // namespace hassium
