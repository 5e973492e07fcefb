#include "rewrite/cells.hpp"

#include <algorithm>

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

bool add_cuts(const Cuts& from, const BoxView& from_view, Cuts& to, const BoxView& to_view) {
    bool changed = false;
    for (std::size_t j = 0; j < from.size(); ++j) {
        const std::uint8_t axis = from_view.axis[j];
        const auto at = std::ranges::find(to_view.axis, axis);
        if (axis == BoxView::kBroadcast || at == to_view.axis.end()) continue;
        Dims& along = to[static_cast<std::size_t>(at - to_view.axis.begin())];
        const std::int64_t shift = from_view.box.lower[axis] - to_view.box.lower[axis];
        for (std::int64_t cut : from[j]) changed |= add_cut(along, cut + shift);
    }
    return changed;
}

}  // namespace hassium
