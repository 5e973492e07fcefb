// Floating-point conditions of one block, tied to the rows that may have raised them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/engine.hpp"

namespace hassium {

// Cells of one recorded instruction run in several blocks and warn once.
class ToldOnce {
  public:
    bool first(std::uint32_t recorded, int condition) {
        const auto told = std::pair(recorded, condition);
        if (std::find(told_.begin(), told_.end(), told) != told_.end()) return false;
        told_.push_back(told);
        return true;
    }

  private:
    std::vector<std::pair<std::uint32_t, int>> told_;
};

// The rows of a block that can have raised what the hardware flags show, by condition. Copy stands
// for a cast. `origins` are those of the recorded program. Nothing is reported of a condition that
// a row of the block was recorded to ignore: whoever asked for silence there expects it there, and
// the hardware does not tell one row from another.
void collect_reports(const Program& program, std::span<const std::uint32_t> instructions,
                     std::span<const std::uint32_t> recorded_as, std::span<const Origin> origins,
                     std::uint8_t raised, std::vector<FpReport>& reports, ToldOnce* told = nullptr);

}  // namespace hassium
