// Better partitions for entries that are hit often, found in the background.
//
// A flush that met nothing known takes the partition of a partitioner that is quick. After so many
// hits (setting `improve_after`) the exact partitioner runs once for the entry, on a thread that
// never holds the host's lock, and what is better replaces the entry; flushes under way keep
// theirs. Results keep their bits: no reduction's order depends on blocks.
//
// The thread lives while there is work. A fork waits for no work: the child has none. At the host's
// exit stop() drops what waits and ends with what runs, which has a time limit.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "engine/cache/merge_cache.hpp"

namespace hassium {

// One entry to improve: a flush, and its family when that is to change with it.
struct Improvement {
    std::shared_ptr<const CachedFlush> flush;
    std::shared_ptr<const Family> family;
    std::string cost_model;
    double seconds = 0;  // time limit
};

class Improver {
  public:
    explicit Improver(MergeCache& cache) : cache_(cache) {}

    void submit(Improvement task);
    // Until nothing is left to do. Without the host's lock.
    void wait();
    // Without the host's lock. Nothing is accepted afterwards.
    void stop();

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    void after_fork_child();

  private:
    void work();
    void improve(const Improvement& task);

    MergeCache& cache_;
    std::mutex mutex_;  // also held while the cache is changed, so that no fork falls into that
    std::unique_ptr<std::condition_variable> idle_ = std::make_unique<std::condition_variable>();
    std::deque<Improvement> tasks_;
    bool working_ = false;
    bool stopped_ = false;
};

}  // namespace hassium
