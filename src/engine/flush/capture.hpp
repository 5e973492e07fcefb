// The dumps and times of each flush during a capture (`debug.capture()`, `explain()`).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/engine.hpp"
#include "plan/loop_plan.hpp"

namespace hassium {

// Entries are shared with running flushes: several threads may flush at once, and a flush may end
// after the capture.
class Capture {
  public:
    bool active() const { return active_.load(std::memory_order_relaxed); }
    void start(bool merged);
    std::vector<Captured> stop();
    // Returns the merged entry of flushes with that identity; null if there is none and the caller
    // calls add().
    std::shared_ptr<Captured> find(std::uint64_t identity);
    std::shared_ptr<Captured> add(std::uint64_t identity, Captured flush);
    // Adds one more flush to an entry: the bytes of its plans, its planning time and bytes saved.
    void add_flush(Captured& flush, std::span<const LoopPlan> plans, double planning,
                   std::int64_t bytes_saved);
    // Adds the time of blocks that ran together, divided in proportion to their estimates.
    void add_time(Captured& flush, std::size_t first, std::span<const LoopPlan> ran,
                  std::int64_t nanoseconds);

  private:
    std::atomic<bool> active_ = false;
    std::mutex mutex_;  // guards the members below and the sums of the entries
    bool merged_ = false;
    std::vector<std::shared_ptr<Captured>> flushes_;
    // Used while merging. The key is a hash; a collision would only merge the reports of two
    // flushes.
    std::unordered_map<std::uint64_t, std::shared_ptr<Captured>> by_identity_;
};

}  // namespace hassium
