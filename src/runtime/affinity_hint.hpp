// Threads that work beside their caller, on other processors than its own.
//
// A scheduler may wake a thread on the processor of the one that wakes it, above all when it has
// seen both processors of a small machine busy a moment ago. There it waits until the caller
// sleeps, which spins for its results, or until somebody balances the load: milliseconds. So those
// threads learn where the caller is. Where there are many processors an idle one is found
// without that, and telling would take a call for each thread.
#pragma once

#include <chrono>
#include <span>

#include "runtime/platform.hpp"

namespace hassium {

class AffinityHint {
  public:
    // No thread knows it yet: there is a new one.
    void forget() { told_ = -1; }
    // Before work is handed to the threads. A caller that has not moved costs nothing.
    void keep(std::span<const platform::ThreadHandle> threads) {
        const int here = platform::current_processor();
        if (here == told_ || here < 0) return;
        // Callers on several processors in turn would have threads moved for every piece of work.
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
