// Common axes, loop order, merging.
#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "plan/lower/lowering_context.hpp"
#include "program/axes.hpp"
#include "program/loop_cuts.hpp"

namespace hassium {
namespace {

// Orders axes by the strides of the operands, in order of priority.
std::vector<std::size_t> order_by_strides(const LoopPlan& plan,
                                          std::span<const std::uint32_t> priority) {
    auto outside = [&](std::size_t axis, std::size_t other) {
        for (std::uint32_t index : priority) {
            const Dims& s = plan.operands[index].strides;
            const std::int64_t a = std::abs(s[axis]), b = std::abs(s[other]);
            if (a != 0 && b != 0 && a != b) return a > b ? 1 : -1;
        }
        return -1;
    };
    const AxisOrder order = sort_axes(plan.extents.size(), outside);
    return {order.begin(), order.end()};
}

// Returns the operands by priority: outputs in memory, then outputs that never get memory, then the
// other operands by decreasing number of covered elements.
std::vector<std::uint32_t> priority_of(const LoopPlan& plan) {
    std::vector<std::uint32_t> order, inside, rest;
    order.reserve(plan.operands.size());
    SmallVec<bool, 64> seen(plan.operands.size(), false);
    auto contracted = [&plan](std::uint32_t operand) {
        const PlanOperand& o = plan.operands[operand];
        return o.home != Home::Base || std::find(plan.contracted.begin(), plan.contracted.end(),
                                                 o.index) != plan.contracted.end();
    };
    for (const Statement& s : plan.statements) {
        for (std::size_t k = 0; k < s.nout; ++k) {
            const std::uint32_t operand = s.operands[k];
            if (!seen[operand]) (contracted(operand) ? inside : order).push_back(operand);
            seen[operand] = true;
        }
    }
    order.insert(order.end(), inside.begin(), inside.end());
    auto covered = [&](std::uint32_t index) {
        std::int64_t n = 1;
        const Dims& strides = plan.operands[index].strides;
        for (std::size_t k = 0; k < strides.size(); ++k) n *= strides[k] ? plan.extents[k] : 1;
        return n;
    };
    for (std::uint32_t index = 0; index < plan.operands.size(); ++index) {
        if (!seen[index] && plan.operands[index].home == Home::Base) rest.push_back(index);
    }
    std::stable_sort(rest.begin(), rest.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return covered(a) > covered(b); });
    order.insert(order.end(), rest.begin(), rest.end());
    return order;
}

template <class Vec>
void permute(Vec& values, const std::vector<std::size_t>& order) {
    const Vec old = values;
    for (std::size_t k = 0; k < order.size(); ++k) values[k] = old[order[k]];
}

// An array of fewer bytes is in a cache, whatever the order of its rows.
constexpr std::int64_t kFewBytes = std::int64_t{1} << 16;
constexpr std::int64_t kFewRows = 8;
// Bytes of the longest row of which some stay in the second-level cache.
constexpr std::int64_t kWidestRow = std::int64_t{1} << 16;

// Returns the outer axis along which the operand's rows are adjacent in memory. Trees order the
// axes of a reduction.
std::optional<std::size_t> adjacent_rows(const LoopPlan& plan, const PlanOperand& o) {
    if (plan.extents.size() < 2 || !plan.reductions.empty()) return {};
    const std::size_t last = plan.extents.size() - 1;
    const std::int64_t size = itemsize(o.dtype);
    const bool moves = std::abs(o.strides[last]) > size && o.home == Home::Base && !o.anywhere;
    if (!moves || element_count(plan.extents) * size < kFewBytes) return {};
    if (std::ranges::find(plan.contracted, o.index) != plan.contracted.end()) return {};
    for (std::size_t k = 0; k < last; ++k) {
        if (std::abs(o.strides[k]) == size && plan.extents[k] >= kFewRows) return k;
    }
    return {};
}

}  // namespace

Dims without_ones(std::span<const std::int64_t> shape) {
    Dims out;
    for (std::int64_t extent : shape) {
        if (extent != 1) out.push_back(extent);
    }
    return out;
}

std::vector<std::size_t> tree_order(const LoweringContext& context, const PlanReduction& r,
                                    const Instruction& i) {
    const Operand& in = context.program.inputs(i)[0];
    auto origins = axis_origins(context.program.shape(in), context.plan.extents);
    std::vector<std::size_t> order;
    for (std::uint8_t axis : r.tree.order) {
        for (std::size_t k = 0; k < origins.size(); ++k) {
            if (origins[k] == axis) order.push_back(k);
        }
    }
    return order;
}

void apply_order(LoopPlan& plan, const std::vector<std::size_t>& order) {
    if (plan.order.empty()) {
        for (std::size_t k = 0; k < order.size(); ++k) {
            plan.order.push_back(static_cast<std::uint8_t>(k));
        }
    }
    if (std::ranges::is_sorted(order)) return;  // it is a permutation
    permute(plan.extents, order);
    permute(plan.order, order);
    for (PlanOperand& o : plan.operands) permute(o.strides, order);
    for (PlanReduction& r : plan.reductions) permute(r.role, order);
}

bool can_merge(const LoopPlan& plan, std::size_t outer) {
    std::size_t inner = outer + 1;
    const std::int64_t elements = plan.extents[outer] * plan.extents[inner];
    if (inner + 1 == plan.extents.size() && has_wide_rows(plan, elements)) return false;
    for (const PlanReduction& r : plan.reductions) {
        if (r.role[outer] != r.role[inner]) return false;
    }
    return std::all_of(plan.operands.begin(), plan.operands.end(), [&](const PlanOperand& o) {
        return carries(o.strides[outer], o.strides[inner], plan.extents[inner]);
    });
}

Dims common_axes(const Program& p, std::span<const std::uint32_t> work) {
    Dims first = without_ones(p.iteration_shape(p.instructions[work[0]]));
    bool equal = std::all_of(work.begin(), work.end(), [&](std::uint32_t i) {
        return without_ones(p.iteration_shape(p.instructions[i])) == first;
    });
    if (equal) return first;
    LoopCuts cuts = loop_cuts(p, p.instructions[work[0]]);
    for (std::uint32_t i : work.subspan(1)) {
        cuts = common_cuts(cuts, loop_cuts(p, p.instructions[i]));
        HS_CHECK(!cuts.empty(), "iteration spaces of a block have common axes");
    }
    Dims axes;
    std::int64_t inside = 1;
    for (std::int64_t cut : cuts) {
        if (cut != inside) axes.insert(0, cut / inside);
        inside = cut;
    }
    return axes;
}

Dims strides_over(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                  std::span<const std::int64_t> axes) {
    Dims out;
    HS_CHECK(spread_strides(coalesce(shape, strides), axes, 0, out),
             "axes of a block refine its views");
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (axes[k] == 1) out[k] = 0;
    }
    return out;
}

SmallVec<std::uint8_t, 8> axis_origins(std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> axes) {
    SmallVec<std::uint8_t, 8> origins(axes.size(), 0);
    std::size_t axis = shape.size();
    std::int64_t covered = 1, inside = 1;  // elements inside the outer ends of the current axes
    for (std::size_t k = axes.size(); k-- > 0;) {
        while (axis > 0 && covered <= inside) covered *= shape[--axis];
        origins[k] = static_cast<std::uint8_t>(axis);
        inside *= axes[k];
    }
    return origins;
}

void order_axes(LoweringContext& context) {
    LoopPlan& plan = context.plan;
    std::size_t rank = plan.extents.size();
    std::vector<std::size_t> order;
    order.reserve(rank);
    for (const Statement& s : plan.statements) {
        if (s.reduction < 0) continue;
        const PlanReduction& r = plan.reductions[static_cast<std::size_t>(s.reduction)];
        std::vector<std::size_t> wanted =
            tree_order(context, r, context.instruction(s.instruction));
        HS_CHECK((order.empty() || order == wanted) && r.role == plan.reductions[0].role &&
                     r.tree.row_form == plan.reductions[0].tree.row_form,
                 "reductions of one block agree in axes and order");
        order = std::move(wanted);
    }
    if (plan.reductions.empty()) {
        std::vector<std::uint32_t> priority;
        if (rank > 1) priority = priority_of(plan);
        order = order_by_strides(plan, priority);
    }
    apply_order(plan, order);
}

void hoist_kept_axes(LoweringContext& context) {
    LoopPlan& plan = context.plan;
    std::size_t rank = plan.extents.size();
    if (plan.reductions.empty() || plan.reductions[0].tree.row_form || rank == 0) return;
    const SmallVec<std::uint8_t, 8>& role = plan.reductions[0].role;
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k + 1 < rank; ++k) {
        if (role[k] == 0) order.push_back(k);
    }
    for (std::size_t k = 0; k + 1 < rank; ++k) {
        if (role[k] != 0) order.push_back(k);
    }
    order.push_back(rank - 1);
    apply_order(plan, order);
}

std::optional<std::size_t> axis_of_adjacent_rows(const LoopPlan& plan) {
    const std::size_t rank = plan.extents.size();
    std::optional<std::size_t> found;
    for (const PlanOperand& o : plan.operands) {
        const std::optional<std::size_t> axis = adjacent_rows(plan, o);
        if (axis && *axis + 2 == rank) return {};
        if (axis && !found) found = axis;
    }
    return found;
}

bool has_wide_rows(const LoopPlan& plan, std::int64_t elements) {
    return std::ranges::any_of(plan.operands, [&](const PlanOperand& o) {
        return elements * itemsize(o.dtype) > kWidestRow && adjacent_rows(plan, o);
    });
}

void bring_rows_together(LoopPlan& plan) {
    const std::optional<std::size_t> axis = axis_of_adjacent_rows(plan);
    if (!axis) return;
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k + 1 < plan.extents.size(); ++k) {
        if (k != *axis) order.push_back(k);
    }
    order.insert(order.end(), {*axis, plan.extents.size() - 1});
    apply_order(plan, order);
}

void merge_axis(LoopPlan& plan, std::size_t outer) {
    plan.extents[outer + 1] *= plan.extents[outer];
    plan.extents.erase(outer);
    plan.order.erase(outer + 1);
    for (PlanOperand& o : plan.operands) o.strides.erase(outer);
    for (PlanReduction& r : plan.reductions) r.role.erase(outer);
}

void merge_axes(LoweringContext& context) {
    LoopPlan& plan = context.plan;
    for (std::size_t outer = plan.extents.size(); outer-- > plan.fixed;) {
        if (outer + 1 >= plan.extents.size() || !can_merge(plan, outer)) continue;
        merge_axis(plan, outer);
    }
}

}  // namespace hassium
