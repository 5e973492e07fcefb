// One thread beside the pool, which runs one task at a time while the submitting thread goes on.
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

    // Runs the task, which throws nothing. The one before has told its end. False when there is no
    // thread to be had. Callers exclude each other.
    bool start(Task task, void* context);
    // A task is about to come: a parked thread takes longer to wake than recording a few
    // operations.
    void wake();

  private:
    bool start_thread();
    void work(std::uint32_t seen);
    std::uint32_t await_task(std::uint32_t seen);

    std::atomic<std::uint32_t> generation_{0};  // raised for every task, and to rouse
    int started_in_ = 0;                        // the process; a child of fork has no such thread
    std::atomic<Task> task_ = nullptr;          // taken by the thread
    void* context_ = nullptr;
    platform::ThreadHandle thread_ = {};
    AffinityHint affinity_hint_;
};

}  // namespace hassium
