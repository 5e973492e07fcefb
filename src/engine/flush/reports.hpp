// Floating-point conditions of blocks that have run, tied to the instructions that raised them.
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

// Parts of one recorded instruction may run in several blocks; it warns once.
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

// A block that has run. Its memory is still as the block left it.
struct RanBlock {
    const Program& program;
    std::span<const std::uint32_t> instructions;
    std::span<const std::uint32_t> recorded_as;
    const Program& recorded;  // names what was asked for
    std::uint8_t raised;      // FpFlag bits
};

// Flags of each instruction of the block; null: that cannot be found out.
using TestOfBlock = std::function<std::shared_ptr<const RaisedBy>()>;

// Adds a report for each instruction that raised a condition which its errstate reports. Where
// several can have raised it, `test` is asked. What it cannot tell apart makes one report of
// several candidates, and none if one of them was recorded to ignore the condition: whoever asked
// for silence there expects it there.
void collect_reports(const RanBlock& block, std::vector<FpReport>& reports, ReportedOnce* reported,
                     const TestOfBlock& test);

// In the order of the program.
void put_in_order(std::vector<FpReport>& reports);

// A number for a block with its origins, the same where the block comes again.
std::uint64_t identity_of(const RanBlock& block);

}  // namespace hassium
