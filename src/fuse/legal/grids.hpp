// Numbers sets of boundaries between axes (program/loop_cuts.hpp), so that a block stores one
// number for the boundaries of all its members.
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
    // Returns the number of the union; kNothing if they have no common axes.
    std::uint32_t unite(std::uint32_t a, std::uint32_t b);
    const LoopCuts& cuts(std::uint32_t number) const { return grids_[number]; }

  private:
    std::vector<LoopCuts> grids_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
    std::unordered_map<std::uint64_t, std::uint32_t> united_;  // by pair, the smaller number first
};

}  // namespace hassium
