// What the engine owns; private to src/engine.
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
    std::mutex mutex;  // of `finished`
    // Some queue's job ended. A child of fork has another: who waits for the old one never leaves.
    std::unique_ptr<std::condition_variable> finished = std::make_unique<std::condition_variable>();
    std::vector<std::shared_ptr<Queue>> queues;  // under the host's lock
    struct BackgroundFlush;
    BackgroundThread background_thread;
    std::shared_ptr<BackgroundFlush>
        background_flush;          // the job that runs aside; under the host's lock
    std::int64_t rests_until = 0;  // nothing goes aside before, by the clock of flushes
    int losses = 0;                // jobs in a row that waited for a core
    int waiting = 0;               // threads in wait_until; under the host's lock
    // Forks that are announced and have not taken place, all of one thread: code that runs in a
    // fork may fork. Changed under `mutex`.
    int forking = 0;
    std::thread::id forker;  // valid while forking
    std::uint64_t settings_version = ~std::uint64_t{0}, settings_hash = 0;
    RaisedAnswers raised_answers;
    Capture capture;

    // The calling thread's queue; made at its first use, handed over when the thread ends.
    Queue& mine();
    // The first `count` instructions of a queue, when this thread's turn comes; what there was no
    // memory for is put off.
    void flush_queue(Queue& queue, std::size_t count, const Host& host);
    // Everything of a queue.
    void flush_whole(Queue& queue, const Host& host);
    // The same, on a thread of its own where that pays. The caller's queue.
    void flush_automatically(Queue& queue, std::size_t count, const Host& host);
    // The first operation since a flush is recorded: will it go aside?
    void expect_background_flush(Queue& queue);
    // Until the job that runs aside is over and told.
    void await_background_flush(const Host& host);
    // Everything of the queue that has instructions on the base, unless another thread does so.
    void flush_base(Base& base, const Host& host);
    void flush_needed(Base& base, Queue& queue, const Host& host);
    // Flushes every other queue that has instructions on the base. False: some had, and other
    // threads may have run meanwhile.
    bool synchronize(Base& base, const Host& host);
    bool synchronize_views(const Request& request, const Host& host);
    // Called by the fork itself, with `mutex` held over it: its child has no lock that nobody
    // holds. Those after it end what the thread has announced, if it has.
    void prepare_fork() { mutex.lock(); }
    void after_fork_parent();
    void after_fork_child();
    void give_memory(Base& base);
    // Deferred reads of what is there are done.
    void read_lazy_elements(Queue& queue);
    // Runs a request whose operands are ready; returns the floating-point exceptions that it
    // raised. Empty: no eager loop takes it, it is to be recorded.
    std::optional<std::uint8_t> run_eager(const Request& request, const Host& host);
    // Runs what the policy calls ready (is_ready_lookup).
    void look_up(const Request& request);
    // Waits for what threads change under `mutex`, without the host's lock.
    template <class Condition>
    void wait_until(const Host& host, Condition condition);
    // Whether another thread is about to fork.
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
    // What the queue itself wants to be flushed: aside, where that gains.
    void flush_due(Queue& queue, std::size_t count, const Host& host);
    std::size_t note_live_views(Queue& queue, const Host& host);
    void run_pending(Ticket& turn, std::size_t count, const Host& host,
                     const Base* wanted = nullptr);
    // Marks the queue as running, and asks the cache.
    void begin(Ticket& turn, Run& run);
    // Runs a job that has begun, with the host's lock dropped, and ends it.
    void run_here(Ticket& turn, Run& run, const Host& host);
    void run_to_its_end(Run& run) noexcept;  // with or without the host's lock
    // Finishes a job that has run, and passes the turn on.
    void end(Ticket& turn, Run& run);
    // Reports the conditions of a job that has ended and throws what it failed with. The host runs
    // code of the program, which may flush: the thread waits for no turn and has none.
    static void report_outcome(const Run& run, const Host& host);
    static void trace(const Run& run);
    static void note_undone(Run& run);
    bool flushes_in_background() const;  // automatic flushes, where that gains anything
    bool rests() const;                  // from that, as the other core is wanted
    // A thread waits for a flush: what ran in the background since the last wait tells about the
    // next ones.
    void end_of_interval(Queue& queue);
    bool start_background_flush(const std::shared_ptr<BackgroundFlush>& next);
    // Ends the background job, whose outcome is to be reported.
    std::shared_ptr<BackgroundFlush> take_back(Queue& queue);
    // Until the condition holds, or a background job of the queue is over, which is taken back.
    template <class Condition>
    std::shared_ptr<BackgroundFlush> wait_for_background_flush(Queue& queue, const Host& host,
                                                               Condition condition);
    void probe(Run& run);  // the cache, for this very program
    void execute(Run& run);
    void execute_reference(Run& run);
    // For `count` blocks of a flush that have run together; null: there is no memory for it.
    std::shared_ptr<const RaisedBy> test_blocks(const Run& run, const RanBlocks& ran,
                                                std::size_t first,
                                                std::span<const std::uint8_t> raised);
    void prepare(Run& run);
    std::shared_ptr<const CachedFlush> bind_to_family(Run& run, const SymbolicKey& key);
    void give_back(Run& run);
    std::shared_ptr<const CachedFlush> plan_anew(Run& run, std::shared_ptr<Family> family);
    // The entry of a flush that is about to run.
    std::shared_ptr<Captured> capture_run(const Run& run);
    void finish(Ticket& turn, Run& run);
    std::uint64_t settings_identity();
};

}  // namespace hassium
