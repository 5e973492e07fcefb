// Floating-point conditions of one block, tied to the rows that may have raised them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.hpp"

namespace hassium {

// The rows of a block that can have raised what the hardware flags show, by condition. Copy stands
// for a cast. `origins` are those of the recorded program.
void collect_reports(const Program& program, std::span<const std::uint32_t> instructions,
                     std::span<const std::uint32_t> recorded_as, std::span<const Origin> origins,
                     std::uint8_t raised, std::vector<FpReport>& reports);

}  // namespace hassium
