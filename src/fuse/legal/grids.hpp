// The boundaries between axes that loops need (program/loop_cuts.hpp), numbered, so that blocks
// carry a number for those of all their members.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "program/loop_cuts.hpp"

namespace hassium {

class Grids {
  public:
    static constexpr std::uint32_t kNothing = 0xffffffffu;

    std::uint32_t number(const LoopCuts& cuts);
    // The boundaries of both; kNothing when they have no common axes.
    std::uint32_t unite(std::uint32_t a, std::uint32_t b);
    const LoopCuts& cuts(std::uint32_t number) const { return grids_[number]; }

  private:
    std::vector<LoopCuts> grids_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
    std::unordered_map<std::uint64_t, std::uint32_t> united_;  // by pair, the smaller number first
};

}  // namespace hassium
