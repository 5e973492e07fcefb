#include "plan/rebind/offset_rebinding.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace hassium {
namespace {

// Returns the nests of a plan: its phases, or the plan itself.
template <class Plan>
std::span<Plan> nests_of(Plan& plan) {
    if (plan.kind != BlockKind::Rows) return {&plan, 1};
    return {plan.phases.data(), plan.phases.size()};
}

}  // namespace

// The geometry of consecutive views is contiguous, also across instructions.
void OffsetRebinding::keep_geometry(const Program& p, const Operand& view) {
    const Index count = 2u * view.ndim, at = static_cast<Index>(numbers_.size());
    const std::int64_t* const words = p.geometry.data() + view.geometry;
    numbers_.insert(numbers_.end(), words, words + count);
    if (!stretches_.empty()) {
        Stretch& last = stretches_.back();
        if (last.first + last.count == view.geometry) {
            last.count += count;
            return;
        }
    }
    stretches_.push_back({view.geometry, count, at});
}

bool OffsetRebinding::add_nest(const LoopPlan& nest, Index number, const Program& p) {
    std::vector<bool> placed(nest.operands.size(), false);
    for (const Statement& s : nest.statements) {
        const Instruction& i = p.instructions[s.instruction];
        // A statement that lowering inserted before its instruction (parts of complex numbers).
        if (s.op != i.op || s.compute != i.compute) return false;
        for (Index k = 0; k < static_cast<Index>(i.operand_count()); ++k) {
            const Index operand = s.operands[k], view = i.operands + k;
            if (nest.operands[operand].home != Home::Base || placed[operand]) continue;
            if (nest.operands[operand].offset != p.operands[view].offset) return false;
            placed[operand] = true;
            places_.push_back({number, operand, view});
        }
    }
    for (std::size_t k = 0; k < placed.size(); ++k) {
        if (nest.operands[k].home == Home::Base && !placed[k]) return false;
    }
    return true;
}

void OffsetRebinding::order_views(const Program& p, std::vector<Index> views) {
    auto key = [&p](Index view) {
        return std::tuple(p.operands[view].base, p.operands[view].offset);
    };
    std::ranges::stable_sort(views, {}, key);
    for (std::size_t k = 1; k < views.size(); ++k) {
        const auto [base, offset] = key(views[k]);
        const auto [last_base, last_offset] = key(views[k - 1]);
        if (base == last_base) pairs_.push_back({views[k - 1], views[k], offset == last_offset});
    }
}

std::optional<OffsetRebinding> OffsetRebinding::of(const LoopPlan& plan, const Program& p) {
    OffsetRebinding made;
    std::vector<Index> views;
    for (std::uint32_t index : plan.instructions) {
        const Instruction& i = p.instructions[index];
        if (info(i.op).is_system()) continue;
        for (Index view = i.operands; view < i.operands + i.operand_count(); ++view) {
            const Operand& o = p.operands[view];
            if (o.is_constant()) continue;
            made.keep_geometry(p, o);
            views.push_back(view);
            const bool panel = std::ranges::any_of(
                plan.panels.bases, [&o](const PanelBase& b) { return b.base == o.base; });
            if (panel) made.still_.push_back({view, o.offset});
        }
    }
    made.order_views(p, std::move(views));
    Index number = 0;
    for (const LoopPlan& nest : nests_of(plan)) {
        if (!made.add_nest(nest, number++, p)) return std::nullopt;
    }
    return made;
}

bool OffsetRebinding::holds(const Program& p) const {
    const Operand* const views = p.operands.data();
    const std::int64_t* const geometry = p.geometry.data();
    for (const Stretch& s : stretches_) {
        if (!std::equal(numbers_.data() + s.at, numbers_.data() + s.at + s.count,
                        geometry + s.first)) {
            return false;
        }
    }
    for (const Pair& pair : pairs_) {
        const std::int64_t first = views[pair.first].offset, second = views[pair.second].offset;
        if (pair.together ? first != second : first >= second) return false;
    }
    return std::ranges::all_of(
        still_, [views](const Still& s) { return views[s.view].offset == s.offset; });
}

bool OffsetRebinding::apply(LoopPlan& plan, const Program& p) const {
    if (!holds(p)) return false;
    if (plan.sweep.rows > 0) plan.sweep = {};
    const std::span<LoopPlan> nests = nests_of(plan);
    for (const Place& place : places_) {
        nests[place.nest].operands[place.operand].offset = p.operands[place.view].offset;
    }
    return true;
}

}  // namespace hassium
