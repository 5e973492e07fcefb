// Copy coalescing: an array that is copied into its place in another one is computed there.
//
// `pad` of a computed array copies it into the middle of its result, and fills the rims from it.
// The rims need the array in memory, so without this pass it is written twice and read once more.
//
// A base is coalesced with the target of a copy when
//
//   - it is new, dies in the program, and only maps write and read it;
//   - one copy without a cast moves all of it into a view whose rows are dense;
//   - it is written before the copy alone, and read by an instruction besides the copy: otherwise
//     both share a block, which keeps the array out of memory anyway (fuse/legal/legal.hpp);
//   - from its first write to the copy, nothing else touches that part of the target, and nothing
//     writes to that part until its last reader has run.
//
// All its views become views of the target, and the copy is omitted. Results are bit-identical.
#include <algorithm>
#include <ranges>

#include "program/overlap.hpp"
#include "rewrite/base_uses.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

class Coalescer {
  public:
    Coalescer(const Program& recorded, std::int64_t least)
        : in_(recorded), uses_(recorded, least), places_(uses_.size()), least_(least) {}

    std::optional<RewrittenProgram> coalesce() {
        bool any = false;
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) any |= coalesce(i);
        if (!any) return std::nullopt;
        made_ = without_instructions(in_);
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) emit(i);
        return std::move(made_);
    }

  private:
    // An axis of a base, and the strides along it there and in the target.
    struct Axis {
        std::int64_t extent, stride, target;
    };
    using Axes = SmallVec<Axis, 8>;  // outermost first
    // Where a base lies in another one.
    struct Place {
        std::uint32_t copy;  // index of the instruction that is omitted
        Axes axes;
    };
    // A view of the base as one of the target.
    struct Moved {
        std::int64_t offset;
        Dims strides;
    };

    const Program& in_;
    ProgramUses uses_;
    std::vector<std::optional<Place>> places_;  // per base
    std::vector<std::uint32_t> copies_;         // that are omitted
    std::int64_t least_;
    RewrittenProgram made_;
    Program& out_ = made_.program;

    Extent extent_of(const Operand& o) const {
        return {o.offset, itemsize(o.dtype), in_.shape(o), in_.strides(o)};
    }

    // Coalesces the source of the copy `i` with its target, if `i` is a copy that allows it.
    bool coalesce(std::uint32_t i) {
        const Instruction& copy = in_.instructions[i];
        if (!is_move(in_, copy) || in_.inputs(copy)[0].is_constant()) return false;
        const Operand &to = in_.outputs(copy)[0], &from = in_.inputs(copy)[0];
        if (to.base == from.base || places_[from.base] || places_[to.base]) return false;
        if (is_target(from.base)) return false;
        if (!is_temporary(from.base, i)) return false;
        std::optional<Axes> axes = axes_of(to, from);
        if (!axes) return false;
        const Place place{i, *std::move(axes)};
        auto moves = [&](std::uint32_t o) { return moved(place, in_.operands[o]).has_value(); };
        if (!std::ranges::all_of(uses_[from.base].operands, moves)) return false;
        if (!keeps(to, i) || !is_apart(to)) return false;
        places_[from.base] = place;
        copies_.push_back(i);
        return true;
    }

    bool is_temporary(BaseId base, std::uint32_t copy) const {
        const BaseUse& use = uses_[base];
        const BaseInfo& what = in_.bases[base];
        if (what.input || !what.dies || what.bytes < least_) return false;
        if (use.writers.empty() || use.writers.back() >= copy || use.readers.size() < 2) {
            return false;
        }
        auto maps = [&](std::uint32_t i) { return is_map(in_.instructions[i]); };
        return std::ranges::all_of(use.writers, maps) && std::ranges::all_of(use.readers, maps);
    }

    // Returns the axes of the base that the copy reads; none if it does not read all of the base,
    // in rows that are dense in the target.
    std::optional<Axes> axes_of(const Operand& to, const Operand& from) const {
        Axes axes;
        for (std::size_t j = 0; j < from.ndim; ++j) {
            if (in_.shape(from)[j] == 1) continue;
            axes.push_back({in_.shape(from)[j], in_.strides(from)[j], in_.strides(to)[j]});
        }
        std::ranges::sort(axes, std::greater(), &Axis::stride);
        std::int64_t bytes = itemsize(from.dtype);
        for (const Axis& axis : std::views::reverse(axes)) {
            if (axis.stride != bytes) return std::nullopt;
            bytes *= axis.extent;
        }
        const bool all = from.offset == 0 && bytes == in_.bases[from.base].bytes;
        const bool dense = !axes.empty() && axes.back().target == itemsize(to.dtype);
        return all && dense ? std::optional(std::move(axes)) : std::nullopt;
    }

    // Returns the view of a base in its place; none if it runs over the end of an axis into the
    // next.
    std::optional<Moved> moved(const Place& place, const Operand& view) const {
        Moved moved{in_.outputs(in_.instructions[place.copy])[0].offset, Dims(view.ndim, 0)};
        SmallVec<std::int64_t, 8> first, last;  // positions along the axes
        std::int64_t left = view.offset;
        for (const Axis& axis : place.axes) {
            first.push_back(left / axis.stride);
            last.push_back(left / axis.stride);
            moved.offset += left / axis.stride * axis.target;
            left %= axis.stride;
        }
        if (left != 0 || itemsize(view.dtype) != place.axes.back().stride) return std::nullopt;
        for (std::size_t j = 0; j < view.ndim; ++j) {
            const std::int64_t extent = in_.shape(view)[j], stride = in_.strides(view)[j];
            if (extent < 2 || stride == 0) continue;
            const auto fits = [&](const Axis& axis) { return stride % axis.stride == 0; };
            const auto at = std::ranges::find_if(place.axes, fits);
            if (at == place.axes.end()) return std::nullopt;
            const std::int64_t step = stride / at->stride;
            moved.strides[j] = step * at->target;
            const auto k = static_cast<std::size_t>(at - place.axes.begin());
            (step < 0 ? first : last)[k] += step * (extent - 1);
        }
        for (std::size_t k = 0; k < first.size(); ++k) {
            if (first[k] < 0 || last[k] >= place.axes[k].extent) return std::nullopt;
        }
        return moved;
    }

    // Returns whether the part of the target is the base's alone while that is in use.
    bool keeps(const Operand& to, std::uint32_t copy) const {
        const BaseUse& use = uses_[in_.inputs(in_.instructions[copy])[0].base];
        const Extent part = extent_of(to);
        for (std::uint32_t i = use.writers.front(); i <= use.readers.back(); ++i) {
            if (i == copy) continue;
            const Instruction& other = in_.instructions[i];
            const std::span<const Operand> operands = in_.operands_of(other);
            for (std::size_t k = 0; k < operands.size(); ++k) {
                const Operand& o = operands[k];
                if (o.is_constant() || o.base != to.base || (i > copy && k >= other.nout)) continue;
                if (may_overlap(extent_of(o), part)) return false;
            }
        }
        return true;
    }

    // Returns whether another base has a place in this one, which must then stay where it is.
    bool is_target(BaseId base) const {
        return std::ranges::any_of(copies_, [&](std::uint32_t i) {
            return in_.outputs(in_.instructions[i])[0].base == base;
        });
    }

    // Returns whether no other base has a place in that part of the target.
    bool is_apart(const Operand& to) const {
        return std::ranges::none_of(copies_, [&](std::uint32_t i) {
            const Operand& other = in_.outputs(in_.instructions[i])[0];
            return other.base == to.base && may_overlap(extent_of(other), extent_of(to));
        });
    }

    void emit(std::uint32_t i) {
        if (std::ranges::find(copies_, i) != copies_.end()) return;
        Instruction copy = in_.instructions[i];
        const std::span<const Operand> operands = in_.operands_of(copy);
        auto moves = [&](const Operand& o) { return !o.is_constant() && places_[o.base]; };
        if (std::ranges::any_of(operands, moves)) {
            const auto first = static_cast<std::uint32_t>(out_.operands.size());
            for (const Operand& o : operands) {
                if (moves(o)) {
                    append_moved(o);
                } else {
                    out_.operands.push_back(o);
                }
            }
            copy.operands = first;
        }
        made_.append(in_, i, copy);
    }

    void append_moved(const Operand& o) {
        const Place& place = *places_[o.base];
        const Moved view = *moved(place, o);
        const BaseId target = in_.outputs(in_.instructions[place.copy])[0].base;
        append_view(out_, target, o.dtype, view.offset, in_.shape(o), view.strides);
    }
};

}  // namespace

// Returns the program in which temporaries of at least `least_bytes` are computed where they are
// copied to; none if there are no such copies.
std::optional<RewrittenProgram> coalesce_copies(const Program& recorded, std::int64_t least_bytes) {
    const bool any = std::ranges::any_of(recorded.instructions, [&](const Instruction& i) {
        if (!is_move(recorded, i) || recorded.inputs(i)[0].is_constant()) return false;
        const BaseInfo& base = recorded.bases[recorded.inputs(i)[0].base];
        return !base.input && base.dies && base.bytes >= least_bytes;
    });
    return any ? Coalescer(recorded, least_bytes).coalesce() : std::nullopt;
}

}  // namespace hassium
