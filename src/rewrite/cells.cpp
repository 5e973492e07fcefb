#include "rewrite/cells.hpp"

#include <algorithm>

#include "rewrite/boxes.hpp"

namespace hassium {

std::size_t cell_count(const Cuts& cuts) {
    std::size_t n = 1;
    for (const Dims& along : cuts) n *= along.size() - 1;
    return n;
}

bool add_cut(Dims& cuts, std::int64_t at) {
    if (at <= 0 || at >= cuts.back() || std::ranges::find(cuts, at) != cuts.end()) return false;
    cuts.push_back(at);
    std::ranges::sort(cuts);
    return true;
}

bool add_cuts(const Cuts& from, std::span<const std::uint8_t> from_axis, Cuts& to,
              std::span<const std::uint8_t> to_axis) {
    bool changed = false;
    for (std::size_t j = 0; j < from.size(); ++j) {
        const auto at = std::ranges::find(to_axis, from_axis[j]);
        if (from_axis[j] == BoxView::kBroadcast || at == to_axis.end()) continue;
        Dims& along = to[static_cast<std::size_t>(at - to_axis.begin())];
        for (std::int64_t cut : from[j]) changed |= add_cut(along, cut);
    }
    return changed;
}

}  // namespace hassium
