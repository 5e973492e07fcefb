// The one pool of threads. The caller works too; each thread has a share of the chunks, claimed
// from a counter, and goes on with the others' shares after its own. Workers spin briefly, then
// park. A worker's exception is stored and thrown on the caller's thread.
#pragma once

#include <cstdint>

namespace hassium {

// Returns how many threads the setting, the affinity mask and the CPU quota allow, caller included.
int thread_count();

// Calls work(context, chunk, worker) for every chunk in [0, chunks); worker < thread_count() is
// stable within one call and 0 for the caller. Shares are equal runs of chunks, in the order of the
// workers. Serial when `threads` is 1 or the pool is busy with another flush. Fork-safe: the child
// starts its own workers.
using ChunkWork = void (*)(void* context, std::int64_t chunk, int worker);
void parallel_for(std::int64_t chunks, int threads, ChunkWork work, void* context);

// Makes the calling thread the background thread: it leaves a processor to the recording thread,
// and either shares work with that thread while it waits (`with_helper`) or works alone.
void work_in_background(bool with_helper);
// Lets a thread that waits for the background thread take part in its work, in place of one worker.
class Helper {
  public:
    Helper();
    // Takes part in the current job. Returns false if there is no new job of the background thread.
    bool help();

  private:
    std::uint32_t seen_;  // generation of the last job seen
};
// Returns whether a worker spins: starting workers is then nearly free.
bool workers_awake();
// Returns how many threads to use for work that takes `seconds` on one thread: waking a parked
// worker takes 45-50 us. The caller does the work next.
int threads_for(double seconds);
// Announces `pieces` of work that take `seconds` together on one thread: wakes parked workers if
// that pays.
void expect_work(double seconds, std::int64_t pieces);

}  // namespace hassium
