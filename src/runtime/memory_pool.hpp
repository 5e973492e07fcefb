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
    // Returns memory aligned to 64 bytes, or to 2 MiB with huge-page advice from 1 MiB on. Contents
    // are undefined. Sets `*fresh` when the memory comes untouched and all zero from the system.
    // Throws std::bad_alloc after giving kept blocks back to the system once.
    char* acquire(std::int64_t bytes, bool* fresh = nullptr);
    void release(char* memory, std::int64_t bytes);
    void trim();  // releases every kept block to the system
    // Returns blocks to the system that exceeded the hold time of their class. Returns whether the
    // pool still keeps any.
    bool trim_unused();
    bool keeps_any() const;
    // Exact for the calling thread; each other thread may hold back counts of up to 64 KiB.
    PoolStats stats();
    void synchronize();  // adds the calling thread's counts to the pool's
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
