#include <algorithm>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "plan/lower/lowering_context.hpp"
#include "plan/rebind/rebind.hpp"
#include "program/axes.hpp"

namespace hassium {

// Replays lowering with the plan's own numbers, and records every test of a number.
struct Rebinding::Maker {
    const LoopPlan& plan;
    const Program& p;
    // Contents of the rebinding.
    struct Lists {
        std::vector<Index> extents, strides;
        std::vector<std::uint8_t> c_order, firsts, ends;
        std::vector<Source> sources;
        std::vector<Alias> aliases;
        std::vector<Pair> rising, crossing;
        std::vector<Joint> merged, apart;
        std::vector<Instruction> reductions;
    };
    Rebinding made = {};
    Lists out = {};
    Dims axes = {};                     // extents other than 1, in the program's order
    std::vector<Index> source_of = {};  // per operand of the plan
    std::vector<Index> strides = {};    // like out.strides, in the program's order of axes
    AxisOrder order = {};               // the program's axis of each component

    static constexpr std::size_t kMostCrossing = 64;

    Rebinding pack();

    const Instruction& instruction(const Statement& s) const {
        return p.instructions[s.instruction];
    }
    Index place(const std::int64_t* number) const {
        return static_cast<Index>(number - p.geometry.data());
    }

    bool make() {
        made.kind_ = plan.kind;
        if (plan.kind == BlockKind::System) return true;
        if (plan.kind == BlockKind::Rows) return false;
        if (plan.kind == BlockKind::Single) return find_alone();
        source_of.assign(plan.operands.size(), kStill);
        made.preferred_tile_ = preferred_tile(plan);
        return find_axes() && find_sources() && order_components() && list_neighbours() &&
               join_axes();
    }

    bool find_alone() {
        for (Index i : plan.instructions) {
            const Instruction& one = p.instructions[i];
            if (!info(one.op).is_system()) made.alone_ = one;
        }
        return true;
    }

    bool find_axes() {
        std::span<const std::int64_t> shape = p.iteration_shape(instruction(plan.statements[0]));
        for (const std::int64_t& extent : shape) {
            if (extent == 0) return false;
            if (extent == 1) continue;
            axes.push_back(extent);
            out.extents.push_back(place(&extent));
        }
        return true;
    }

    bool find_sources() {
        for (const Statement& s : plan.statements) {
            const Instruction& i = instruction(s);
            // A statement that lowering inserted before its instruction (parts of complex numbers).
            if (s.op != i.op || s.compute != i.compute) return false;
            std::span<const std::int64_t> shape = p.iteration_shape(i);
            Dims own;
            for (std::int64_t extent : shape) {
                if (extent != 1) own.push_back(extent);
            }
            auto views = static_cast<std::size_t>(i.operand_count());
            if (own != axes || s.operands.size() < views) return false;
            for (std::size_t k = 0; k < views; ++k) {
                if (!add_view(s, k, shape)) return false;
            }
            for (std::size_t k = views; k < s.operands.size(); ++k) {
                if (plan.operands[s.operands[k]].home != Home::Position) return false;
                if (source_of[s.operands[k]] == kStill) {
                    made.counts_ = true;
                    add_source(s.operands[k], kPosition, std::vector<Index>(axes.size(), kStill));
                }
            }
            if (is_reduction(i)) {
                if (static_cast<std::size_t>(s.reduction) != out.reductions.size()) return false;
                out.reductions.push_back(i);
            }
        }
        return out.reductions.size() == plan.reductions.size();
    }

    void add_source(Index operand, Index view, const std::vector<Index>& row) {
        const PlanOperand& o = plan.operands[operand];
        source_of[operand] = static_cast<Index>(out.sources.size());
        bool memory = o.home == Home::Base || o.home == Home::Position;
        out.sources.push_back({operand, view, memory});
        strides.insert(strides.end(), row.begin(), row.end());
    }

    bool add_view(const Statement& s, std::size_t k, std::span<const std::int64_t> shape) {
        const Instruction& i = instruction(s);
        Index view = i.operands + static_cast<Index>(k);
        const Operand& o = p.operands[view];
        Index operand = s.operands[k];
        if (o.is_constant()) return plan.operands[operand].home == Home::Constant;
        bool result = k == 0 && is_reduction(i);
        const bool anywhere = plan.operands[operand].anywhere;
        const std::int64_t* own = p.strides(o).data();
        if (!result && !anywhere) {
            std::span<const std::int64_t> extents = p.shape(o);
            if (!std::equal(shape.begin(), shape.end(), extents.begin(), extents.end())) {
                return false;
            }
        }
        std::vector<Index> row;
        for (std::size_t a = 0; a < shape.size(); ++a) {
            bool still = anywhere || (result && (i.axes >> a & 1) != 0);
            if (shape[a] != 1) row.push_back(still ? kStill : place(own));
            if (!still) ++own;
        }
        if (source_of[operand] == kStill) {
            add_source(operand, view, row);
            return true;
        }
        return add_alias(source_of[operand], view);
    }

    bool add_alias(Index source, Index view) {
        Index known = out.sources[source].view;
        if (known == view) return true;
        const Operand &one = p.operands[known], &other = p.operands[view];
        auto equal = [](std::span<const std::int64_t> x, std::span<const std::int64_t> y) {
            return std::equal(x.begin(), x.end(), y.begin(), y.end());
        };
        bool shapes = equal(p.shape(one), p.shape(other));
        bool raw = shapes && equal(p.strides(one), p.strides(other));
        // Strides of single elements that differ now could be equal in another program.
        if (shapes && !raw) return false;
        // The result of a reduction has axes of its own.
        if (!raw && element_count(p.shape(other)) != element_count(axes)) return false;
        out.aliases.push_back({source, view, raw});
        return true;
    }

    std::int64_t number(std::size_t source, std::size_t axis) const {
        Index at = strides[source * axes.size() + axis];
        return at == kStill ? 0 : p.geometry[at];
    }

    // Returns the output that orders the axes: the first in memory, if there is one.
    std::uint32_t leading_output() const {
        for (const Statement& s : plan.statements) {
            for (std::size_t k = 0; k < s.nout; ++k) {
                if (plan.operands[s.operands[k]].home == Home::Base) return s.operands[k];
            }
        }
        return plan.statements[0].operands[0];
    }

    // Finds the order of the nest before axes merge.
    bool order_components() {
        const std::size_t n = axes.size();
        for (std::size_t k = 0; k < n; ++k) order.push_back(static_cast<std::uint8_t>(k));
        if (!out.reductions.empty()) {
            order_by_tree();
        } else if (n > 1) {
            const Index lead = source_of[leading_output()];
            if (lead == kStill) return false;
            made.by_strides_ = true;
            made.leading_ = lead;
            Dims strides;
            for (std::size_t k = 0; k < n; ++k) strides.push_back(number(lead, k));
            order = stride_order(strides);
        }
        std::vector<Index> extents(n);
        for (std::size_t k = 0; k < n; ++k) extents[k] = out.extents[order[k]];
        out.extents = std::move(extents);
        out.strides.resize(strides.size());
        for (std::size_t at = 0; at < strides.size(); at += n) {
            for (std::size_t k = 0; k < n; ++k) out.strides[at + k] = strides[at + order[k]];
        }
        for (std::size_t axis = n; axis-- > 0;) {
            auto at = std::find(order.begin(), order.end(), static_cast<std::uint8_t>(axis));
            out.c_order.push_back(static_cast<std::uint8_t>(at - order.begin()));
        }
        return true;
    }

    void order_by_tree() {
        std::span<const std::int64_t> shape = p.iteration_shape(out.reductions[0]);
        SmallVec<std::uint8_t, 8> number_of(shape.size(), 0);
        std::uint8_t next = 0;
        for (std::size_t a = 0; a < shape.size(); ++a) {
            number_of[a] = next;
            if (shape[a] != 1) ++next;
        }
        std::size_t at = 0;
        for (std::uint8_t a : plan.reductions[0].tree.order) {
            if (shape[a] != 1) order[at++] = number_of[a];
        }
    }

    // Orders views of one base and dtype by their offsets.
    bool list_neighbours() {
        std::vector<Index> views;
        for (Index s = 0; s < out.sources.size(); ++s) {
            if (out.sources[s].view != kPosition) views.push_back(s);
        }
        auto key = [&](Index s) {
            const Operand& o = p.operands[out.sources[s].view];
            return std::tuple(o.base, o.dtype, o.offset);
        };
        std::sort(views.begin(), views.end(), [&](Index a, Index b) { return key(a) < key(b); });
        for (std::size_t k = 1; k < views.size(); ++k) {
            auto [base, dtype, offset] = key(views[k]);
            auto [last_base, last_dtype, last_offset] = key(views[k - 1]);
            if (base != last_base || dtype != last_dtype) continue;
            if (offset != last_offset) out.rising.push_back({views[k - 1], views[k]});
            for (std::size_t j = k; j-- > 0 && key(views[j]) == key(views[k]);) {
                out.crossing.push_back({views[j], views[k]});
            }
            if (out.crossing.size() > kMostCrossing) return false;
        }
        return true;
    }

    // Merges twice, like lowering, and moves kept axes in between.
    struct Group {
        std::uint8_t first, end, role;
    };
    bool join_axes() {
        std::vector<Group> groups;
        for (std::size_t k = 0; k < order.size(); ++k) {
            auto at = static_cast<std::uint8_t>(k);
            groups.push_back({at, static_cast<std::uint8_t>(at + 1), role_of(order[k])});
        }
        if (!merge(groups)) return false;
        if (!plan.reductions.empty() && !plan.reductions[0].tree.row_form && !groups.empty()) {
            std::stable_partition(groups.begin(), groups.end() - 1,
                                  [](const Group& g) { return g.role == 0; });
            if (!merge(groups)) return false;
        }
        for (const Group& g : groups) {
            out.firsts.push_back(g.first);
            out.ends.push_back(g.end);
        }
        return true;
    }

    std::uint8_t role_of(std::uint8_t component) const {
        if (plan.reductions.empty()) return 0;
        const Instruction& i = out.reductions[0];
        const ReductionTree& tree = plan.reductions[0].tree;
        std::span<const std::int64_t> shape = p.iteration_shape(i);
        std::size_t axis = 0;
        for (std::size_t left = component;; ++axis) {
            if (shape[axis] != 1 && left-- == 0) break;
        }
        return tree.role(tree.place(axis), i.axes);
    }

    std::int64_t stride(std::size_t source, std::size_t component) const {
        if (out.sources[source].view != kPosition) return number(source, order[component]);
        std::int64_t inside = 1;
        for (std::size_t axis = order[component] + 1u; axis < axes.size(); ++axis) {
            inside *= axes[axis];
        }
        return inside;
    }

    // Returns false if groups of components that are not adjacent would have to merge.
    bool merge(std::vector<Group>& groups) {
        for (std::size_t outer = groups.size(); outer-- > 0;) {
            if (outer + 1 >= groups.size()) continue;
            const Group g = groups[outer], h = groups[outer + 1];
            if (g.role != h.role) continue;
            std::int64_t inside = 1;
            for (std::size_t c = h.first; c < h.end; ++c) inside *= axes[order[c]];
            Joint joint{static_cast<std::uint8_t>(g.end - 1), h.first, h.end};
            bool joins = true;
            for (Index s = 0; s < out.sources.size() && joins; ++s) {
                joins = carries(stride(s, joint.outer), stride(s, joint.end - 1u), inside);
                joint.witness = s;
            }
            (joins ? out.merged : out.apart).push_back(joint);
            if (!joins) continue;
            if (g.end != h.first) return false;
            groups[outer + 1].first = g.first;
            groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(outer));
        }
        return true;
    }
};

// Copies the lists into one allocation.
Rebinding Rebinding::Maker::pack() {
    std::size_t bytes = 0;
    auto place = [&](const auto& list) {
        using T = typename std::decay_t<decltype(list)>::value_type;
        bytes = (bytes + alignof(T) - 1) / alignof(T) * alignof(T);
        std::size_t at = bytes;
        bytes += list.size() * sizeof(T);
        return at;
    };
    auto each = [&](auto&& use) {
        use(out.extents, made.extents_);
        use(out.strides, made.strides_);
        use(out.sources, made.sources_);
        use(out.aliases, made.aliases_);
        use(out.rising, made.rising_);
        use(out.crossing, made.crossing_);
        use(out.merged, made.merged_);
        use(out.apart, made.apart_);
        use(out.reductions, made.reductions_);
        use(out.c_order, made.c_order_);
        use(out.firsts, made.firsts_);
        use(out.ends, made.ends_);
    };
    each([&](const auto& list, auto&) { place(list); });
    made.memory_ = std::make_unique<std::byte[]>(bytes);
    bytes = 0;
    each([&](const auto& list, auto& to) {
        using T = typename std::decay_t<decltype(list)>::value_type;
        auto* at = reinterpret_cast<T*>(made.memory_.get() + place(list));
        std::uninitialized_copy(list.begin(), list.end(), at);
        to = {at, list.size()};
    });
    return std::move(made);
}

std::optional<Rebinding> Rebinding::of(const LoopPlan& plan, const Program& program,
                                       const BaseUses& uses) {
    auto held = [&](Rebinding& rebinding) {
        LoopPlan again = plan;
        if (!rebinding.apply(again, program, uses)) return false;
        again.sweep = plan.sweep;
        return again == plan;
    };
    Maker maker{plan, program};
    if (maker.make() && (maker.out.ends.size() == plan.extents.size() || maker.axes.empty())) {
        Rebinding rebinding = maker.pack();
        if (held(rebinding)) return rebinding;
    }
    std::optional<OffsetRebinding> moved = OffsetRebinding::of(plan, program);
    if (!moved) return std::nullopt;
    Rebinding rebinding;
    rebinding.moved_ = std::make_unique<const OffsetRebinding>(std::move(*moved));
    if (!held(rebinding)) return std::nullopt;
    return rebinding;
}

}  // namespace hassium
