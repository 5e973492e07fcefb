#include "plan/lower/rows.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <unordered_set>

#include "base/error.hpp"
#include "plan/lower/phase_users.hpp"
#include "plan/lower/repeats.hpp"
#include "program/axes.hpp"
#include "program/scan_tree.hpp"

namespace hassium {
namespace {

// Bytes of a panel over all phases: it stays in the second-level cache, and mostly in the first;
// smaller panels take more kernel calls.
constexpr std::int64_t kPanelBytes = std::int64_t{1} << 18;
// Lines are cut at multiples of this many elements: as many pieces as are accumulated together
// (exec/single/line_scan.hpp).
constexpr std::int64_t kCutLine = 4 * kScanPiece;
// Bytes of a panel of a cut line: longer ones are faster, as long as there are enough of them for
// the threads.
constexpr std::int64_t kCutPanelBytes = std::int64_t{1} << 19;
constexpr std::int64_t kCutPanels = 8;
// Bytes. A base whose rows of one panel span more gets memory of its own.
constexpr std::int64_t kWidestPanel = std::int64_t{1} << 20;

bool has(const std::vector<std::uint32_t>& list, std::uint32_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

class RowsLowering {
  public:
    RowsLowering(LoweringContext& context, const PhaseList& phases)
        : context_(context), plan_(context.plan) {
        plan_.kind = BlockKind::Rows;
        const RepeatedWork repeats = repeat_cheap_work(context, phases);
        for (const auto& work : repeats.phases) {
            parts_.push_back({context.program, context.block, context.lowering, {}, work});
            parts_.back().plan.instructions = work;
        }
        share_out(repeats);
    }

    void run() {
        if (by_rows()) {
            lower_panels();
        } else {
            for (LoweringContext& part : parts_) {
                begin(part);
                lower_nest(part);
            }
        }
        find_panel_bases();
        for (LoweringContext& part : parts_) plan_.phases.push_back(std::move(part.plan));
        estimate_rows(context_);
    }

  private:
    // Assigns contracted bases to the one phase that uses them, or to all phases that compute them
    // for themselves; between_ are those of several phases.
    void share_out(const RepeatedWork& repeats) {
        const PhaseUsers users(context_, repeats.phases);
        const std::unordered_set<std::uint32_t> repeated(repeats.bases.begin(),
                                                         repeats.bases.end());
        std::erase_if(plan_.contracted, [&](std::uint32_t base) {
            const std::span<const std::size_t> of_it = users.of(base);
            const bool inside = of_it.size() == 1 || repeated.contains(base);
            for (std::size_t k = 0; inside && k < of_it.size(); ++k) {
                parts_[of_it[k]].plan.contracted.push_back(base);
            }
            if (!inside) between_.push_back(base);
            return !inside;
        });
        for (std::uint32_t base : between_) {
            plan_.acquires.push_back(base);
            plan_.releases.push_back(base);
        }
        between_.insert(between_.end(), context_.local.begin(), context_.local.end());
    }

    void begin(LoweringContext& part) {
        context_.lowering.begin();
        for (std::uint32_t base : part.plan.contracted)
            context_.lowering.note(base).contracted = true;
    }

    // Finds the reduction, or the member that processes its elements in order, that defines a row.
    bool by_rows() {
        for (std::uint32_t i : context_.work) {
            if (!is_ordered(context_.instruction(i))) continue;
            scan_ = &context_.instruction(i);
            find_scan_axes();
            return true;
        }
        for (std::uint32_t i : context_.work) {
            if (!is_reduction(context_.instruction(i))) continue;
            reduction_ = &context_.instruction(i);
            break;
        }
        if (!reduction_) return false;
        const Program& p = context_.program;
        const Operand& in = p.inputs(*reduction_)[0];
        find_axes(in);
        return !kept_extents_.empty() && kept_extents_ != whole_ &&
               reduction_tree(p, *reduction_).rows_stay_cached(itemsize(in.dtype));
    }

    void find_scan_axes() {
        auto shape = context_.program.iteration_shape(*scan_);
        const auto axis = static_cast<std::size_t>(std::countr_zero(scan_->axes));
        whole_ = without_ones(shape);
        scan_axis_ = static_cast<std::size_t>(
            std::count_if(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis),
                          [](std::int64_t extent) { return extent != 1; }));
        for (std::size_t k = 0; k < whole_.size(); ++k) {
            if (k != scan_axis_) kept_extents_.push_back(whole_[k]);
        }
    }

    // Finds the axes of the whole space, and which of them are kept.
    void find_axes(const Operand& in) {
        const Program& p = context_.program;
        auto elements = [&](std::uint32_t i) {
            return element_count(p.iteration_shape(context_.instruction(i)));
        };
        std::vector<std::uint32_t> over_whole;
        for (std::uint32_t i : context_.work) {
            if (elements(i) == element_count(p.shape(in))) over_whole.push_back(i);
        }
        whole_ = common_axes(p, over_whole);
        auto origins = axis_origins(p.shape(in), whole_);
        for (std::size_t k = 0; k < whole_.size(); ++k) {
            if ((reduction_->axes >> origins[k] & 1) == 0) kept_extents_.push_back(whole_[k]);
        }
    }

    void lower_panels() {
        std::vector<std::size_t> order, kept_order;
        for (LoweringContext& part : parts_) {
            begin(part);
            std::span<const std::int64_t> shape =
                context_.program.iteration_shape(context_.instruction(part.work[0]));
            bool over_kept = element_count(shape) < element_count(whole_);
            part.plan.extents = over_kept ? kept_extents_ : whole_;
            add_statements(part);
            if (is_ordered(context_.instruction(part.work[0]))) {
                part.plan.kind = BlockKind::Ordered;
                if (order.empty()) order = line_order(part);
            } else if (!over_kept && !scan_) {
                find_order(part, order, kept_order);
            }
        }
        HS_CHECK(!order.empty(), "a block of rows has a reduction over the whole space");
        for (LoweringContext& part : parts_) {
            bool over_kept = part.plan.extents.size() < order.size();
            apply_order(part.plan, over_kept ? kept_order : order);
        }
        kept_ = kept_extents_.size();
        for (std::size_t axis = kept_; axis-- > 1;) merge_kept(axis - 1);
        // All of an inner axis may be too little for a panel: then an outer one is cut.
        while (!scan_ && kept_ > 1 && row_bytes(kept_ - 1) <= kPanelBytes) --kept_;
        // Lines that are too long for a panel, or the only one, are cut themselves.
        if (scan_ && (kept_ == 0 || row_bytes(kept_) > kPanelBytes)) {
            kept_ = parts_[0].plan.extents.size();
            plan_.panels.in_order = true;
        }
        cut_panels();
        for (LoweringContext& part : parts_) {
            begin(part);
            if (part.plan.kind == BlockKind::Ordered) {
                estimate(part);
                continue;
            }
            finish_axes(part);
            finish_nest(part);
        }
    }
    // Returns the accumulated axis innermost, the others in the memory order of the result.
    std::vector<std::size_t> line_order(const LoweringContext& part) const {
        const Dims& strides = part.plan.operands[part.plan.statements[0].operands[0]].strides;
        std::vector<std::size_t> order;
        for (const std::size_t axis : stride_order(strides)) {
            if (axis != scan_axis_) order.push_back(axis);
        }
        order.push_back(scan_axis_);
        return order;
    }
    // Returns the order of the trees: kept axes are outside.
    void find_order(const LoweringContext& part, std::vector<std::size_t>& order,
                    std::vector<std::size_t>& kept_order) {
        for (const Statement& s : part.plan.statements) {
            if (s.reduction < 0 || !order.empty()) continue;
            const PlanReduction& r = part.plan.reductions[static_cast<std::size_t>(s.reduction)];
            order = tree_order(part, r, context_.instruction(s.instruction));
            for (std::size_t axis : order) {
                if (r.role[axis] != 0) continue;
                auto before = std::count(r.role.begin(), r.role.begin() + axis, 0);
                kept_order.push_back(static_cast<std::size_t>(before));
            }
        }
    }
    void merge_kept(std::size_t axis) {
        bool merges =
            std::all_of(parts_.begin(), parts_.end(),
                        [axis](const LoweringContext& part) { return can_merge(part.plan, axis); });
        if (!merges) return;
        for (LoweringContext& part : parts_) merge_axis(part.plan, axis);
        --kept_;
    }

    // Returns the bytes of all distinct operands inside the `outer` outermost axes, as of one row.
    std::int64_t row_bytes(std::size_t outer) const {
        std::int64_t bytes = 0;
        std::vector<const PlanOperand*> seen;
        for (const LoweringContext& part : parts_) {
            std::span<const std::int64_t> extents(part.plan.extents);
            for (const PlanOperand& o : part.plan.operands) {
                auto same = [&](const PlanOperand* other) {
                    return other->index == o.index && other->offset == o.offset;
                };
                if (o.home != Home::Base || has(part.plan.contracted, o.index)) continue;
                if (std::any_of(seen.begin(), seen.end(), same)) continue;
                seen.push_back(&o);
                std::span<const std::int64_t> strides(o.strides);
                bytes += view_bytes(extents.subspan(outer), strides.subspan(outer), o.dtype);
            }
        }
        return bytes;
    }

    std::int64_t inner_width() const {
        for (const LoweringContext& part : parts_) {
            for (const PlanReduction& r : part.plan.reductions) {
                std::int64_t width = 1;
                for (std::size_t k = kept_; k < r.role.size(); ++k) {
                    if (r.role[k] == 0) width *= part.plan.extents[k];
                }
                return width;
            }
        }
        return 1;
    }
    void cut_panels() {
        Panels& panels = plan_.panels;
        std::size_t axis = kept_ - 1;
        panels.rows = parts_[0].plan.extents[axis];
        panels.width = inner_width();
        if (panels.in_order) {
            const std::int64_t wish =
                std::min(kCutPanelBytes / row_bytes(kept_), panels.rows / kCutPanels);
            panels.height = std::max<std::int64_t>(wish / kCutLine, 1) * kCutLine;
            panels.height = std::min(panels.height, panels.rows);
        } else {
            const std::int64_t wish = std::max<std::int64_t>(kPanelBytes / row_bytes(kept_), 1);
            const std::int64_t count = (panels.rows + wish - 1) / wish;
            panels.height = (panels.rows + count - 1) / count;
        }
        const std::int64_t count = (panels.rows + panels.height - 1) / panels.height;
        for (LoweringContext& part : parts_) {
            part.plan.fixed = static_cast<std::uint8_t>(kept_);
            split(part.plan, axis, count);
        }
        for (std::size_t k = 0; k < kept_; ++k) {
            panels.extents.push_back(parts_[0].plan.extents[k]);
            panels.count *= parts_[0].plan.extents[k];
        }
    }
    void split(LoopPlan& plan, std::size_t axis, std::int64_t count) const {
        std::int64_t height = plan_.panels.height;
        plan.extents[axis] = count;
        for (PlanOperand& o : plan.operands) {
            std::int64_t stride = o.strides[axis];
            o.strides[axis] = stride * height;
            if (height > 1) o.strides.insert(axis + 1, stride);
        }
        if (height == 1) return;
        plan.extents.insert(axis + 1, height);
        plan.order.insert(axis + 1, plan.order[axis]);
        for (PlanReduction& r : plan.reductions) r.role.insert(axis + 1, 0);
    }

    // Finds bases between phases that need memory for one panel only.
    void find_panel_bases() {
        if (plan_.panels.extents.empty()) return;
        for (std::uint32_t base : between_) {
            PanelBase panel{base, 0, 0, {}};
            if (!spans_panel(panel)) continue;
            plan_.panels.bases.push_back(panel);
            std::erase(plan_.acquires, base);
            std::erase(plan_.releases, base);
            plan_.contracted.push_back(base);
            keep_in_caches(base);
        }
    }
    // Stores the base by ordinary stores: the next phase reads it.
    void keep_in_caches(std::uint32_t base) {
        for (LoweringContext& part : parts_) {
            part.plan.stream = false;
            for (PlanOperand& o : part.plan.operands) {
                if (o.home == Home::Base && o.index == base) o.stream = false;
                part.plan.stream = part.plan.stream || o.stream;
            }
        }
    }
    bool spans_panel(PanelBase& panel) const {
        std::int64_t high = 0;
        for (const LoweringContext& part : parts_) {
            for (const PlanOperand& o : part.plan.operands) {
                if (o.home != Home::Base || o.index != panel.base) continue;
                if (o.anywhere) return false;
                std::int64_t first = o.offset, last = o.offset + itemsize(o.dtype);
                for (std::size_t k = kept_; k < part.plan.extents.size(); ++k) {
                    std::int64_t far = (part.plan.extents[k] - 1) * o.strides[k];
                    (far < 0 ? first : last) += far;
                }
                Dims strides;
                for (std::size_t k = 0; k < kept_; ++k) strides.push_back(o.strides[k]);
                bool is_first = panel.strides.empty();
                if (is_first) panel.strides = strides;
                if (panel.strides != strides) return false;
                panel.offset = is_first ? first : std::min(panel.offset, first);
                high = is_first ? last : std::max(high, last);
            }
        }
        panel.bytes = high - panel.offset;
        return !panel.strides.empty() && panel.bytes <= kWidestPanel;
    }

    LoweringContext& context_;
    LoopPlan& plan_;
    std::vector<LoweringContext> parts_;
    std::vector<std::uint32_t> between_;
    const Instruction* reduction_ = nullptr;
    const Instruction* scan_ = nullptr;  // the first member that processes its elements in order
    std::size_t scan_axis_ = 0;          // of the whole space
    Dims whole_, kept_extents_;
    std::size_t kept_ = 0;
};

}  // namespace

void lower_rows(LoweringContext& context, const PhaseList& phases) {
    RowsLowering(context, phases).run();
}

}  // namespace hassium
