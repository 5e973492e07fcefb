// A grid along an axis of 2 n elements is a box along the second of two axes, (n, 2). The axes of
// an array are inferred from the strides of the views that write it (boxes.hpp); a map over the
// whole array has smaller strides along fewer axes, so its axis is split. Of 2 n + 1 elements, the
// last is computed apart. Where a view begins inside a pair, as fine[1:] does, its even and its odd
// elements are computed apart.
#include "rewrite/split_axes.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "rewrite/base_uses.hpp"
#include "rewrite/boxes.hpp"

namespace hassium {
namespace {

// More instructions take too long to partition.
constexpr std::size_t kMostParts = 4096;

class Splitter {
  public:
    Splitter(const Program& recorded, std::int64_t least_bytes)
        : in_(recorded), least_bytes_(least_bytes), made_(without_instructions(recorded)) {
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
            parts_.push_back({in_.instructions[i], i, false});
        }
    }

    std::optional<RewrittenProgram> split() {
        find_places();
        bool any = false;
        for (BaseId b = 0; b < places_.size(); ++b) {
            if (moved_[b] && in_.bases[b].bytes >= least_bytes_) any |= split_for(b, true);
        }
        if (!any) return std::nullopt;
        // Operands of split maps must stay boxes of their bases.
        for (bool more = true; std::exchange(more, false);) {
            for (BaseId b = 0; b < places_.size(); ++b) {
                const auto split = [&](const Place& p) { return parts_[p.part].split; };
                if (std::ranges::any_of(places_[b], split)) more |= split_for(b, false);
            }
        }
        if (parts_.size() > kMostParts) return std::nullopt;
        std::ranges::stable_sort(parts_, {}, &Part::from);
        for (const Part& part : parts_) made_.append(in_, part.from, part.map);
        return std::move(made_);
    }

  private:
    // An instruction of the recorded program, or some of its elements.
    struct Part {
        Instruction map;
        std::uint32_t from;  // index in the recorded program
        bool split;
    };
    // An operand of a part.
    struct Place {
        std::uint32_t part, operand;
    };

    const Program& in_;
    const std::int64_t least_bytes_;
    RewrittenProgram made_;
    Program& out_ = made_.program;
    std::vector<Part> parts_;
    std::vector<std::vector<Place>> places_;  // per base that is made and dies
    std::vector<bool> moved_;                 // per base: some copy writes it

    bool is_tracked(const Operand& o) const {
        return !o.is_constant() && !in_.bases[o.base].input && in_.bases[o.base].dies;
    }
    void find_places() {
        places_.resize(in_.bases.size());
        moved_.resize(in_.bases.size());
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
            const Instruction& instruction = in_.instructions[i];
            add_places(i, instruction);
            if (!is_move(in_, instruction)) continue;
            for (const Operand& out : in_.outputs(instruction)) moved_[out.base] = true;
        }
    }
    void add_places(std::uint32_t part, const Instruction& instruction) {
        const std::span<const Operand> operands = out_.operands_of(instruction);
        for (std::uint32_t k = 0; k < operands.size(); ++k) {
            if (is_tracked(operands[k])) places_[operands[k].base].push_back({part, k});
        }
    }
    const Operand& operand_at(const Place& place) const {
        return out_.operands[parts_[place.part].map.operands + place.operand];
    }

    // Splits the maps over the base whose views become boxes by that; if `all`, either all of them
    // or none. Returns whether any was split.
    bool split_for(BaseId base, bool all) {
        std::vector<std::uint32_t> operands;
        for (const Place& place : places_[base]) {
            const Instruction& map = parts_[place.part].map;
            if (!is_map(map)) return false;
            operands.push_back(map.operands + place.operand);
        }
        const std::optional<BaseAxes> axes = BaseAxes::of(out_, base, operands);
        const auto becomes_boxes = [&](const Place& place) {
            std::size_t left = kMostParts;
            return is_box_when_split(StridedView::of(out_, operand_at(place)), *axes, left);
        };
        if (!axes || (all && !std::ranges::all_of(places_[base], becomes_boxes))) return false;
        bool any = false;
        // Parts that are cut off have their places behind those that there are.
        for (std::size_t p = 0; p < places_[base].size() && parts_.size() <= kMostParts; ++p) {
            const Place place = places_[base][p];
            if (all || becomes_boxes(place)) any |= split_map(place, *axes);
        }
        return any;
    }
    // Returns whether the view becomes boxes, of which there may be `left`.
    static bool is_box_when_split(StridedView view, const BaseAxes& axes, std::size_t& left) {
        if (left-- == 0) return false;
        for (std::size_t axis = 0; axis < view.shape.size();) {
            const AxisSplit split = axes.split_of(view, axis);
            if (split.factor == 1) {
                ++axis;
                continue;
            }
            if (view.shape.size() == kMaxDims) return false;
            std::vector<StridedView> views = view.split(axis, split);
            view = std::move(views[0]);
            const auto is_box = [&](const StridedView& v) {
                return is_box_when_split(v, axes, left);
            };
            if (!std::ranges::all_of(views | std::views::drop(1), is_box)) return false;
        }
        return axes.find(view).has_value();
    }
    // Splits the axes of a map as one of its operands requires; returns whether there were any.
    bool split_map(const Place& place, const BaseAxes& axes) {
        bool any = false;
        for (std::size_t axis = 0; axis < operand_at(place).ndim;) {
            const StridedView view = StridedView::of(out_, operand_at(place));
            const AxisSplit split = axes.split_of(view, axis);
            // Another operand of the map may have split it before.
            if (split.factor == 1 || view.shape.size() == kMaxDims) {
                ++axis;
                continue;
            }
            split_axis(place.part, axis, split);  // the outer part may need another split
            any = true;
        }
        return any;
    }
    // Replaces a part by the first of those that it is split into, and adds the others.
    void split_axis(std::uint32_t part, std::size_t axis, AxisSplit split) {
        const Part whole = parts_[part];
        const auto count = static_cast<std::uint32_t>(whole.map.operand_count());
        std::vector<std::vector<StridedView>> views(count);  // per operand
        for (std::uint32_t k = 0; k < count; ++k) {
            const Operand& o = out_.operands[whole.map.operands + k];
            if (!o.is_constant()) views[k] = StridedView::of(out_, o).split(axis, split);
        }
        for (std::size_t n = 0; n < views[0].size(); ++n) {
            Part made{whole.map, whole.from, true};
            made.map.operands = static_cast<std::uint32_t>(out_.operands.size());
            for (std::uint32_t k = 0; k < count; ++k) {
                const Operand o = out_.operands[whole.map.operands + k];
                if (o.is_constant()) {
                    out_.operands.push_back(o);
                } else {
                    const StridedView& view = views[k][n];
                    append_view(out_, o.base, o.dtype, view.offset, view.shape, view.strides);
                }
            }
            if (n == 0) {
                parts_[part] = made;
            } else {
                add_places(static_cast<std::uint32_t>(parts_.size()), made.map);
                parts_.push_back(made);
            }
        }
    }
};

}  // namespace

std::optional<RewrittenProgram> split_axes(const Program& recorded, std::int64_t least_bytes) {
    return Splitter(recorded, least_bytes).split();
}

}  // namespace hassium
