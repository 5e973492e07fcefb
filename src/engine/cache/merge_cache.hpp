// Partitions and plans of earlier flushes, in two levels.
//
// Exact: a program with the same structure and the same numbers gets back everything, bound to its
// geometry. Symbolic: a program of the same family, that is with the same symbolic form
// (program/symbolic.hpp) and the same answers to what its partition rests on
// (fuse/legal/guards.hpp), gets back the partition, and the plans and code of an earlier member
// that is not running, which are bound to its own numbers (plan/rebind/rebind.hpp). So Gaussian
// elimination, whose every step is one row smaller, is partitioned and planned once. The first
// program of a family enters the exact level with it; others enter when they come a second time.
//
// The key is the whole structure: the hash only finds candidates, equality decides. Constants'
// values, error states and sites are not part of it. Entries are immutable and shared with running
// flushes, but for what a family lends; each level is bounded and evicts its least recently used.
// Thread-safe.
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

// A recorded program as it is run, rewritten and with its dels: what its family shares.
struct FinishedForm {
    Program program;                         // without values and origins
    std::vector<Instruction> recorded;       // as recorded, without dels
    std::vector<std::uint32_t> recorded_as;  // per instruction; kNoInstruction for a del
    // Instructions that a pass changed, without dels; empty where none did.
    std::vector<Instruction> rewritten;
    std::vector<Constant> constants;  // of the passes: they follow those that were recorded
    std::size_t recorded_bases = 0;   // those beyond are made and die in the program
    BaseUses uses;

    bool is_rerolled = false;  // see UnrolledProgram

    bool is_rewritten() const { return !rewritten.empty(); }
};

// A flush that is ready to run.
struct CachedFlush {
    std::uint64_t hash = 0, settings = 0;
    Program program;  // with its dels, without values and origins
    // False: plans and codes have been bound to other numbers than the program's, see number().
    bool numbered = true;
    std::shared_ptr<const FinishedForm> form;
    std::shared_ptr<const Partition> partition;
    std::vector<LoopPlan> plans;
    std::vector<std::shared_ptr<BlockCode>> codes;
    // One for each block, where a plan can be bound anew; empty until that is wanted.
    std::vector<std::optional<Rebinding>> rebindings;
    std::vector<std::optional<Congruence>> congruences;  // of each block to one before
    std::int64_t bytes_saved = 0;
    Work work;  // of its blocks
};

// A flush that waits for the next member of its family, which binds it to its own numbers. Who runs
// it has it alone.
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

// What programs that differ only in numbers have in common.
struct Family {
    std::uint64_t settings = 0;
    SymbolicKey key;
    std::vector<Guard> guards;
    std::shared_ptr<const FinishedForm> form;  // of its first member
    std::shared_ptr<const Partition> partition;
    Spare spare;
};

// Entries of one kind by hash, least recently used first out.
template <class Entry>
class RecentEntries {
  public:
    using Pointer = std::shared_ptr<const Entry>;

    // The entry with the hash for which equal(entry) holds.
    template <class Equal>
    Pointer find(std::uint64_t hash, Equal equal) {
        for (auto [at, last] = by_hash_.equal_range(hash); at != last; ++at) {
            if (!equal(*at->second->entry)) continue;
            touch(at->second);
            return at->second->entry;
        }
        return nullptr;
    }
    // All such entries, in the order they were added.
    template <class Equal>
    std::vector<Pointer> find_all(std::uint64_t hash, Equal equal) const {
        std::vector<Pointer> found;
        for (auto [at, last] = by_hash_.equal_range(hash); at != last; ++at) {
            if (equal(*at->second->entry)) found.push_back(at->second->entry);
        }
        return found;
    }
    // Evicts the least recently used of all above `bound`, and of one hash above `alike`.
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
    // The flush of exactly this program, as recorded; that of the entry `known` if it is still
    // here.
    std::shared_ptr<const CachedFlush> find(const Program& recorded, std::uint64_t hash,
                                            std::uint64_t settings, const void* known = nullptr);
    // Families of this symbolic form; their guards are still to be asked.
    std::vector<std::shared_ptr<const Family>> find(const SymbolicKey& key,
                                                    std::uint64_t settings) const;
    // Who hits a family keeps it from being evicted.
    void touch(const Family& family);
    void store(std::shared_ptr<const CachedFlush> entry, std::size_t bound);
    void store(std::shared_ptr<const Family> family, std::size_t bound);
    // Whether a program of a known family is worth an entry of its own. It is when it comes again,
    // not too long after: its hash is remembered.
    bool admits(std::uint64_t hash, std::size_t bound);
    void clear();

    struct Sizes {
        std::int64_t exact, families;
    };
    Sizes sizes() const;

  private:
    // So many families of one form are kept, which differ in their answers: all are asked.
    static constexpr std::size_t kCongruent = 8;
    // One in so many of the programs that meet a full cache enters. If more programs than fit come
    // in turn, each would push out the one that comes next, and none would be found again.
    static constexpr std::uint64_t kOneIn = 8;

    bool seen(std::uint64_t hash);

    mutable std::mutex mutex_;
    RecentEntries<CachedFlush> exact_;
    RecentEntries<Family> families_;
    std::array<std::uint64_t, 4096> seen_ = {};
    std::uint64_t refused_ = 0;
};

}  // namespace hassium
