// What is kept of each flush while somebody looks (`debug.capture()`, `explain()`).
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

// Entries are shared with the flushes under way: several threads may flush at once, and one may
// still run when the capture ends.
class Capture {
  public:
    bool active() const { return active_.load(std::memory_order_relaxed); }
    void start(bool merged);
    std::vector<Captured> stop();
    // The entry of flushes with that identity, which counts one more; null where there is none and
    // `add` has to follow.
    std::shared_ptr<Captured> find(std::uint64_t identity);
    std::shared_ptr<Captured> add(std::uint64_t identity, Captured flush);
    // One more flush of an entry: what its plans move, and what planning and fusing took and saved.
    void add_flush(Captured& flush, std::span<const LoopPlan> plans, double planning,
                   std::int64_t bytes_saved);
    // Blocks that ran together share their time as they are estimated to take it.
    void add_time(Captured& flush, std::size_t first, std::span<const LoopPlan> ran,
                  std::int64_t nanoseconds);

  private:
    std::atomic<bool> active_ = false;
    std::mutex mutex_;  // guards the members below and the sums of the entries
    bool merged_ = false;
    std::vector<std::shared_ptr<Captured>> flushes_;
    // Filled while merging. The key is a hash; a collision would only merge the reports of two
    // flushes.
    std::unordered_map<std::uint64_t, std::shared_ptr<Captured>> by_identity_;
};

}  // namespace hassium
