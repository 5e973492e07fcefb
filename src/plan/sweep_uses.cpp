#include "plan/sweep_uses.hpp"

#include "plan/draft.hpp"

namespace hassium {
namespace {

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return -floor_divide(-a, b); }

Use use_of(const LoopPlan& plan, const PlanOperand& o, std::int64_t rows) {
    const std::int64_t bytes = view_bytes(plan.extents, o.strides, o.dtype);
    Use use{o.index, o.offset, 0, 0, itemsize(o.dtype), rows, bytes};
    auto reach = [&use](std::int64_t far) { (far < 0 ? use.low : use.high) += far; };
    const bool by_units = plan.span == plan.extents.size();
    if (by_units && plan.span == 1) {
        use.stride = plan.unit * o.strides[0];
        reach((plan.unit - 1) * o.strides[0]);
        return use;
    }
    // Units of several axes lie anyhow: every row is taken to touch all.
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

std::int64_t rows_of(const LoopPlan& plan) {
    if (plan.span < plan.extents.size()) return plan.extents[0];
    return (element_count(plan.extents) + plan.unit - 1) / plan.unit;
}

void add_uses(const LoopPlan& plan, std::int64_t least, std::vector<Use>& uses) {
    std::vector<bool> written(plan.operands.size()), result(plan.operands.size());
    for (const Statement& s : plan.statements) {
        for (std::size_t k = 0; k < s.nout; ++k) {
            written[s.operands[k]] = true;
            if (s.reduction >= 0) result[s.operands[k]] = true;
        }
    }
    const std::int64_t rows = rows_of(plan);
    for (std::size_t k = 0; k < plan.operands.size(); ++k) {
        if (plan.operands[k].home != Home::Base) continue;
        Use& use = uses.emplace_back(use_of(plan, plan.operands[k], rows));
        use.large = use.bytes >= least;
        use.written = written[k];
        use.result = result[k];
    }
}

Distance distance(const Use& a, const Use& b) {
    // i - j = d meets when d * stride + [a.low, a.high) and ahead + [b.low, b.high) do.
    const std::int64_t ahead = b.offset - a.offset;
    return {ceil_divide(ahead + b.low - (a.high - 1), a.stride),
            floor_divide(ahead + b.high - 1 - a.low, a.stride)};
}

}  // namespace hassium
