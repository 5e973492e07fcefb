// Spinning for events that come within microseconds: a parked thread takes 45-50 us to wake, and
// spinning for longer costs a shared machine whole scheduler slices.
#pragma once

#include <chrono>
#include <thread>

namespace hassium {

inline constexpr std::chrono::microseconds kSpin{60};

inline void pause_briefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");  // `yield` returns at once
#else
    std::this_thread::yield();
#endif
}

// Spins until the condition holds. Returns false if it does not hold within `longest`.
template <class Condition>
bool spin_until(Condition condition, std::chrono::nanoseconds longest = kSpin) {
    constexpr int kRounds = 64;  // between reads of the clock
    const auto stop = std::chrono::steady_clock::now() + longest;
    for (int round = 1; !condition(); ++round) {
        pause_briefly();
        if (round % kRounds == 0 && std::chrono::steady_clock::now() > stop) return false;
    }
    return true;
}

}  // namespace hassium
