// Partition and plans of earlier flushes, found by the program's exact geometry.
//
// The key is the whole structure: the hash only finds candidates, equality decides. Constants'
// values, error states and sites are not part of it. Entries are immutable and shared with running
// flushes; the bound evicts the least recently used.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "exec/executor.hpp"
#include "fuse/partition.hpp"
#include "plan/loop_plan.hpp"
#include "program/program.hpp"

namespace hassium {

struct CachedFlush {
    Program program;  // structure only
    std::uint64_t settings_version = 0;
    Partition partition;
    std::vector<LoopPlan> plans;
    std::vector<std::shared_ptr<const BlockCode>> codes;
    std::int64_t bytes_saved = 0;
};

class MergeCache {
  public:
    std::shared_ptr<const CachedFlush> find(const Program& program, std::uint64_t hash,
                                            std::uint64_t settings_version);
    void store(std::uint64_t hash, std::shared_ptr<const CachedFlush> entry, std::size_t bound);
    void clear();
    std::int64_t entries() const;

  private:
    struct Node {
        std::uint64_t hash;
        std::shared_ptr<const CachedFlush> entry;
    };
    mutable std::mutex mutex_;
    std::list<Node> recent_;  // most recently used first
    std::unordered_multimap<std::uint64_t, std::list<Node>::iterator> by_hash_;
};

}  // namespace hassium
