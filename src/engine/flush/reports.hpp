// Ties floating-point exceptions of blocks that have run to the instructions that raised them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/flush/raised_by.hpp"

namespace hassium {

// Filters reports: parts of one recorded instruction may run in several blocks, but it warns once.
class ReportedOnce {
  public:
    bool first(std::uint32_t recorded, int condition) {
        const auto reported = std::pair(recorded, condition);
        if (std::find(reported_.begin(), reported_.end(), reported) != reported_.end())
            return false;
        reported_.push_back(reported);
        return true;
    }

  private:
    std::vector<std::pair<std::uint32_t, int>> reported_;
};

// A block that has run, with its memory as it left it.
struct RanBlock {
    const Program& program;
    std::span<const std::uint32_t> instructions;
    std::span<const std::uint32_t> recorded_as;
    const Program& recorded;  // has the requested operations
    std::uint8_t raised;      // FpFlag bits
};

// Returns the flags of each instruction of the block; null if they cannot be determined.
using TestOfBlock = std::function<std::shared_ptr<const RaisedBy>()>;

// Adds a report for each instruction that raised an exception which its errstate reports. Calls
// `test` if several may have raised it. Instructions that it cannot separate make one report of
// several candidates, or none if one of them was recorded to ignore the exception: its author
// expects silence there.
void collect_reports(const RanBlock& block, std::vector<FpReport>& reports, ReportedOnce* reported,
                     const TestOfBlock& test);

// Sorts the reports by program order.
void put_in_order(std::vector<FpReport>& reports);

// Returns a hash of a block with its origins, the same whenever the block runs again.
std::uint64_t identity_of(const RanBlock& block);

}  // namespace hassium
