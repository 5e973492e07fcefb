#include "plan/sweep.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "base/settings.hpp"
#include "plan/draft.hpp"
#include "plan/sweep_uses.hpp"

namespace hassium {
namespace {

// Arrays smaller than this stay in a core's cache anyhow.
constexpr std::int64_t kLeastBytes = std::int64_t{1} << 20;
// Rows in flight that are more than this leave it, if they are those of more than two nests.
constexpr std::int64_t kMostInFlight = std::int64_t{1} << 19;
constexpr std::int64_t kMostRow = std::int64_t{1} << 18;
// Of an array, what one nest passes before the next one runs; and of all rows a small part.
constexpr std::int64_t kLeastPanel = std::int64_t{1} << 15;
constexpr std::int64_t kMostPanel = std::int64_t{1} << 17;
constexpr std::int64_t kLeastPanels = 16;
constexpr std::int64_t kLeastRows = 32;
// Nobody can interrupt a sweep.
constexpr double kMostSeconds = 0.25;
// Of all rows, those that a nest stays behind: bands must be longer.
constexpr std::int64_t kBehind = 8;

bool has(const std::vector<std::uint32_t>& bases, std::uint32_t base) {
    return std::find(bases.begin(), bases.end(), base) != bases.end();
}

// The nests of a sweep, one after another as long as they fit.
class SweepBuilder {
  public:
    SweepBuilder(std::span<LoopPlan> plans, const SweptSizes& least)
        : plans_(plans), least_(least) {}

    // How many of the plans run as one sweep: they know then. 1: none do.
    std::size_t build() {
        std::size_t best = 1;
        bool closed = false;
        while (nests_.size() < std::min(plans_.size(), Sweep::kMostNests) && take()) {
            if (nests_.size() == 1 || !holds_no_more()) continue;
            // A temporary that a sweep carries all the way is worth more than a longer sweep.
            if (closed && !is_closed()) continue;
            closed = is_closed();
            best = nests_.size();
        }
        if (best == 1) return 1;
        nests_.resize(best);
        uses_.resize(nests_.back().uses_end);
        settle();
        return best;
    }

  private:
    struct Nest {
        std::size_t uses_end;
        std::int64_t lag = 0, lead = 0;
    };
    std::span<LoopPlan> plans_;
    const SweptSizes& least_;
    std::vector<Use> uses_;
    std::vector<Nest> nests_;

    const LoopPlan& plan(std::size_t nest) const { return plans_[nest]; }
    std::span<const Use> uses(std::size_t nest) const {
        const std::size_t begin = nest == 0 ? 0 : nests_[nest - 1].uses_end;
        return {uses_.data() + begin, nests_[nest].uses_end - begin};
    }

    // The next plan; false: it does not fit.
    bool take() {
        const LoopPlan& next = plans_[nests_.size()];
        if (!may_sweep(next, least_)) return false;
        add_uses(next, least_.bytes, uses_);
        nests_.push_back({uses_.size()});
        if (nests_.size() == 1 || (place() && shares() && is_bounded())) return true;
        nests_.pop_back();
        uses_.resize(nests_.back().uses_end);
        return false;
    }

    // Lag and lead of the last nest.
    bool place() {
        Nest& last = nests_.back();
        const std::size_t number = nests_.size() - 1;
        last.lead = std::numeric_limits<std::int64_t>::min();
        for (std::size_t k = 0; k < number; ++k) {
            for (const Use& a : uses(k)) {
                for (const Use& b : uses(number)) {
                    if (!keep_distance(nests_[k], a, last, b)) return false;
                }
            }
        }
        last.lead = std::max(last.lead, -last.lag);
        return number == 1 || kBehind * (last.lag + last.lead) <= rows_of(plan(0));
    }

    // Of two uses; false: none would do.
    static bool keep_distance(const Nest& earlier, const Use& a, Nest& last, const Use& b) {
        if (a.base != b.base || (!a.written && !b.written) || apart(a, b)) return true;
        if (a.result || b.result || a.stride <= 0 || a.stride != b.stride) return false;
        const Distance d = distance(a, b);
        if (d.least > d.most) return true;
        if (std::max(std::abs(d.least), std::abs(d.most)) > Sweep::kMostHalo) return false;
        last.lag = std::max(last.lag, earlier.lag + d.most);
        last.lead = std::max(last.lead, earlier.lead - d.least);
        return true;
    }

    static bool apart(const Use& a, const Use& b) {
        return a.end() <= b.begin() || b.end() <= a.begin();
    }

    // Rows of equal strides of one large array.
    static bool together(const Use& a, const Use& b) {
        return a.base == b.base && !a.result && !b.result && a.stride == b.stride && a.stride > 0 &&
               a.stride <= kMostRow && a.large && b.large && !apart(a, b);
    }
    // Does a nest before touch what the use does?
    bool met(const Use& use, std::size_t nest) const {
        return std::any_of(uses_.begin(),
                           uses_.begin() + static_cast<std::ptrdiff_t>(nests_[nest - 1].uses_end),
                           [&](const Use& before) { return together(before, use); });
    }
    bool shares() const {
        const std::size_t last = nests_.size() - 1;
        return std::ranges::any_of(uses(last), [&](const Use& use) { return met(use, last); });
    }

    // Rows in flight of an array, seen from where the first nest is.
    struct Flight {
        std::uint32_t base;
        std::int64_t stride, origin, back, front;
    };
    std::vector<Flight> flights() const {
        std::vector<Flight> found;
        for (std::size_t k = 0; k < nests_.size(); ++k) {
            for (const Use& use : uses(k)) {
                if (use.stride <= 0 || !use.large) continue;
                auto same = [&](const Flight& f) { return f.base == use.base; };
                auto at = std::ranges::find_if(found, same);
                if (at == found.end()) {
                    at = found.insert(
                        at, {use.base, use.stride, use.offset, nests_[k].lag, -nests_[k].lag});
                }
                const std::int64_t row = floor_divide(use.offset - at->origin, at->stride);
                at->back = std::max(at->back, nests_[k].lag - row);
                at->front = std::max(at->front, row + 1 - nests_[k].lag);
            }
        }
        return found;
    }
    bool is_bounded() const {
        double seconds = 0;
        for (std::size_t k = 0; k < nests_.size(); ++k) seconds += plan(k).seconds;
        if (seconds > kMostSeconds) return false;
        if (nests_.size() == 2) return true;
        std::int64_t bytes = 0;
        for (const Flight& f : flights()) bytes += (f.back + f.front) * f.stride + kLeastPanel;
        return bytes <= kMostInFlight;
    }

    // Rows that each nest runs in one go: as many as the cache has room for beside those in flight.
    std::int64_t panel() const {
        std::int64_t room = kMostInFlight, row = 1, widest = 1;
        for (const Flight& f : flights()) {
            room -= (f.back + f.front) * f.stride;
            row += f.stride;
            widest = std::max(widest, f.stride);
        }
        const std::int64_t least = kLeastPanel / widest;
        const std::int64_t wanted = std::clamp(room / row, least, kMostPanel / widest);
        return std::clamp<std::int64_t>(wanted, 1, rows_of(plan(0)) / kLeastPanels + 1);
    }

    // --- memory

    std::int64_t bytes_of(std::uint32_t base) const {
        std::int64_t bytes = 0;
        for (const Use& use : uses_) {
            if (use.base == base) bytes = std::max(bytes, use.span());
        }
        return bytes;
    }

    // The nest among all plans that gives the base back; their number: none does.
    std::size_t released_by(std::uint32_t base) const {
        auto gives = [&](const LoopPlan& p) { return has(p.releases, base); };
        return static_cast<std::size_t>(std::ranges::find_if(plans_, gives) - plans_.begin());
    }

    // Bases that one nest writes, row by row, as if all of them were rings.
    std::vector<SweepRing> temporaries() const {
        std::vector<SweepRing> found;
        for (std::size_t k = 0; k < nests_.size(); ++k) {
            for (std::uint32_t base : plan(k).acquires) {
                if (std::optional<SweepRing> ring = ring_of(base, k)) found.push_back(*ring);
            }
        }
        return found;
    }
    std::vector<SweepRing> rings() const {
        std::vector<SweepRing> found = temporaries();
        std::erase_if(found,
                      [&](const SweepRing& r) { return released_by(r.base) >= nests_.size(); });
        return found;
    }

    // Does no temporary outlive the sweep but to be read by a later nest?
    bool is_closed() const {
        return std::ranges::none_of(temporaries(), [&](const SweepRing& r) {
            const std::size_t last = released_by(r.base);
            return last >= nests_.size() && last < plans_.size();
        });
    }

    // Against the nests one after another.
    bool holds_no_more() const {
        std::vector<std::uint32_t> taken, kept;
        for (const SweepRing& ring : rings()) kept.push_back(ring.base);
        std::int64_t together = 0, alone = 0, most = 0;
        for (std::size_t k = 0; k < nests_.size(); ++k) {
            for (std::uint32_t base : plan(k).acquires) {
                if (has(taken, base)) continue;
                taken.push_back(base);
                alone += bytes_of(base);
                if (!has(kept, base)) together += bytes_of(base);
            }
            most = std::max(most, alone);
            for (std::uint32_t base : plan(k).releases) alone -= bytes_of(base);
        }
        return together <= most;
    }

    // Of a base that the nest takes; its uses by all nests say whether it can be a ring.
    std::optional<SweepRing> ring_of(std::uint32_t base, std::size_t writer) const {
        const Use* written = nullptr;
        for (const Use& use : uses(writer)) {
            if (use.base == base && use.written) written = &use;
        }
        if (!written || written->stride <= 0) return std::nullopt;
        if (written->stride > kMostRow || !written->large) return std::nullopt;
        const Nest& owner = nests_[writer];
        SweepRing ring{base, written->offset, written->stride, owner.lag, owner.lead, 0, 0, 0};
        ring.back = owner.lag;
        ring.front = -owner.lag;
        ring.above = owner.lead;
        for (std::size_t k = 0; k < nests_.size(); ++k) {
            for (const Use& use : uses(k)) {
                if (use.base != base) continue;
                if (use.result || use.stride != ring.cell_bytes) return std::nullopt;
                const std::int64_t ahead = use.offset - ring.offset;
                const std::int64_t first = floor_divide(ahead + use.low, use.stride);
                const std::int64_t last = floor_divide(ahead + use.high - 1, use.stride);
                const bool own = k == writer && first == 0 && last == 0;
                if (use.written && !own) return std::nullopt;
                ring.back = std::max(ring.back, nests_[k].lag - first);
                ring.front = std::max(ring.front, last - nests_[k].lag);
                ring.above = std::max(ring.above, nests_[k].lead + last);
            }
        }
        return ring;
    }

    // --- results

    void settle() {
        Sweep& sweep = plans_[0].sweep;
        sweep.nests = static_cast<std::uint32_t>(nests_.size());
        sweep.rings = rings();
        for (std::size_t k = 0; k < nests_.size(); ++k) {
            plans_[k].sweep.rows = rows_of(plans_[k]);
            plans_[k].sweep.lag = nests_[k].lag;
            plans_[k].sweep.lead = nests_[k].lead;
            sweep.spared += spared(sweep, k);
            keep_in_caches(k);
        }
        sweep.panel = panel();
    }

    // What others of the sweep touch is not stored past the caches, nor fetched ahead where it was
    // met before.
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

    // What a ring holds never goes to memory; of other arrays it is what was met before.
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

// Is any operand large enough for a sweep to pay? Most nests are told apart by that.
bool large(const LoopPlan& plan, std::int64_t least) {
    return std::ranges::any_of(plan.operands, [&](const PlanOperand& o) {
        return o.home == Home::Base && view_bytes(plan.extents, o.strides, o.dtype) >= least;
    });
}

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
           element_count(plan.extents) > 0 && rows_of(plan) >= least.rows;
}

void find_sweeps(std::span<LoopPlan> plans, const SweptSizes& least) {
    while (plans.size() > 1) {
        const bool worth = may_sweep(plans[0], least) && may_sweep(plans[1], least) &&
                           large(plans[0], least.bytes);
        plans = plans.subspan(worth ? SweepBuilder(plans, least).build() : 1);
    }
}

}  // namespace hassium
