#include "plan/rebind/rebind.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/lower/lowering_context.hpp"
#include "program/axes.hpp"

namespace hassium {
namespace {

std::int64_t product(const std::int64_t* extents, std::size_t first, std::size_t last) {
    std::int64_t n = 1;
    for (std::size_t k = first; k < last; ++k) n *= extents[k];
    return n;
}

}  // namespace

bool Rebinding::views_agree(const Program& p, const Numbers& numbers) const {
    const std::size_t n = extents_.size();
    const Operand* const views = p.operands.data();
    const std::int64_t* const geometry = p.geometry.data();
    for (const Alias& a : aliases_) {
        const Operand &one = views[sources_[a.source].view], &other = views[a.view];
        if (one.offset != other.offset) return false;
        const std::int64_t* strides = geometry + other.geometry + other.ndim;
        if (a.raw) {
            const std::int64_t* known = geometry + one.geometry + one.ndim;
            std::int64_t different = 0;
            for (std::size_t k = 0; k < one.ndim; ++k) different |= strides[k] ^ known[k];
            if (different != 0) return false;
            continue;
        }
        const std::int64_t* shape = strides - other.ndim;
        const std::int64_t* row = numbers.rows + a.source * n;
        for (std::size_t k = other.ndim, c = 0; k-- > 0;) {
            if (shape[k] == 1) continue;
            if (strides[k] != row[c_order_[c++]]) return false;
        }
    }
    auto offset = [&](Index source) { return views[sources_[source].view].offset; };
    for (const Pair& pair : rising_) {
        if (offset(pair.first) >= offset(pair.second)) return false;
    }
    for (const Pair& pair : crossing_) {
        if (offset(pair.first) != offset(pair.second)) return false;
        const std::int64_t* first = numbers.rows + pair.first * n;
        if (std::equal(first, first + n, numbers.rows + pair.second * n)) return false;
    }
    return true;
}

bool Rebinding::axes_agree(const Numbers& numbers) const {
    const std::size_t n = extents_.size();
    const std::int64_t* lead = numbers.rows + leading_ * n;
    for (std::size_t k = 1; by_strides_ && k < n; ++k) {
        if (std::abs(lead[k - 1]) <= std::abs(lead[k])) return false;
    }
    for (const Joint& j : apart_) {
        const std::int64_t* row = numbers.rows + j.witness * n;
        const std::int64_t inside = product(numbers.extents, j.inner, j.end);
        if (carries(row[j.outer], row[j.end - 1], inside)) return false;
    }
    for (const Joint& j : merged_) {
        const std::int64_t inside = product(numbers.extents, j.inner, j.end);
        const std::int64_t* const end = numbers.rows + sources_.size() * n;
        for (const std::int64_t* row = numbers.rows; row != end; row += n) {
            if (!carries(row[j.outer], row[j.end - 1], inside)) return false;
        }
    }
    return true;
}

bool Rebinding::bind_trees(LoopPlan& plan, const Program& p) const {
    for (std::size_t k = 0; k < reductions_.size(); ++k) {
        ReductionTree tree = reduction_tree(p, reductions_[k]);
        ReductionTree& known = plan.reductions[k].tree;
        if (tree.row_form != known.row_form || tree.order != known.order ||
            tree.row_axes != known.row_axes) {
            return false;
        }
        known = tree;
    }
    return true;
}

void Rebinding::bind_operands(LoopPlan& plan, const Program& p, const Numbers& numbers) const {
    const std::size_t n = extents_.size(), axes = ends_.size();
    std::int64_t* const extents = plan.extents.data();
    for (std::size_t k = 0; k < axes; ++k) {
        extents[k] = product(numbers.extents, firsts_[k], ends_[k]);
    }
    PlanOperand* const operands = plan.operands.data();
    const Operand* const views = p.operands.data();
    const std::int64_t* row = numbers.rows;
    for (const Source& source : sources_) {
        if (source.memory) {
            PlanOperand& o = operands[source.operand];
            if (source.view != kPosition) o.offset = views[source.view].offset;
            std::int64_t* strides = o.strides.data();
            for (std::size_t k = 0; k < axes; ++k) strides[k] = row[ends_[k] - 1];
        }
        row += n;
    }
    for (PlanReduction& r : plan.reductions) {
        const Dims& strides = operands[r.result].strides;
        std::size_t at = 0;
        for (std::size_t k = 0; k < plan.extents.size(); ++k) {
            if (r.role[k] != 0) continue;
            r.extents[at] = plan.extents[k];
            r.strides[at++] = strides[k];
        }
    }
}

bool Rebinding::apply(LoopPlan& plan, const Program& p, const BaseUses& uses) const {
    if (moved_) return moved_->apply(plan, p);
    if (plan.sweep.rows > 0) plan.sweep = {};
    if (kind_ == BlockKind::System) return true;
    if (kind_ == BlockKind::Single) {
        estimate_single_traffic(plan, p, alone_, uses);
        return true;
    }
    const std::size_t n = extents_.size(), count = n + strides_.size();
    constexpr std::size_t kMostInPlace = 128;
    std::int64_t in_place[kMostInPlace];
    std::unique_ptr<std::int64_t[]> many;
    if (count > kMostInPlace) many = std::make_unique_for_overwrite<std::int64_t[]>(count);
    std::int64_t* const extents = many ? many.get() : in_place;
    std::int64_t* const rows = extents + n;
    const std::int64_t* const geometry = p.geometry.data();
    for (std::size_t k = 0; k < n; ++k) extents[k] = geometry[extents_[k]];
    for (std::size_t k = 0; k < strides_.size(); ++k) {
        rows[k] = strides_[k] == kStill ? 0 : geometry[strides_[k]];
    }
    for (std::size_t s = 0; counts_ && s < sources_.size(); ++s) {
        if (sources_[s].view != kPosition) continue;
        std::int64_t inside = 1;
        for (std::uint8_t c : c_order_) {
            rows[s * n + c] = inside;
            inside *= extents[c];
        }
    }
    const Numbers numbers{extents, rows};
    if (!views_agree(p, numbers) || !axes_agree(numbers) || !bind_trees(plan, p)) return false;
    bind_operands(plan, p, numbers);
    if (axis_of_adjacent_rows(plan) || has_wide_rows(plan, plan.extents.back())) return false;
    choose_tiles(plan, preferred_tile_);
    if (plan.stream || plan.ahead) {
        for (PlanOperand& o : plan.operands) {
            o.stream = o.ahead = false;
            o.lanes = o.lane = 0;
        }
        plan.stream = plan.ahead = false;
    }
    estimate_traffic(plan, uses);
    return true;
}

}  // namespace hassium
