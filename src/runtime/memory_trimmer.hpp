// The thread that returns kept memory to the system when the program has stopped using it.
#pragma once

#include <atomic>
#include <cstdint>

namespace hassium {

class MemoryPool;

// One for the process. The thread starts when the pool first keeps a block, checks about once a
// second while the pool keeps any, and sleeps otherwise.
class MemoryTrimmer {
  public:
    explicit MemoryTrimmer(MemoryPool& pool) : pool_(pool) {}
    // Called when the pool keeps a block, without the pool's lock.
    void note_kept() {
        if (!awake_.load(std::memory_order_relaxed)) wake();
    }
    void after_fork_child() { awake_.store(false, std::memory_order_relaxed); }

  private:
    void wake();
    bool start_thread();
    void work();

    MemoryPool& pool_;
    std::atomic<bool> awake_{false};
    std::atomic<int> started_in_{0};  // process id; a child of fork starts its own thread
};

}  // namespace hassium
