#include "plan/rebind.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/draft.hpp"

namespace hassium {
namespace {

std::int64_t product(const std::int64_t* extents, std::size_t first, std::size_t last) {
    std::int64_t n = 1;
    for (std::size_t k = first; k < last; ++k) n *= extents[k];
    return n;
}

std::int64_t offset_of(const Program& p, std::uint32_t view) { return p.operands[view].offset; }

}  // namespace

bool Rebinding::views_agree(const Program& p, const Numbers& rows) const {
    const std::size_t n = extents_.size();
    for (const Alias& a : aliases_) {
        const Operand &one = p.operands[sources_[a.source].view], &other = p.operands[a.view];
        if (one.offset != other.offset) return false;
        const std::int64_t* strides = p.geometry.data() + other.geometry + other.ndim;
        if (a.raw) {
            const std::int64_t* known = p.geometry.data() + one.geometry + one.ndim;
            for (std::size_t k = 0; k < one.ndim; ++k) {
                if (strides[k] != known[k]) return false;
            }
            continue;
        }
        const std::int64_t* shape = strides - other.ndim;
        for (std::size_t k = other.ndim, c = 0; k-- > 0;) {
            if (shape[k] == 1) continue;
            if (strides[k] != rows[a.source * n + c_order_[c++]]) return false;
        }
    }
    for (const Pair& pair : rising_) {
        if (offset_of(p, sources_[pair.first].view) >= offset_of(p, sources_[pair.second].view)) {
            return false;
        }
    }
    for (const Pair& pair : crossing_) {
        if (offset_of(p, sources_[pair.first].view) != offset_of(p, sources_[pair.second].view)) {
            return false;
        }
        const std::int64_t* first = rows.data() + pair.first * n;
        if (std::equal(first, first + n, rows.data() + pair.second * n)) return false;
    }
    return true;
}

bool Rebinding::axes_agree(const std::int64_t* extents, const Numbers& rows) const {
    const std::size_t n = extents_.size();
    const std::int64_t* lead = rows.data() + leading_ * n;
    for (std::size_t k = 1; by_strides_ && k < n; ++k) {
        if (std::abs(lead[k - 1]) <= std::abs(lead[k])) return false;
    }
    for (const Joint& j : apart_) {
        const std::int64_t* row = rows.data() + j.witness * n;
        if (carries(row[j.outer], row[j.end - 1], product(extents, j.inner, j.end))) return false;
    }
    for (const Joint& j : merged_) {
        std::int64_t inside = product(extents, j.inner, j.end);
        for (std::size_t at = 0; at < rows.size(); at += n) {
            if (!carries(rows[at + j.outer], rows[at + j.end - 1], inside)) return false;
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

void Rebinding::bind_operands(LoopPlan& plan, const Program& p, const std::int64_t* extents,
                              const Numbers& rows) const {
    const std::size_t n = extents_.size(), axes = ends_.size();
    for (std::size_t k = 0; k < axes; ++k) {
        plan.extents[k] = product(extents, firsts_[k], ends_[k]);
    }
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        const Source& source = sources_[s];
        if (!source.memory) continue;
        PlanOperand& o = plan.operands[source.operand];
        if (source.view != kPosition) o.offset = offset_of(p, source.view);
        const std::int64_t* row = rows.data() + s * n;
        std::int64_t* strides = o.strides.data();
        for (std::size_t k = 0; k < axes; ++k) strides[k] = row[ends_[k] - 1];
    }
    for (PlanReduction& r : plan.reductions) {
        const Dims& strides = plan.operands[r.result].strides;
        std::size_t at = 0;
        for (std::size_t k = 0; k < plan.extents.size(); ++k) {
            if (r.role[k] != 0) continue;
            r.extents[at] = plan.extents[k];
            r.strides[at++] = strides[k];
        }
    }
}

bool Rebinding::apply(LoopPlan& plan, const Program& p, const BaseUses& uses) const {
    plan.sweep = {};
    if (kind_ == BlockKind::System) return true;
    if (kind_ == BlockKind::Single) {
        weigh_single(plan, p, alone_);
        return true;
    }
    const std::size_t n = extents_.size();
    std::int64_t extents[kMaxDims];
    for (std::size_t k = 0; k < n; ++k) extents[k] = p.geometry[extents_[k]];
    Numbers rows;
    rows.resize(sources_.size() * n);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        rows[k] = strides_[k] == kStill ? 0 : p.geometry[strides_[k]];
    }
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (sources_[s].view != kPosition) continue;
        std::int64_t inside = 1;
        for (std::uint8_t c : c_order_) {
            rows[s * n + c] = inside;
            inside *= extents[c];
        }
    }
    if (!views_agree(p, rows) || !axes_agree(extents, rows) || !bind_trees(plan, p)) return false;
    bind_operands(plan, p, extents, rows);
    const std::uint8_t span = plan.span, swept = plan.swept;
    choose_tiles(plan, preferred_tile_);
    if (plan.span != span || plan.swept != swept) return false;
    const bool past_caches = plan.stream || plan.ahead;
    if (past_caches) {
        for (PlanOperand& o : plan.operands) o.stream = o.ahead = false;
        plan.stream = plan.ahead = false;
    }
    weigh(plan, uses);
    if (!past_caches && !plan.stream && !plan.ahead) return true;
    return std::all_of(sources_.begin(), sources_.end(), [&](const Source& s) {
        const PlanOperand& o = plan.operands[s.operand];
        return o.stream == s.stream && o.ahead == s.ahead;
    });
}

}  // namespace hassium
