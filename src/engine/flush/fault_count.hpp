// Counts the page faults of the process while the blocks of a flush run. Private to src/engine.
#pragma once

#include <cstdint>

#include "base/counters.hpp"
#include "runtime/platform.hpp"

namespace hassium {

// Counts during its lifetime, if some block moves so many bytes that two system calls, which take
// two microseconds, are about a hundredth of the flush.
class FaultCount {
  public:
    explicit FaultCount(std::int64_t most_bytes)
        : counts_(most_bytes > kWorth), before_(counts_ ? platform::page_faults() : 0) {}
    ~FaultCount() {
        if (counts_) counters().add(Counter::page_faults, platform::page_faults() - before_);
    }
    FaultCount(const FaultCount&) = delete;
    FaultCount& operator=(const FaultCount&) = delete;

  private:
    static constexpr std::int64_t kWorth = std::int64_t{1} << 24;
    bool counts_;
    std::int64_t before_;
};

}  // namespace hassium
