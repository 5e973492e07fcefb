#include "plan/sweep/sweep.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/settings.hpp"
#include "plan/lower/lowering_context.hpp"
#include "plan/sweep/sweep_rings.hpp"
#include "plan/sweep/sweep_uses.hpp"

namespace hassium {
namespace {

// Smaller arrays stay in a core's cache anyway.
constexpr std::int64_t kLeastBytes = std::int64_t{1} << 20;
// A nest evicts arrays that are smaller than its traffic by this factor.
constexpr std::int64_t kFlushes = 4;
// Bytes of rows in flight; more do not fit the cache, with more than two nests.
constexpr std::int64_t kMostInFlight = std::int64_t{1} << 19;
// Bounds of the bytes of an array that one nest processes before the next one runs, and the least
// number of such panels.
constexpr std::int64_t kLeastPanel = std::int64_t{1} << 15;
constexpr std::int64_t kMostPanel = std::int64_t{1} << 17;
constexpr std::int64_t kLeastPanels = 16;
// Estimated time per nest; panels of fewer rows than kLeastPanel suffice if they take this long.
constexpr double kLeastPanelSeconds = 2e-6;
constexpr double kLeastPanelRows = 4;
// Least elements per row if rows follow those of a neighbour.
constexpr std::int64_t kLeastUnit = 64;
constexpr std::int64_t kLeastRows = 32;
// A sweep cannot be interrupted.
constexpr double kMostSeconds = 0.25;
// All rows must be at least this multiple of the lag and of the head: bands must be longer.
constexpr std::int64_t kBehind = 8;

// Returns whether the nest reads some vector at any position, which belongs to no row.
bool looks_up(const LoopPlan& plan) {
    return std::ranges::any_of(plan.operands, &PlanOperand::anywhere);
}

// Returns whether the plan can ride in a sweep of others: one element for each of their rows, as a
// column.
bool may_ride(const LoopPlan& plan) {
    return plan.kind == BlockKind::Nest && has_any_unit(plan) && plan.swept == 0 &&
           !looks_up(plan) && element_count(plan.extents) > 0;
}

// Returns the bytes that count as large. Smaller arrays are evicted as well before the next nest
// reads them, if this one moves several times as much.
std::int64_t large_beside(const LoopPlan& first, const SweptSizes& least) {
    const bool flushes = first.bytes / kFlushes >= least.bytes;
    return flushes ? std::max<std::int64_t>(least.bytes / kFlushes, 1) : least.bytes;
}

// Collects the nests of a sweep, one after another as long as they fit.
class SweepBuilder {
  public:
    SweepBuilder(std::span<LoopPlan> plans, const SweptSizes& least)
        : plans_(plans), least_(least), large_(large_beside(plans[0], least)) {}

    // Returns how many of the plans may run as one sweep; 1: no sweep.
    std::size_t build() {
        std::size_t best = 1;
        while (nests_.size() < std::min(plans_.size(), Sweep::kMostNests) && take()) {
            if (nests_.size() == 1 || nests_.back().rides || !holds_no_more(taken())) continue;
            // A sweep that contains the whole life of a temporary is better than a longer sweep.
            const bool carries = carries_temporaries(taken());
            if (closed_ && !carries) continue;
            closed_ = carries;
            best = nests_.size();
        }
        nests_.resize(std::min(nests_.size(), best));
        if (best > 1) uses_.resize(nests_.back().uses_end);
        return best;
    }
    // Returns whether no temporary outlives the sweep to be read later.
    bool closed() const { return closed_; }

    // Writes the sweep into the plans.
    void synchronize() {
        Sweep& sweep = plans_[0].sweep;
        sweep.nests = static_cast<std::uint32_t>(nests_.size());
        sweep.head = head();
        sweep.rings = rings(taken());
        for (std::size_t k = 0; k < nests_.size(); ++k) {
            plans_[k].sweep.rows = nests_[k].rows;
            if (nests_[k].unit != plans_[k].unit) plans_[k].sweep.unit = nests_[k].unit;
            plans_[k].sweep.lag = nests_[k].place.lag;
            plans_[k].sweep.lead = nests_[k].place.lead;
            sweep.spared += spared(sweep, k);
            keep_in_caches(k);
        }
        sweep.panel = panel();
    }

  private:
    std::span<LoopPlan> plans_;
    const SweptSizes& least_;
    std::int64_t large_;  // that count as large
    std::vector<Use> uses_;
    std::vector<SweepNest> nests_;
    bool closed_ = false;

    const LoopPlan& plan(std::size_t nest) const { return plans_[nest]; }
    SweepNests taken() const { return {plans_, uses_, nests_}; }
    std::span<const Use> uses(std::size_t nest) const { return taken().uses_of(nest); }

    // Adds the next plan; returns false if it does not fit.
    bool take() {
        const LoopPlan& next = plans_[nests_.size()];
        const bool rides = !may_sweep(next, least_);
        if (rides && (nests_.empty() || !may_ride(next) || !steps_by_rows(next))) return false;
        const std::int64_t unit = rides ? 1 : unit_of(next);
        add_uses(next, unit, large_, uses_);
        nests_.push_back({unit, rows_of(next, unit), uses_.size(), rides});
        if (nests_.size() == 1 || (place() && (rides || shares()) && is_bounded())) return true;
        nests_.pop_back();
        uses_.resize(nests_.back().uses_end);
        return false;
    }

    // Returns the elements of a row: where rows are units, as long as those of another nest on the
    // same memory.
    std::int64_t unit_of(const LoopPlan& next) const {
        if (!has_any_unit(next)) return next.unit;
        for (const PlanOperand& o : next.operands) {
            const std::int64_t stride = even_stride(next, o).value_or(0);
            if (!is_large(next, o, large_) || stride <= 0) continue;
            const std::int64_t pitch = pitch_of(o.index), unit = pitch / stride;
            if (pitch <= kMostSweptRow && unit >= kLeastUnit && pitch % stride == 0) return unit;
        }
        return next.unit;
    }
    // Returns the bytes from row to row of a base, in an earlier nest or in the next one with fixed
    // rows; 0 if unknown.
    std::int64_t pitch_of(std::uint32_t base) const {
        for (const Use& use : uses_) {
            if (use.base == base && use.large && use.stride > 0) return use.stride;
        }
        for (std::size_t k = nests_.size(); k < std::min(plans_.size(), Sweep::kMostNests); ++k) {
            if (!may_sweep(plan(k), least_)) return 0;
            if (const std::int64_t pitch = fixed_pitch(plan(k), base, large_)) return pitch;
        }
        return 0;
    }

    // Returns whether the nest has one element per row of an array of the sweep.
    bool steps_by_rows(const LoopPlan& next) const {
        return std::ranges::any_of(next.operands, [&](const PlanOperand& o) {
            const std::int64_t stride = even_stride(next, o).value_or(0);
            if (o.home != Home::Base || stride <= itemsize(o.dtype)) return false;
            return std::ranges::any_of(uses_, [&](const Use& use) {
                return use.base == o.index && use.large && use.stride == stride;
            });
        });
    }

    // Computes lag and lead of the last nest; returns false if there are none.
    bool place() {
        SweepPlace& last = nests_.back().place;
        const std::size_t number = nests_.size() - 1;
        last.lead = std::numeric_limits<std::int64_t>::min();
        for (std::size_t k = 0; k < number; ++k) {
            for (const Use& a : uses(k)) {
                for (const Use& b : uses(number)) {
                    if (!keep_distance(nests_[k].place, a, last, b)) return false;
                }
            }
        }
        last.lead = std::max(last.lead, -last.lag);
        if (head() > 0 && (kBehind * head() > nests_[0].rows || !keep_to_rows())) return false;
        return number == 1 || kBehind * (last.lag + last.lead) <= nests_[0].rows;
    }

    std::int64_t head() const { return taken().head(); }
    // If so, bands that begin after the head are independent of one another.
    bool keep_to_rows() const {
        return std::ranges::all_of(
            nests_, [](const SweepNest& n) { return n.place.lag + n.place.lead == 0; });
    }

    // Returns whether both are rows of equal strides of one large array.
    static bool together(const Use& a, const Use& b) {
        return a.base == b.base && !a.result && !b.result && a.stride == b.stride && a.stride > 0 &&
               a.stride <= kMostSweptRow && a.large && b.large && !apart(a, b);
    }
    // Returns whether an earlier nest accesses the rows of the use.
    bool met(const Use& use, std::size_t nest) const {
        return std::any_of(uses_.begin(),
                           uses_.begin() + static_cast<std::ptrdiff_t>(nests_[nest - 1].uses_end),
                           [&](const Use& before) { return together(before, use); });
    }
    bool shares() const {
        const std::size_t last = nests_.size() - 1;
        return std::ranges::any_of(uses(last), [&](const Use& use) { return met(use, last); });
    }

    std::vector<Flight> flights() const {
        std::vector<Flight> found;
        for (std::size_t k = 0; k < nests_.size(); ++k) {
            for (const Use& use : uses(k)) {
                if (use.stride > 0 && use.large) add_flight(use, nests_[k].place.lag, found);
            }
        }
        return found;
    }
    bool is_bounded() const {
        double seconds = 0;
        for (std::size_t k = 0; k < nests_.size(); ++k) seconds += plan(k).seconds;
        if (seconds > kMostSeconds) return false;
        if (nests_.size() == 2) return true;
        const std::vector<Flight> all = flights();
        std::int64_t bytes = 0, panel = least_panel(all);
        for (const Flight& f : all) bytes += (f.back + f.front + panel) * f.stride;
        return bytes <= kMostInFlight;
    }
    static std::int64_t widest(const std::vector<Flight>& all) {
        std::int64_t bytes = 1;
        for (const Flight& f : all) bytes = std::max(bytes, f.stride);
        return bytes;
    }
    // Returns enough rows to make the fixed cost of a nest per panel small.
    std::int64_t least_panel(const std::vector<Flight>& all) const {
        double row = 0;
        for (std::size_t k = 0; k < nests_.size(); ++k) {
            row += plan(k).seconds / static_cast<double>(nests_[k].rows);
        }
        const double rows = kLeastPanelSeconds * static_cast<double>(nests_.size()) / row;
        const auto most = static_cast<double>(std::max<std::int64_t>(kLeastPanel / widest(all), 1));
        return static_cast<std::int64_t>(std::min(std::max(rows, kLeastPanelRows), most));
    }

    // Returns the rows that each nest runs at a time: as many as fit the cache besides those in
    // flight.
    std::int64_t panel() const {
        const std::vector<Flight> all = flights();
        std::int64_t room = kMostInFlight, row = 1;
        for (const Flight& f : all) {
            room -= (f.back + f.front) * f.stride;
            row += f.stride;
        }
        const std::int64_t least = least_panel(all);
        const std::int64_t most = std::max(kMostPanel / widest(all), least);
        const std::int64_t wanted = std::clamp(room / row, least, most);
        return std::clamp<std::int64_t>(wanted, 1, nests_[0].rows / kLeastPanels + 1);
    }

    // --- results

    // Arrays that other nests of the sweep use are stored with normal stores, and not prefetched if
    // an earlier nest has loaded them.
    void keep_in_caches(std::size_t nest) {
        LoopPlan& plan = plans_[nest];
        plan.stream = plan.ahead = false;
        for (PlanOperand& o : plan.operands) {
            for (std::size_t k = 0; k < nests_.size() && (o.stream || o.ahead); ++k) {
                const bool touches = k != nest && std::ranges::any_of(uses(k), [&](const Use& use) {
                                         return o.home == Home::Base && use.base == o.index;
                                     });
                o.stream = o.stream && !touches;
                o.ahead = o.ahead && !(touches && k < nest);
            }
            plan.stream = plan.stream || o.stream;
            plan.ahead = plan.ahead || o.ahead;
        }
    }

    // Returns bytes of memory traffic saved: all of rings; of other arrays the parts that an
    // earlier nest has loaded.
    std::int64_t spared(const Sweep& sweep, std::size_t nest) const {
        std::int64_t bytes = 0;
        std::vector<std::uint32_t> seen;
        for (const Use& use : uses(nest)) {
            if (has(seen, use.base)) continue;
            const bool ring = std::ranges::any_of(
                sweep.rings, [&](const SweepRing& r) { return r.base == use.base; });
            if (!ring && (nest == 0 || use.written || !met(use, nest))) continue;
            seen.push_back(use.base);
            bytes += use.bytes;
        }
        return bytes;
    }
};

}  // namespace

SweptSizes swept_sizes() {
    const std::string_view choice = settings().choice(Setting::sweep);
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    if (choice == "off") return {kNever, kNever};
    if (choice == "on") return {1, 2};
    return {kLeastBytes, kLeastRows};
}

bool may_sweep(const LoopPlan& plan, const SweptSizes& least) {
    return plan.bytes >= least.bytes && plan.kind == BlockKind::Nest && plan.swept == 0 &&
           !looks_up(plan) && element_count(plan.extents) > 0 &&
           rows_of(plan, plan.unit) >= least.rows;
}

void find_sweeps(std::span<LoopPlan> plans, const SweptSizes& least) {
    auto worth = [&](std::span<LoopPlan> from) {
        // Most candidates fail because no operand is large.
        auto large = [&](const PlanOperand& o) {
            return is_large(from[0], o, large_beside(from[0], least));
        };
        return from.size() > 1 && may_sweep(from[0], least) &&
               (may_sweep(from[1], least) || may_ride(from[1])) &&
               std::ranges::any_of(from[0].operands, large);
    };
    while (plans.size() > 1) {
        std::size_t count = 1;
        if (worth(plans)) {
            SweepBuilder sweep(plans, least);
            count = sweep.build();
            // A sweep that begins one nest later may contain the whole life of the temporary that
            // this one leaves.
            if (count > 1 && !sweep.closed() && worth(plans.subspan(1))) {
                SweepBuilder later(plans.subspan(1), least);
                if (later.build() > 1 && later.closed()) count = 1;
            }
            if (count > 1) sweep.synchronize();
        }
        plans = plans.subspan(count);
    }
}

}  // namespace hassium
