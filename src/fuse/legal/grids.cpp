#include "fuse/legal/grids.hpp"

#include <algorithm>

#include "fuse/graph/interner.hpp"

namespace hassium {

std::uint32_t Grids::number(const LoopCuts& cuts) {
    std::uint64_t hash = Interner::mix(cuts.size(), cuts);
    for (auto [at, last] = by_hash_.equal_range(hash); at != last; ++at) {
        if (grids_[at->second] == cuts) return at->second;
    }
    auto number = static_cast<std::uint32_t>(grids_.size());
    grids_.push_back(cuts);
    by_hash_.emplace(hash, number);
    return number;
}

std::uint32_t Grids::unite(std::uint32_t a, std::uint32_t b) {
    if (a == b) return a;
    std::uint64_t pair = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    auto [known, is_new] = united_.try_emplace(pair, kNothing);
    if (!is_new) return known->second;
    LoopCuts both = common_cuts(grids_[a], grids_[b]);
    if (!both.empty()) known->second = number(both);
    return known->second;
}

}  // namespace hassium
