// Selects the temporaries of a sweep that become rings of a few rows, and computes the memory that
// a sweep holds. Internal to plan; see sweep.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/loop_plan.hpp"
#include "plan/sweep/sweep_uses.hpp"

namespace hassium {

// Most bytes of a row of a ring, and of rows that overlap those of other nests.
constexpr std::int64_t kMostSweptRow = std::int64_t{1} << 18;

// One nest of a sweep. Its uses are those before index `uses_end`, after the previous nest's.
struct SweepNest {
    std::int64_t unit, rows;
    std::size_t uses_end;
    bool rides;
    SweepPlace place = {};
};

// Nests that run as one sweep: the first of the plans.
struct SweepNests {
    std::span<const LoopPlan> plans;
    std::span<const Use> uses;
    std::span<const SweepNest> nests;

    std::span<const Use> uses_of(std::size_t nest) const {
        const std::size_t begin = nest == 0 ? 0 : nests[nest - 1].uses_end;
        return uses.subspan(begin, nests[nest].uses_end - begin);
    }
    std::int64_t head() const {
        std::int64_t rows = 0;
        for (const SweepNest& nest : nests) rows = std::max(rows, nest.place.head);
        return rows;
    }
};

// Returns the bases that live and die in the sweep and need only a few rows at a time.
std::vector<SweepRing> rings(const SweepNests& sweep);
// Returns whether no temporary outlives the sweep to be read by a later nest.
bool carries_temporaries(const SweepNests& sweep);
// Returns whether the sweep holds no more memory than the nests one after another.
bool holds_no_more(const SweepNests& sweep);

}  // namespace hassium
