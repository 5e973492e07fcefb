// What the engine owns; private to src/engine.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/engine.hpp"
#include "engine/merge_cache.hpp"

namespace hassium {

struct Engine::State {
    MergeCache cache;
    std::mutex mutex;                            // of `finished`
    std::condition_variable finished;            // some queue's job ended
    std::vector<std::shared_ptr<Queue>> queues;  // under the host's lock
    bool capturing = false;
    std::vector<Captured> captured;

    // The calling thread's queue; made at its first use, handed over when the thread ends.
    Queue& mine();
    // Runs `job` with the host's lock dropped; what it could not finish goes back to `queue`.
    void run_job(Queue& queue, Job job, const Host& host);
    // Everything, or the first `count` instructions, of one queue; waits if another thread runs it.
    void flush_queue(Queue& queue, std::size_t count, const Host& host);
    // Flushes every other queue that has instructions on the base.
    void settle(Base& base, const Host& host);
    void give_memory(Base& base);

  private:
    struct Run;
    void execute(Run& run);
    std::shared_ptr<const CachedFlush> prepare(const Program& program);
    void finish(Queue& queue, Run& run);
};

}  // namespace hassium
