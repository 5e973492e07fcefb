// The one pool of array memory: size classes, freed blocks kept up to a bound. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hassium {

struct PoolStats {
    std::int64_t held;  // bytes in use
    std::int64_t kept;  // bytes freed and kept for reuse
    std::int64_t peak;  // most bytes in use since reset
};

class MemoryPool {
  public:
    // 64-byte aligned; 2 MiB aligned with huge-page advice from 1 MiB on. Contents are undefined.
    // Throws std::bad_alloc after giving kept blocks back to the system once. `*fresh`: it is as
    // the system gives it, all zero and not touched.
    char* acquire(std::int64_t bytes, bool* fresh = nullptr);
    void release(char* memory, std::int64_t bytes);
    void trim();  // gives every kept block back
    // Returns blocks that were not reused for longer than the program's steps are apart. Does the
    // pool still keep any?
    bool trim_unused();
    bool keeps_any() const;
    // Exact for the calling thread; another thread's small blocks may be untold, up to 64 KiB each.
    PoolStats stats();
    void synchronize();  // tells what the calling thread has counted for itself
    void reset_peak();
    void lock();  // around a fork
    void unlock();
    MemoryPool();
    ~MemoryPool();

  private:
    friend MemoryPool& memory_pool();
    struct State;
    State* state_;
};

// Never destroyed: arrays may die after the engine.
MemoryPool& memory_pool();

}  // namespace hassium
