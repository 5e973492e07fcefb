// Event counters behind hassium.stats(). Relaxed atomics: counters need no ordering, and an
// increment on the hot path must not take a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace hassium {

enum class Counter : std::uint8_t {
#define HS_COUNTER(name, group, main, meaning) name,
#include "base/counters.def"
#undef HS_COUNTER
};

struct CounterInfo {
    std::string_view name, group;
    bool main;  // one of those that are shown first
    std::string_view meaning;
};
inline constexpr CounterInfo kCounters[] = {
#define HS_COUNTER(name, group, main, meaning) {#name, #group, main == 1, meaning},
#include "base/counters.def"
#undef HS_COUNTER
};
inline constexpr int kCounterCount = sizeof(kCounters) / sizeof(kCounters[0]);

// The stages of one flush, in order; time is measured per stage.
enum class Stage : std::uint8_t {
    Simplify,
    Verify,
    Cache,
    Graph,
    Partition,
    Plan,
    Launch,
    Execute
};
inline constexpr std::string_view kStageNames[] = {"simplify",  "verify", "cache",  "graph",
                                                   "partition", "plan",   "launch", "execute"};
inline constexpr int kStageCount = sizeof(kStageNames) / sizeof(kStageNames[0]);

struct Counters {
    std::atomic<std::int64_t> events[kCounterCount] = {};
    std::atomic<std::int64_t> nanoseconds[kStageCount] = {};

    void add(Counter c, std::int64_t n = 1) {
        events[static_cast<int>(c)].fetch_add(n, std::memory_order_relaxed);
    }
    // For counters that only one thread at a time changes: cheaper than an atomic addition.
    void add_alone(Counter c) {
        auto& event = events[static_cast<int>(c)];
        event.store(event.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    std::int64_t get(Counter c) const {
        return events[static_cast<int>(c)].load(std::memory_order_relaxed);
    }
    void reset() {
        for (auto& e : events) e.store(0, std::memory_order_relaxed);
        for (auto& n : nanoseconds) n.store(0, std::memory_order_relaxed);
    }
};

inline Counters& counters() {
    static Counters instance;
    return instance;
}

}  // namespace hassium
