// State of the engine; private to src/engine.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/background/background_thread.hpp"
#include "engine/cache/merge_cache.hpp"
#include "engine/engine.hpp"
#include "engine/flush/capture.hpp"
#include "engine/flush/raised_by.hpp"

namespace hassium {

struct Engine::State {
    MergeCache cache;
    std::mutex mutex;  // guards `finished` and `forking`
    // Signals the end of a queue's job. A child of fork gets a new one: waiters of the old never
    // leave.
    std::unique_ptr<std::condition_variable> finished = std::make_unique<std::condition_variable>();
    std::vector<std::shared_ptr<Queue>> queues;  // under the host's lock
    struct BackgroundFlush;
    BackgroundThread background_thread;
    std::shared_ptr<BackgroundFlush> background_flush;  // the background job; under the host's lock
    std::int64_t rests_until = 0;  // no background flush starts before (StageClock)
    int losses = 0;                // background jobs in a row that waited for a core
    int waiting = 0;               // threads in wait_until; under the host's lock
    // Announced forks that have not taken place, all of one thread: code that runs in a fork may
    // fork. Changed under `mutex`.
    int forking = 0;
    std::thread::id forker;  // valid while forking
    std::uint64_t settings_version = ~std::uint64_t{0}, settings_hash = 0;
    RaisedAnswers raised_answers;
    Capture capture;

    // Returns the calling thread's queue; created at first use, handed over when the thread ends.
    Queue& mine();
    // Flushes the first `count` instructions of a queue, in ticket order; defers the ones whose
    // memory cannot be allocated.
    void flush_queue(Queue& queue, std::size_t count, const Host& host);
    // Flushes everything of a queue, including deferred allocations.
    void flush_whole(Queue& queue, const Host& host);
    // As flush_queue, in the background if that pays. `queue` is the caller's.
    void flush_automatically(Queue& queue, std::size_t count, const Host& host);
    // Prepares a background flush when the first operation since a flush is recorded.
    void expect_background_flush(Queue& queue);
    // Waits for the background flush, if there is one, and reports its outcome.
    void await_background_flush(const Host& host);
    // Flushes the queue that has instructions on the base, unless another thread does so first.
    // `attempt`: how often the caller found that others had recorded more meanwhile. After a few
    // attempts the flush lets no other thread run: threads that never stop recording on the base
    // would never let this one go on.
    void flush_base(Base& base, const Host& host, int attempt = 0);
    void flush_needed(Base& base, Queue& queue, const Host& host);
    // Flushes every queue but `own` that has instructions on the base; other threads may run
    // meanwhile. Counts `attempts`.
    void synchronize(Base& base, const Queue& own, const Host& host, int& attempts);
    bool synchronize_views(const Request& request, const Queue& own, const Host& host);
    // Called by the fork itself, which holds `mutex` throughout: the child then has no lock whose
    // owner is gone. The after_fork functions end a fork that this thread has announced.
    void prepare_fork() { mutex.lock(); }
    void after_fork_parent();
    void after_fork_child();
    void give_memory(Base& base);
    // Completes the lazy element reads whose sources are ready.
    void read_lazy_elements(Queue& queue);
    // Runs a request whose operands are ready; returns the floating-point exceptions that it
    // raised, or nothing if no eager loop takes it and it has to be recorded.
    std::optional<std::uint8_t> run_eager(const Request& request, const Host& host);
    // Runs a gather or scatter that is_ready_lookup accepts.
    void look_up(const Request& request);
    // Waits for a condition that threads change under `mutex`, without the host's lock.
    template <class Condition>
    void wait_until(const Host& host, Condition condition);
    // Returns whether another thread is about to fork.
    bool awaits_fork() const { return forking > 0 && forker != std::this_thread::get_id(); }
    void wait_for_fork(const Host& host);

  private:
    Queue& new_queue();
    bool end_announced_fork();
    struct Run;
    class RanBlocks;
    class Ticket;
    template <class Flush>
    static void despite_want_of_memory(const Queue& queue, Flush flush);
    // Runs an automatic flush, in the background if that pays.
    void flush_due(Queue& queue, std::size_t count, const Host& host);
    std::size_t note_live_views(Queue& queue, const Host& host);
    void run_pending(Ticket& turn, std::size_t count, const Host& host,
                     const Base* wanted = nullptr, bool with_lock = false);
    // Marks the queue as running, and probes the exact cache.
    void begin(Ticket& turn, Run& run);
    // Runs a job that has begun, with the host's lock dropped unless it is short, and ends it.
    void run_here(Ticket& turn, Run& run, const Host& host);
    void run_to_its_end(Run& run) noexcept;  // with or without the host's lock
    // Finishes a job that has run, and passes its ticket on.
    void end(Ticket& turn, Run& run);
    // Reports the floating-point exceptions of a job that has ended and rethrows its error. The
    // host runs code of the program, which may flush: the thread must hold no ticket.
    static void report_outcome(const Run& run, const Host& host);
    static void trace(const Run& run);
    static void note_undone(Run& run);
    bool flushes_in_background() const;  // whether automatic flushes may run in the background
    bool rests() const;                  // whether not now, as the other core is busy
    // Called when a thread waits for a flush: the background work since the last wait predicts the
    // gain of the next flushes.
    void end_of_interval(Queue& queue);
    bool start_background_flush(const std::shared_ptr<BackgroundFlush>& next);
    // Ends the background job that is over; the caller reports its outcome.
    std::shared_ptr<BackgroundFlush> take_back(Queue& queue);
    // Waits until the condition holds or a background job of the queue is over, and takes it back.
    template <class Condition>
    std::shared_ptr<BackgroundFlush> wait_for_background_flush(Queue& queue, const Host& host,
                                                               Condition condition);
    void probe(Run& run);  // the exact cache
    void execute(Run& run);
    void execute_reference(Run& run);
    // Returns the exceptions of each instruction in blocks from `first` on, which have run
    // together; null if there is no memory for the test.
    std::shared_ptr<const RaisedBy> test_blocks(const Run& run, const RanBlocks& ran,
                                                std::size_t first,
                                                std::span<const std::uint8_t> raised);
    void prepare(Run& run);
    std::shared_ptr<const CachedFlush> bind_to_family(Run& run, const SymbolicKey& key);
    void give_back(Run& run);
    std::shared_ptr<const CachedFlush> plan_anew(Run& run, std::shared_ptr<Family> family);
    // Returns the capture's entry for a flush that is about to run.
    std::shared_ptr<Captured> capture_run(const Run& run);
    void finish(Ticket& turn, Run& run);
    std::uint64_t settings_identity();
};

}  // namespace hassium
