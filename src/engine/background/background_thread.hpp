// A thread outside the pool that runs one task at a time while the submitting thread goes on.
//
// It spins briefly after a task, as the pool's workers do, and then parks; it lives to the end of
// the process. A child of fork starts its own.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/affinity_hint.hpp"
#include "runtime/platform.hpp"

namespace hassium {

class BackgroundThread {
  public:
    using Task = void (*)(void* context);

    // Runs `task`, which must not throw, after the task before has ended. Returns false if the
    // thread cannot be started. Callers must exclude each other.
    bool start(Task task, void* context);
    // Wakes a parked thread for a task that comes soon: waking takes longer than recording a few
    // operations.
    void wake();

  private:
    bool start_thread();
    void work(std::uint32_t seen);
    std::uint32_t await_task(std::uint32_t seen);

    std::atomic<std::uint32_t> generation_{0};  // incremented for every task and every wake
    int started_in_ = 0;                        // process id; a child of fork has no such thread
    std::atomic<Task> task_ = nullptr;          // taken by the thread
    void* context_ = nullptr;
    platform::ThreadHandle thread_ = {};
    AffinityHint affinity_hint_;
};

}  // namespace hassium
