// Size classes: powers of two cut in four, so at most a quarter of a block is wasted. Below
// kSmallLimit the free lists are per thread (a few nanoseconds, neither lock nor atomic); blocks
// that a full list cannot take go to the shared lists. From 1 MiB on blocks are mapped, aligned to
// 2 MiB and advised to use huge pages: fresh pages cost more than the work done on them (1.5 us per
// 4 KiB).
//
// A kept block is returned to the system when it was not reused for the hold time of its class, one
// second at first. When a class is asked for again after that, its hold time becomes twice the time
// that it was unused: so a loop with long steps faults once or twice, not in every step.
#include "runtime/memory_pool.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "runtime/memory_trimmer.hpp"
#include "runtime/platform.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace hassium {
namespace {

// Tells the address sanitizer which bytes of a block are accessible: the requested bytes while it
// is in use, none while it is kept.
#if defined(__SANITIZE_ADDRESS__)
void forbid(char* memory, std::int64_t bytes) {
    __asan_poison_memory_region(memory, static_cast<std::size_t>(bytes));
}
void allow(char* memory, std::int64_t bytes) {
    __asan_unpoison_memory_region(memory, static_cast<std::size_t>(bytes));
}
#else
void forbid(char*, std::int64_t) {}
void allow(char*, std::int64_t) {}
#endif

constexpr std::int64_t kSmallLimit = 4096;
constexpr std::int64_t kMapped = std::int64_t{1} << 20;
constexpr int kClasses = 4 * 58;  // up to 2^63
constexpr int kSmallClasses = 32;
constexpr int kSmallKept = 64;  // blocks of one class that one thread keeps

// Class c holds 64 * 2^(c/4) * (4 + c%4)/4 bytes, rounded to whole lines of 64.
int class_of(std::int64_t bytes) {
    const auto lines = (static_cast<std::uint64_t>(bytes) + 63) / 64;
    if (lines <= 4) return std::max(static_cast<int>(lines), 1) - 1;
    int high = 63 - std::countl_zero(lines);
    std::uint64_t quarter = std::uint64_t{1} << (high - 2);
    auto part = static_cast<int>((lines + quarter - 1) / quarter);  // 4 .. 8
    return 4 * (high - 2) + part - 1;
}

std::int64_t class_bytes(int c) {
    if (c < 4) return (c + 1) * 64;
    int high = (c + 1) / 4 + 1;
    return static_cast<std::int64_t>(4 + (c + 1) % 4) * 64 << (high - 2);
}

// Returns the bytes that a block of class c takes from the system: whole pages when mapped.
std::int64_t block_bytes(int c) {
    std::int64_t bytes = class_bytes(c);
    if (bytes < kMapped) return bytes;
    return (bytes + 4095) / 4096 * 4096;
}

// Header in front of every free block.
struct FreeBlock {
    FreeBlock* next;
    std::int64_t freed;  // time of release in the pool's lists; 0 in those of a thread
};

// Pushes a block onto a free list of class c.
void push(FreeBlock*& first, char* memory, int c, std::int64_t freed = 0) {
    allow(memory, block_bytes(c));
    first = ::new (memory) FreeBlock{first, freed};
    forbid(memory, block_bytes(c));
}

// Pops a block from a free list, which is not empty.
char* pop(FreeBlock*& first, int c) {
    char* memory = reinterpret_cast<char*>(first);
    allow(memory, block_bytes(c));
    first = first->next;
    return memory;
}

// Returns when the first block of a list, which is not empty, was freed.
std::int64_t freed_at(FreeBlock* first) {
    allow(reinterpret_cast<char*>(first), sizeof(FreeBlock));
    const std::int64_t freed = first->freed;
    forbid(reinterpret_cast<char*>(first), sizeof(FreeBlock));
    return freed;
}

constexpr std::int64_t kShortestHold = 1'000'000'000, kLongestHold = 60 * kShortestHold;

char* in_use(char* memory, std::int64_t bytes, int c) {
    allow(memory, bytes);
    forbid(memory + bytes, block_bytes(c) - bytes);
    return memory;
}

char* system_acquire(int c) {
    std::int64_t bytes = block_bytes(c);
    if (bytes >= kMapped) return platform::map_memory(bytes);
    return static_cast<char*>(std::aligned_alloc(64, static_cast<std::size_t>(bytes)));
}

void system_release(char* memory, int c) {
    std::int64_t bytes = block_bytes(c);
    allow(memory, bytes);  // the address may be mapped again for other uses
    if (bytes >= kMapped) {
        platform::unmap_memory(memory, bytes);
    } else {
        std::free(memory);
    }
}

std::int64_t kept_bound() {
    std::int64_t setting = settings().get(Setting::pool_bytes);
    return setting ? setting : platform::memory_bytes() / 4;
}

// Free blocks of one thread, and counts that it has not yet added to the pool's: atomic additions
// for every small array would cost as much as the rest of its creation.
struct ThreadLists {
    FreeBlock* first[kSmallClasses] = {};
    std::int32_t count[kSmallClasses] = {};
    std::int64_t held = 0;  // bytes acquired minus bytes released
    std::int64_t hits = 0;
    ~ThreadLists();
};
constexpr std::int64_t kUntold = 64 << 10;  // bytes a thread may count for itself

// One word of static thread storage, as access to dynamic thread storage is a call. Null before the
// first use, and after the thread's destructors: later ones may free arrays.
[[gnu::tls_model("initial-exec")]] thread_local ThreadLists* thread_lists = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local bool lists_ended = false;

ThreadLists* make_lists() {
    if (lists_ended) return nullptr;
    thread_local ThreadLists lists;
    thread_lists = &lists;
    return thread_lists;
}

ThreadLists* lists_of_thread() { return thread_lists ? thread_lists : make_lists(); }

}  // namespace

struct MemoryPool::State {
    // Held while free blocks are in no list, on their way to the system: a child of fork would lose
    // them. Acquired before `lock`.
    std::mutex returning;
    std::mutex lock;
    FreeBlock* first[kClasses] = {};
    std::uint64_t uses = 0, last_use[kClasses] = {};  // accesses to the lists
    std::int64_t hold[kClasses];                      // nanoseconds
    std::int64_t returned[kClasses] = {};  // release time of the block returned last; 0: none
    MemoryTrimmer* trimmer = nullptr;      // of the one pool of the process

    State() { std::ranges::fill(hold, kShortestHold); }
    std::atomic<std::int64_t> held{0}, kept{0}, peak{0};

    void note_held(std::int64_t bytes) {
        std::int64_t now = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
        std::int64_t most = peak.load(std::memory_order_relaxed);
        while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
        }
    }
    char* take(int c) {
        std::lock_guard guard(lock);
        last_use[c] = ++uses;
        if (!first[c]) {
            if (returned[c])
                hold_longer(c, platform::coarse_clock() - std::exchange(returned[c], 0));
            return nullptr;
        }
        kept.fetch_sub(block_bytes(c), std::memory_order_relaxed);
        return pop(first[c], c);
    }
    void hold_longer(int c, std::int64_t unused) {
        if (unused < kLongestHold / 2) hold[c] = 2 * unused;
    }
    // Keeps a free block and returns true, or false if it must go to the system. Evicts the least
    // recently used class first: otherwise a program whose sizes change would ask the system each
    // time.
    bool keep(char* memory, int c) {
        const std::int64_t bytes = block_bytes(c), bound = kept_bound();
        if (bytes > bound) return false;
        do {
            std::lock_guard guard(lock);
            if (!room(bytes, bound)) continue;
            last_use[c] = ++uses;
            push(first[c], memory, c, platform::coarse_clock());
            kept.fetch_add(bytes, std::memory_order_relaxed);
            return true;
        } while (evict_for(c, bytes, bound));
        return false;
    }
    // Returns blocks of the least recently used class to the system; false if only class c has any.
    bool evict_for(int c, std::int64_t bytes, std::int64_t bound) {
        std::lock_guard guard(returning);
        FreeBlock* blocks = nullptr;
        int stale = c;
        {
            std::lock_guard lists(lock);
            stale = stalest(c);
            if (stale == c) return false;
            while (first[stale] && !room(bytes, bound)) {
                push(blocks, pop(first[stale], stale), stale);
                kept.fetch_sub(block_bytes(stale), std::memory_order_relaxed);
            }
        }
        while (blocks) system_release(pop(blocks, stale), stale);
        return true;
    }
    bool room(std::int64_t bytes, std::int64_t bound) const {
        return kept.load(std::memory_order_relaxed) + bytes <= bound;
    }
    // Returns the least recently used class with free blocks other than c; c if there is none.
    int stalest(int c) const {
        int found = c;
        for (int other = 0; other < kClasses; ++other) {
            if (!first[other] || other == c) continue;
            if (found == c || last_use[other] < last_use[found]) found = other;
        }
        return found;
    }
    void tell(ThreadLists& lists) {
        note_held(std::exchange(lists.held, 0));
        counters().add(Counter::pool_hits, std::exchange(lists.hits, 0));
    }
    // Moves the blocks that exceeded their hold time to `lists`; with `all`, every block.
    void take_unused(FreeBlock* (&lists)[kClasses], bool all) {
        std::lock_guard guard(lock);
        const std::int64_t now = platform::coarse_clock();
        for (int c = 0; c < kClasses; ++c) {
            // The block that was freed last is in front.
            FreeBlock* used = nullptr;
            while (first[c] && !all && freed_at(first[c]) > now - hold[c]) {
                const std::int64_t freed = freed_at(first[c]);
                push(used, pop(first[c], c), c, freed);
            }
            if (first[c] && !all) {
                returned[c] = freed_at(first[c]);
                hold[c] = kShortestHold;
            }
            lists[c] = std::exchange(first[c], nullptr);
            while (used) {
                const std::int64_t freed = freed_at(used);
                push(first[c], pop(used, c), c, freed);
            }
        }
    }
    void give_back(bool all) {
        std::lock_guard guard(returning);
        FreeBlock* lists[kClasses];
        take_unused(lists, all);
        std::int64_t in_heap = 0;
        for (int c = 0; c < kClasses; ++c) {
            while (lists[c]) {
                kept.fetch_sub(block_bytes(c), std::memory_order_relaxed);
                if (block_bytes(c) < kMapped) in_heap += block_bytes(c);
                system_release(pop(lists[c], c), c);
            }
        }
        if (in_heap >= kMapped) platform::trim_heap();
    }
};

namespace {

ThreadLists::~ThreadLists() {
    memory_pool().synchronize();
    thread_lists = nullptr;
    lists_ended = true;
    for (int c = 0; c < kSmallClasses; ++c) {
        while (first[c]) system_release(pop(first[c], c), c);
    }
}

}  // namespace

MemoryPool::MemoryPool() : state_(new State) {}
MemoryPool::~MemoryPool() {
    trim();
    delete state_;
}

char* MemoryPool::acquire(std::int64_t bytes, bool* fresh) {
    HS_CHECK(bytes >= 0, "a request for memory is not negative");
    if (fresh) *fresh = false;
    if (bytes > std::int64_t{1} << 56) throw std::bad_alloc();
    int c = class_of(bytes);
    if (ThreadLists* mine = bytes <= kSmallLimit ? lists_of_thread() : nullptr) {
        if (mine->first[c]) {
            --mine->count[c];
            ++mine->hits;
            mine->held += class_bytes(c);
            if (mine->held > kUntold) state_->tell(*mine);
            return in_use(pop(mine->first[c], c), bytes, c);
        }
    }
    state_->note_held(class_bytes(c));
    if (char* kept = state_->take(c)) {
        counters().add(Counter::pool_hits);
        return in_use(kept, bytes, c);
    }
    counters().add(Counter::pool_misses);
    char* block = system_acquire(c);
    if (!block) {
        trim();
        block = system_acquire(c);
    }
    if (!block) {
        state_->held.fetch_sub(class_bytes(c), std::memory_order_relaxed);
        throw std::bad_alloc();
    }
    if (fresh) *fresh = block_bytes(c) >= kMapped;
    return in_use(block, bytes, c);
}

void MemoryPool::release(char* memory, std::int64_t bytes) {
    if (!memory) return;
    int c = class_of(bytes);
    ThreadLists* mine = bytes <= kSmallLimit ? lists_of_thread() : nullptr;
    if (mine && mine->count[c] < kSmallKept) {
        push(mine->first[c], memory, c);
        ++mine->count[c];
        mine->held -= class_bytes(c);
        if (mine->held < -kUntold) state_->tell(*mine);
        return;
    }
    state_->held.fetch_sub(class_bytes(c), std::memory_order_relaxed);
    if (!state_->keep(memory, c)) return system_release(memory, c);
    if (state_->trimmer) state_->trimmer->note_kept();
}

void MemoryPool::synchronize() {
    if (thread_lists) state_->tell(*thread_lists);
}

void MemoryPool::trim() { state_->give_back(true); }
bool MemoryPool::trim_unused() {
    state_->give_back(false);
    return keeps_any();
}
bool MemoryPool::keeps_any() const { return state_->kept.load(std::memory_order_relaxed) > 0; }
void MemoryPool::lock() {
    state_->returning.lock();
    state_->lock.lock();
}
void MemoryPool::unlock() {
    state_->lock.unlock();
    state_->returning.unlock();
}

PoolStats MemoryPool::stats() {
    synchronize();
    return {state_->held.load(std::memory_order_relaxed),
            state_->kept.load(std::memory_order_relaxed),
            state_->peak.load(std::memory_order_relaxed)};
}

void MemoryPool::reset_peak() {
    synchronize();
    state_->peak.store(state_->held.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

MemoryPool& memory_pool() {
    // Never deleted: arrays may die after every static object. Locked around a fork: the child
    // would otherwise inherit a lock that another thread holds and never releases.
    static MemoryPool* pool = [] {
        platform::at_fork([] { memory_pool().lock(); }, [] { memory_pool().unlock(); },
                          [] {
                              memory_pool().state_->trimmer->after_fork_child();
                              memory_pool().unlock();
                          });
        auto* made = new MemoryPool;
        made->state_->trimmer = new MemoryTrimmer(*made);
        return made;
    }();
    return *pool;
}

}  // namespace hassium
