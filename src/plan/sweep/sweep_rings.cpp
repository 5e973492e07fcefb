#include "plan/sweep/sweep_rings.hpp"

#include <optional>

namespace hassium {
namespace {

// Bytes that may be held longer than by the nests one after another.
constexpr std::int64_t kLittle = std::int64_t{1} << 15;

std::int64_t bytes_of(const SweepNests& sweep, std::uint32_t base) {
    std::int64_t bytes = 0;
    for (const Use& use : sweep.uses) {
        if (use.base == base) bytes = std::max(bytes, use.span());
    }
    return bytes;
}

// Returns the index of the plan that releases the base; the number of plans if none does.
std::size_t released_by(const SweepNests& sweep, std::uint32_t base) {
    auto gives = [&](const LoopPlan& p) { return has(p.releases, base); };
    return static_cast<std::size_t>(std::ranges::find_if(sweep.plans, gives) - sweep.plans.begin());
}

// Returns the ring for a base that the nest acquires, if its uses by all nests allow one.
std::optional<SweepRing> ring_of(const SweepNests& sweep, std::uint32_t base, std::size_t writer) {
    const Use* written = nullptr;
    for (const Use& use : sweep.uses_of(writer)) {
        if (use.base == base && use.written) written = &use;
    }
    if (!written || written->stride <= 0) return std::nullopt;
    if (written->stride > kMostSweptRow || !written->large) return std::nullopt;
    const SweepPlace& owner = sweep.nests[writer].place;
    SweepRing ring{base, written->offset, written->stride, owner.lag, owner.lead, 0, 0, 0};
    ring.back = owner.lag;
    ring.front = -owner.lag;
    ring.above = owner.lead;
    for (std::size_t k = 0; k < sweep.nests.size(); ++k) {
        const SweepPlace& place = sweep.nests[k].place;
        for (const Use& use : sweep.uses_of(k)) {
            if (use.base != base) continue;
            if (use.result || use.stride != ring.cell_bytes) return std::nullopt;
            const std::int64_t ahead = use.offset - ring.offset;
            const std::int64_t first = floor_divide(ahead + use.low, use.stride);
            const std::int64_t last = floor_divide(ahead + use.high - 1, use.stride);
            const bool own = k == writer && first == 0 && last == 0;
            if (use.written && !own) return std::nullopt;
            ring.back = std::max(ring.back, place.lag - first);
            ring.front = std::max(ring.front, last - place.lag);
            ring.above = std::max(ring.above, place.lead + last);
        }
    }
    return ring;
}

// Returns the bases that one nest writes row by row, as if all of them were rings.
std::vector<SweepRing> temporaries(const SweepNests& sweep) {
    std::vector<SweepRing> found;
    for (std::size_t k = 0; k < sweep.nests.size(); ++k) {
        for (std::uint32_t base : sweep.plans[k].acquires) {
            if (std::optional<SweepRing> ring = ring_of(sweep, base, k)) found.push_back(*ring);
        }
    }
    return found;
}

}  // namespace

std::vector<SweepRing> rings(const SweepNests& sweep) {
    if (sweep.head() > 0) return {};
    std::vector<SweepRing> found = temporaries(sweep);
    std::erase_if(found, [&](const SweepRing& r) {
        return released_by(sweep, r.base) >= sweep.nests.size();
    });
    return found;
}

bool carries_temporaries(const SweepNests& sweep) {
    return std::ranges::none_of(temporaries(sweep), [&](const SweepRing& r) {
        const std::size_t last = released_by(sweep, r.base);
        return last >= sweep.nests.size() && last < sweep.plans.size();
    });
}

// Columns that ride along are too small to count.
bool holds_no_more(const SweepNests& sweep) {
    std::vector<std::uint32_t> taken, kept;
    for (const SweepRing& ring : rings(sweep)) kept.push_back(ring.base);
    std::int64_t together = 0, alone = 0, most = 0;
    for (std::size_t k = 0; k < sweep.nests.size(); ++k) {
        for (std::uint32_t base : sweep.plans[k].acquires) {
            const std::int64_t bytes = bytes_of(sweep, base);
            if (has(taken, base) || bytes < kLittle) continue;
            taken.push_back(base);
            alone += bytes;
            if (!has(kept, base)) together += bytes;
        }
        most = std::max(most, alone);
        for (std::uint32_t base : sweep.plans[k].releases) {
            const std::int64_t bytes = bytes_of(sweep, base);
            if (bytes >= kLittle) alone -= bytes;
        }
    }
    return together <= most;
}

}  // namespace hassium
