#include "plan/sweep/sweep_uses.hpp"

#include "plan/lower/lowering_context.hpp"
#include "program/axes.hpp"

namespace hassium {
namespace {

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return -floor_divide(-a, b); }

Use use_of(const LoopPlan& plan, const PlanOperand& o, std::int64_t unit, std::int64_t rows) {
    const std::int64_t bytes = view_bytes(plan.extents, o.strides, o.dtype);
    Use use{o.index, o.offset, 0, 0, itemsize(o.dtype), rows, bytes};
    auto reach = [&use](std::int64_t far) { (far < 0 ? use.low : use.high) += far; };
    const bool by_units = plan.span == plan.extents.size();
    if (const std::optional<std::int64_t> stride = even_stride(plan, o); by_units && stride) {
        use.stride = unit * *stride;
        reach((unit - 1) * *stride);
        return use;
    }
    // Units of several axes have no regular place: every row is taken to touch all bytes.
    if (!by_units) use.stride = o.strides[0];
    for (std::size_t k = !by_units; k < plan.extents.size(); ++k) {
        reach((plan.extents[k] - 1) * o.strides[k]);
    }
    return use;
}

}  // namespace

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

bool is_large(const LoopPlan& plan, const PlanOperand& o, std::int64_t least) {
    return o.home == Home::Base && view_bytes(plan.extents, o.strides, o.dtype) >= least;
}

std::int64_t fixed_pitch(const LoopPlan& plan, std::uint32_t base, std::int64_t least) {
    if (plan.span == plan.extents.size()) return 0;
    for (const PlanOperand& o : plan.operands) {
        if (o.index == base && o.strides[0] > 0 && is_large(plan, o, least)) return o.strides[0];
    }
    return 0;
}

std::optional<std::int64_t> even_stride(const LoopPlan& plan, const PlanOperand& o) {
    for (std::size_t k = 1; k < plan.extents.size(); ++k) {
        if (!carries(o.strides[k - 1], o.strides[k], plan.extents[k])) return std::nullopt;
    }
    return o.strides.back();
}

bool has_any_unit(const LoopPlan& plan) {
    return plan.span == plan.extents.size() && plan.reductions.empty();
}

std::int64_t rows_of(const LoopPlan& plan, std::int64_t unit) {
    if (plan.span < plan.extents.size()) return plan.extents[0];
    return (element_count(plan.extents) + unit - 1) / unit;
}

void add_uses(const LoopPlan& plan, std::int64_t unit, std::int64_t least, std::vector<Use>& uses) {
    std::vector<bool> written(plan.operands.size()), result(plan.operands.size());
    for (const Statement& s : plan.statements) {
        for (std::size_t k = 0; k < s.nout; ++k) {
            written[s.operands[k]] = true;
            if (s.reduction >= 0) result[s.operands[k]] = true;
        }
    }
    const std::int64_t rows = rows_of(plan, unit);
    for (std::size_t k = 0; k < plan.operands.size(); ++k) {
        if (plan.operands[k].home != Home::Base) continue;
        Use& use = uses.emplace_back(use_of(plan, plan.operands[k], unit, rows));
        use.large = use.bytes >= least;
        use.written = written[k];
        use.result = result[k];
    }
}

bool apart(const Use& a, const Use& b) { return a.end() <= b.begin() || b.end() <= a.begin(); }

namespace {

// The rows of the earlier use that overlap row j of the later one are among j + least to j + most.
// Strides are equal and positive.
struct Distance {
    std::int64_t least, most;
};

Distance distance(const Use& a, const Use& b) {
    // Rows overlap for i - j = d if d * stride + [a.low, a.high) and ahead + [b.low, b.high) do.
    const std::int64_t ahead = b.offset - a.offset;
    return {ceil_divide(ahead + b.low - (a.high - 1), a.stride),
            floor_divide(ahead + b.high - 1 - a.low, a.stride)};
}

// Handles a later nest whose every row reads what a few rows of the earlier one write.
bool wait_for_rows(const SweepPlace& earlier, const Use& a, SweepPlace& later, const Use& b) {
    const std::int64_t row = floor_divide(b.end() - 1 - a.offset - a.low, a.stride);
    const std::int64_t final = std::min(row, a.rows - 1);
    if (final > Sweep::kMostHead) return false;
    later.lag = std::max(later.lag, earlier.lag + final);
    later.head = std::max(later.head, earlier.lag + final + 1);
    return true;
}

}  // namespace

bool keep_distance(const SweepPlace& earlier, const Use& a, SweepPlace& later, const Use& b) {
    if (a.base != b.base || (!a.written && !b.written) || apart(a, b)) return true;
    if (a.result || b.result || a.stride <= 0) return false;
    if (b.stride == 0 && !b.written) return wait_for_rows(earlier, a, later, b);
    if (a.stride != b.stride) return false;
    const Distance d = distance(a, b);
    if (d.least > d.most) return true;
    if (std::max(std::abs(d.least), std::abs(d.most)) > Sweep::kMostHalo) return false;
    later.lag = std::max(later.lag, earlier.lag + d.most);
    later.lead = std::max(later.lead, earlier.lead - d.least);
    return true;
}

void add_flight(const Use& use, std::int64_t lag, std::vector<Flight>& flights) {
    auto at = std::ranges::find_if(flights, [&](const Flight& f) {
        return f.base == use.base && f.begin < use.end() && use.begin() < f.end;
    });
    if (at == flights.end()) {
        at = flights.insert(at,
                            {use.base, use.begin(), use.end(), use.stride, use.offset, lag, -lag});
    }
    at->begin = std::min(at->begin, use.begin());
    at->end = std::max(at->end, use.end());
    const std::int64_t row = floor_divide(use.offset - at->origin, at->stride);
    at->back = std::max(at->back, lag - row);
    at->front = std::max(at->front, row + 1 - lag);
}

}  // namespace hassium
