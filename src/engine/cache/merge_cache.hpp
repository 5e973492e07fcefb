// Partitions and plans of earlier flushes, in two levels.
//
// Exact: a program with the same structure and the same numbers gets back everything, bound to its
// geometry. Symbolic: a program of the same family, that is with the same symbolic form
// (program/symbolic.hpp) and the same answers to the guards of its partition
// (fuse/legal/guards.hpp), gets back the partition, and the plans and code of an earlier member
// that is not running, rebound to its own numbers (plan/rebind/rebind.hpp). So Gaussian
// elimination, whose every step is one row smaller, is partitioned and planned once. The first
// program of a family enters both levels; others enter the exact level when they come a second
// time.
//
// The key is the whole structure: the hash only finds candidates, equality decides. Constants'
// values, error states and sites are not part of it. Entries are immutable and shared with running
// flushes, except for the spare plan of a family; each level is bounded and evicts its least
// recently used entry. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exec/executor.hpp"
#include "fuse/legal/guards.hpp"
#include "fuse/partition.hpp"
#include "plan/loop_plan.hpp"
#include "plan/lower/lower.hpp"
#include "plan/rebind/congruence.hpp"
#include "plan/rebind/rebind.hpp"
#include "program/program.hpp"
#include "program/symbolic.hpp"
#include "record/queue.hpp"

namespace hassium {

// A recorded program after rewriting and with dels, which its family shares.
struct FinishedForm {
    Program program;                         // without values and origins
    std::vector<Instruction> recorded;       // as recorded, without dels
    std::vector<std::uint32_t> recorded_as;  // per instruction; kNoInstruction for a del
    // Instructions of the rewritten program, without dels; empty if no pass changed it.
    std::vector<Instruction> rewritten;
    std::vector<Constant> constants;  // of the passes, appended to the recorded ones
    std::size_t recorded_bases = 0;   // further bases are temporaries of the passes
    BaseUses uses;

    bool is_rerolled = false;  // see UnrolledProgram

    bool is_rewritten() const { return !rewritten.empty(); }
};

// A flush that is ready to run.
struct CachedFlush {
    std::uint64_t hash = 0, settings = 0;
    Program program;  // with its dels, without values and origins
    // False: plans and code are bound to numbers that the program does not have yet, see number().
    bool numbered = true;
    std::shared_ptr<const FinishedForm> form;
    std::shared_ptr<const Partition> partition;
    std::vector<LoopPlan> plans;
    std::vector<std::shared_ptr<BlockCode>> codes;
    // By block, where a plan can be rebound; empty until prepare_rebinding().
    std::vector<std::optional<Rebinding>> rebindings;
    std::vector<std::optional<Congruence>> congruences;  // by block, to an earlier one
    std::int64_t bytes_saved = 0;
    Work work;  // sum over its blocks
};

// A flush that the next member of its family takes and binds to its own numbers. Its user has it
// exclusively.
class Spare {
  public:
    std::shared_ptr<CachedFlush> take() const {
        std::lock_guard lock(mutex_);
        return std::exchange(flush_, nullptr);
    }
    void give(std::shared_ptr<CachedFlush> flush) const {
        std::lock_guard lock(mutex_);
        flush_ = std::move(flush);
    }

  private:
    mutable std::mutex mutex_;
    mutable std::shared_ptr<CachedFlush> flush_;
};

// The shared parts of programs that differ only in numbers.
struct Family {
    std::uint64_t settings = 0;
    SymbolicKey key;
    std::vector<Guard> guards;
    std::shared_ptr<const FinishedForm> form;  // of its first member
    std::shared_ptr<const Partition> partition;
    Spare spare;
};

// Entries by hash, with least-recently-used eviction.
template <class Entry>
class RecentEntries {
  public:
    using Pointer = std::shared_ptr<const Entry>;

    // Returns the entry of this hash for which equal(entry) holds, or null.
    template <class Equal>
    Pointer find(std::uint64_t hash, Equal equal) {
        for (auto [at, last] = by_hash_.equal_range(hash); at != last; ++at) {
            if (!equal(*at->second->entry)) continue;
            touch(at->second);
            return at->second->entry;
        }
        return nullptr;
    }
    // Returns all such entries, in the order of insertion.
    template <class Equal>
    std::vector<Pointer> find_all(std::uint64_t hash, Equal equal) const {
        std::vector<Pointer> found;
        for (auto [at, last] = by_hash_.equal_range(hash); at != last; ++at) {
            if (equal(*at->second->entry)) found.push_back(at->second->entry);
        }
        return found;
    }
    // Evicts the least recently used entries above `bound`, and of one hash above `congruent`.
    void add(std::uint64_t hash, Pointer entry, std::size_t bound, std::size_t congruent) {
        recent_.push_front({hash, ++clock_, std::move(entry)});
        by_hash_.emplace(hash, recent_.begin());
        if (by_hash_.count(hash) > congruent) {
            auto [at, last] = by_hash_.equal_range(hash);
            Place oldest = at->second;
            for (; at != last; ++at) {
                if (at->second->used < oldest->used) oldest = at->second;
            }
            remove(oldest);
        }
        while (recent_.size() > bound) remove(std::prev(recent_.end()));
    }
    void clear() {
        by_hash_.clear();
        recent_.clear();
    }
    std::size_t size() const { return recent_.size(); }

  private:
    struct Node {
        std::uint64_t hash, used;
        Pointer entry;
    };
    using Place = typename std::list<Node>::iterator;
    void touch(Place place) {
        place->used = ++clock_;
        if (place != recent_.begin()) recent_.splice(recent_.begin(), recent_, place);
    }
    void remove(Place place) {
        auto [at, last] = by_hash_.equal_range(place->hash);
        while (at != last && at->second != place) ++at;
        by_hash_.erase(at);
        recent_.erase(place);
    }

    std::list<Node> recent_;  // most recently used first
    std::unordered_multimap<std::uint64_t, Place> by_hash_;
    std::uint64_t clock_ = 0;
};

class MergeCache {
  public:
    // Returns the flush of exactly this recorded program, or null. The entry `known`, if still
    // cached, matches without a comparison.
    std::shared_ptr<const CachedFlush> find(const Program& recorded, std::uint64_t hash,
                                            std::uint64_t settings, const void* known = nullptr);
    // Returns the families of this symbolic form; the caller checks their guards.
    std::vector<std::shared_ptr<const Family>> find(const SymbolicKey& key,
                                                    std::uint64_t settings) const;
    // Marks a family as recently used.
    void touch(const Family& family);
    void store(std::shared_ptr<const CachedFlush> entry, std::size_t bound);
    void store(std::shared_ptr<const Family> family, std::size_t bound);
    // Returns whether a program of a known family gets an exact entry: when its hash was seen a
    // short time ago.
    bool admits(std::uint64_t hash, std::size_t bound);
    void clear();

    struct Sizes {
        std::int64_t exact, families;
    };
    Sizes sizes() const;

  private:
    // Bound of the families of one symbolic form, which differ in their guards: all are checked.
    static constexpr std::size_t kCongruent = 8;
    // One in kOneIn of the programs that meet a full cache enters. If a cycle of programs did not
    // fit, each would evict the one that comes next, and none would be found again.
    static constexpr std::uint64_t kOneIn = 8;

    bool seen(std::uint64_t hash);

    mutable std::mutex mutex_;
    RecentEntries<CachedFlush> exact_;
    RecentEntries<Family> families_;
    std::array<std::uint64_t, 4096> seen_ = {};
    std::uint64_t refused_ = 0;
};

}  // namespace hassium
