// Keeps worker threads off the processor of their caller.
//
// A scheduler may wake a thread on the processor of the thread that wakes it, above all when it has
// just seen both processors of a small machine busy. The woken thread then waits for milliseconds:
// until the caller, which spins for its results, sleeps, or until the load is balanced. With many
// processors the scheduler finds an idle one anyway, and the hint would cost a call for each
// thread.
#pragma once

#include <chrono>
#include <span>

#include "runtime/platform.hpp"

namespace hassium {

class AffinityHint {
  public:
    // Forgets the processor of the last hint, as after the start of a new thread.
    void forget() { told_ = -1; }
    // Called before work is handed to `threads`. Costs nothing while the caller stays on its
    // processor.
    void keep(std::span<const platform::ThreadHandle> threads) {
        const int here = platform::current_processor();
        if (here == told_ || here < 0) return;
        // Limits the rate: callers alternating between processors would move the threads each time.
        const auto now = std::chrono::steady_clock::now();
        if (told_ >= 0 && now - told_at_ < kSettled) return;
        told_ = here;
        told_at_ = now;
        platform::keep_off(here, kMany, threads);
    }

  private:
    static constexpr int kMany = 8;
    static constexpr std::chrono::microseconds kSettled{200};
    int told_ = -1;
    std::chrono::steady_clock::time_point told_at_{};
};

}  // namespace hassium
