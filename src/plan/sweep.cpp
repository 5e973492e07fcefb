#include "plan/sweep.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace hassium {
namespace {

constexpr std::int64_t kMostHalo = 8;
// Temporaries smaller than this stay in a core's cache anyhow.
constexpr std::int64_t kLeastBytes = std::int64_t{1} << 19;
// A ring that is larger than this leaves it.
constexpr std::int64_t kMostRow = std::int64_t{1} << 18;
constexpr std::int64_t kLeastRows = 32;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Bytes of one row, from the operand's offset on: first and one past the last.
struct Reach {
    std::int64_t low = 0, high = 0;
};

Reach row_reach(const LoopPlan& plan, const PlanOperand& o) {
    Reach reach{0, itemsize(o.dtype)};
    for (std::size_t k = 1; k < plan.extents.size(); ++k) {
        std::int64_t far = (plan.extents[k] - 1) * o.strides[k];
        (far < 0 ? reach.low : reach.high) += far;
    }
    return reach;
}

struct Use {
    const PlanOperand* operand;
    Reach reach;
    bool written = false, result = false;
};

std::vector<Use> uses_of(const LoopPlan& plan) {
    std::vector<Use> uses(plan.operands.size());
    for (std::size_t k = 0; k < uses.size(); ++k) {
        uses[k].operand = &plan.operands[k];
        uses[k].reach = row_reach(plan, plan.operands[k]);
    }
    for (const Statement& s : plan.statements) {
        for (std::size_t k = 0; k < s.nout; ++k) {
            uses[s.operands[k]].written = true;
            uses[s.operands[k]].result |= s.reduction >= 0;
        }
    }
    std::erase_if(uses, [](const Use& u) { return u.operand->home != Home::Base; });
    return uses;
}

bool has(const std::vector<std::uint32_t>& bases, std::uint32_t base) {
    return std::find(bases.begin(), bases.end(), base) != bases.end();
}

// Rows of the operand follow each other without overlap.
bool rows_apart(const Use& u) { return u.reach.low >= 0 && u.reach.high <= u.operand->strides[0]; }

bool same_rows(const Use& a, const Use& b) {
    return a.operand->offset == b.operand->offset &&
           a.operand->strides[0] == b.operand->strides[0] && rows_apart(a) && rows_apart(b);
}

bool shapes_agree(const LoopPlan& a, const LoopPlan& b) {
    return may_sweep(a) && may_sweep(b) && a.extents[0] == b.extents[0] && b.reductions.empty();
}

// Adds what two uses of one base demand; false when no sweep can meet it.
bool add_distance(const Use& a, const Use& b, Sweep& sweep) {
    if (!a.written && !b.written) return true;
    if (a.result) return false;
    if (a.written) return same_rows(a, b);
    std::int64_t stride = a.operand->strides[0];
    if (stride <= 0 || stride != b.operand->strides[0]) return false;
    std::int64_t ahead = b.operand->offset - a.operand->offset;
    // i - j = d overlaps when d * stride + [a.low, a.high) meets ahead + [b.low, b.high).
    std::int64_t most = floor_divide(ahead + b.reach.high - 1 - a.reach.low, stride);
    std::int64_t least = -floor_divide(-(ahead + b.reach.low - (a.reach.high - 1)), stride);
    if (most < least) return true;
    sweep.lag = std::max(sweep.lag, most);
    sweep.halo = std::max({sweep.halo, std::abs(most), std::abs(least)});
    return sweep.halo <= kMostHalo;
}

// The temporary between the nests: one that becomes a ring, else any. A name that is still bound to
// it when the flush comes keeps it whole.
bool choose_temporary(const LoopPlan& a, const LoopPlan& b, const std::vector<Use>& first,
                      const std::vector<Use>& second, Sweep& sweep) {
    bool found = false;
    for (const Use& u : first) {
        std::uint32_t base = u.operand->index;
        std::int64_t row = u.operand->strides[0];
        auto fits = [&](const Use& v) {
            return v.operand->index != base || (!v.result && same_rows(u, v));
        };
        auto reads = [&](const Use& v) { return v.operand->index == base && !v.written; };
        if (!u.written || u.result || row > kMostRow || row * a.extents[0] < kLeastBytes) continue;
        if (!std::any_of(second.begin(), second.end(), reads)) continue;
        if (!std::all_of(first.begin(), first.end(), fits)) continue;
        if (!std::all_of(second.begin(), second.end(), fits)) continue;
        bool ring = has(a.acquires, base) && has(b.releases, base);
        if (found && !ring) continue;
        found = true;
        sweep.row_bytes = row;
        sweep.offset = u.operand->offset;
        if (!ring) continue;
        sweep.ring = base;
        break;
    }
    return found;
}

// Is any operand large enough to be the temporary? Most nests are told apart by that.
bool large(const LoopPlan& plan) {
    return std::any_of(plan.operands.begin(), plan.operands.end(), [&](const PlanOperand& o) {
        return o.home == Home::Base && o.strides[0] * plan.extents[0] >= kLeastBytes;
    });
}

std::optional<Sweep> sweep_of(const LoopPlan& a, const LoopPlan& b) {
    if (!shapes_agree(a, b) || !large(a)) return std::nullopt;
    std::vector<Use> first = uses_of(a), second = uses_of(b);
    Sweep sweep;
    if (!choose_temporary(a, b, first, second, sweep)) return std::nullopt;
    for (const Use& u : first) {
        for (const Use& v : second) {
            if (u.operand->index != v.operand->index) continue;
            if (!add_distance(u, v, sweep)) return std::nullopt;
        }
    }
    return sweep;
}

}  // namespace

bool may_sweep(const LoopPlan& plan) {
    return plan.kind == BlockKind::Nest && plan.swept == 0 && plan.span < plan.extents.size() &&
           !plan.stream && plan.extents[0] >= kLeastRows && element_count(plan.extents) > 0;
}

void pair_sweeps(std::span<LoopPlan> plans) {
    for (std::size_t k = 0; k + 1 < plans.size(); ++k) {
        std::optional<Sweep> sweep = sweep_of(plans[k], plans[k + 1]);
        if (!sweep) continue;
        plans[k].sweep = *sweep;
        plans[k].sweep.on = true;
        ++k;
    }
}

}  // namespace hassium
