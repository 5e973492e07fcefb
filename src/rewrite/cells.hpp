// Cells of an iteration space: the boxes into which positions along its axes cut it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/small_vec.hpp"
#include "rewrite/boxes.hpp"

namespace hassium {

// Positions of cuts along each axis, in order, both ends included.
using Cuts = std::vector<Dims>;

std::size_t cell_count(const Cuts& cuts);
// Adds a position along one axis; returns whether it is new, and inside.
bool add_cut(Dims& cuts, std::int64_t at);
// Adds the cuts of one iteration space to another, of maps that show these views of one base, where
// the views meet. Returns whether any cut is new.
bool add_cuts(const Cuts& from, const BoxView& from_view, Cuts& to, const BoxView& to_view);

// Calls visit(lower, upper) for each cell, in C order.
template <class Visit>
void for_each_cell(const Cuts& cuts, Visit visit) {
    const std::size_t rank = cuts.size();
    Dims index(rank, 0), lower(rank, 0), upper(rank, 0);
    for (bool more = true; more;) {
        for (std::size_t k = 0; k < rank; ++k) {
            lower[k] = cuts[k][static_cast<std::size_t>(index[k])];
            upper[k] = cuts[k][static_cast<std::size_t>(index[k]) + 1];
        }
        visit(lower, upper);
        more = false;
        for (std::size_t k = rank; k-- > 0 && !more;) {
            more = ++index[k] + 1 < static_cast<std::int64_t>(cuts[k].size());
            if (!more) index[k] = 0;
        }
    }
}

}  // namespace hassium
