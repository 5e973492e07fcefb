// The one pool of threads. The caller works too; each thread has a share of the chunks, claimed
// from a counter, and helps with the others' when its own is done. Workers spin briefly, then park.
// A worker's exception is stored and thrown on the caller's thread.
#pragma once

#include <cstdint>

namespace hassium {

// How many threads the setting, the affinity mask and the cgroup quota allow, the caller included.
int thread_count();

// Calls work(context, chunk, worker) for every chunk in [0, chunks); worker < thread_count() is
// stable within one call and 0 for the caller. Shares are equal runs of chunks, in the order of the
// workers. Serial when `threads` is 1 or the pool is busy with another flush. Fork-safe: the child
// starts its own workers.
using ChunkWork = void (*)(void* context, std::int64_t chunk, int worker);
void parallel_for(std::int64_t chunks, int threads, ChunkWork work, void* context);

// From now on the calling thread is the one aside: it leaves a processor to the recording thread,
// and asks it to take part when it waits, or works alone.
void work_in_background(bool with_helper);
// A thread that waits for it takes part in its work meanwhile, in place of one worker.
class Helper {
  public:
    Helper();
    // False: there is nothing new to take part in.
    bool help();

  private:
    std::uint32_t seen_;  // of the pieces of work
};
// True when workers are known to spin: starting them is then nearly free.
bool workers_awake();
// Threads that work of so many seconds on one of them is worth: waking a parked worker takes
// 45-50 us. Who asks is about to do the work.
int threads_for(double seconds);
// So many pieces of work come next, of so many seconds on one thread: parked workers are woken for
// them where that pays.
void expect_work(double seconds, std::int64_t pieces);

}  // namespace hassium
