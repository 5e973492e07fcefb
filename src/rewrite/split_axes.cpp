// A grid along an axis of 2 n elements is a box along the second of two axes, (n, 2). The axes of
// an array are inferred from the strides of the views that write it (boxes.hpp); a map over the
// whole array has smaller strides along fewer axes, so its axis is split.
#include "rewrite/split_axes.hpp"

#include <algorithm>
#include <utility>

#include "rewrite/base_uses.hpp"
#include "rewrite/boxes.hpp"

namespace hassium {
namespace {

// The operands on a base.
struct Touching {
    struct Place {
        std::uint32_t instruction, operand;  // index in the program, index in the instruction
    };
    std::vector<Place> places;
    bool moved = false;  // some copy writes it
};

class Splitter {
  public:
    Splitter(const Program& recorded, std::int64_t least_bytes)
        : out_(recorded), least_bytes_(least_bytes), split_(recorded.instructions.size()) {}

    std::optional<Program> split() {
        const std::vector<Touching> touching = find_touching();
        bool any = false;
        for (BaseId b = 0; b < touching.size(); ++b) {
            if (touching[b].moved && out_.bases[b].bytes >= least_bytes_) {
                any |= split_for(b, touching[b]);
            }
        }
        if (!any) return std::nullopt;
        // Operands of split maps must stay boxes of their bases.
        for (bool more = true; std::exchange(more, false);) {
            for (BaseId b = 0; b < touching.size(); ++b) {
                const auto split = [&](const Touching::Place& p) { return split_[p.instruction]; };
                if (std::ranges::any_of(touching[b].places, split)) {
                    more |= split_for(b, touching[b]);
                }
            }
        }
        return std::move(out_);
    }

  private:
    Program out_;
    const std::int64_t least_bytes_;
    std::vector<bool> split_;  // per instruction

    std::vector<Touching> find_touching() const {
        std::vector<Touching> found(out_.bases.size());
        for (std::uint32_t i = 0; i < out_.instructions.size(); ++i) {
            const Instruction& instruction = out_.instructions[i];
            for (int k = 0; k < instruction.operand_count(); ++k) {
                const Operand& o = out_.operands_of(instruction)[static_cast<std::size_t>(k)];
                if (o.is_constant() || out_.bases[o.base].input || !out_.bases[o.base].dies) {
                    continue;
                }
                Touching& touching = found[o.base];
                touching.places.push_back({i, static_cast<std::uint32_t>(k)});
                touching.moved |= k < instruction.nout && is_move(out_, instruction);
            }
        }
        return found;
    }
    // Splits all maps over the base, or none; returns whether any was split.
    bool split_for(BaseId base, const Touching& touching) {
        std::vector<std::uint32_t> operands;
        for (const auto [i, k] : touching.places) {
            if (!is_map(out_.instructions[i])) return false;
            operands.push_back(out_.instructions[i].operands + k);
        }
        const std::optional<BaseAxes> axes = BaseAxes::of(out_, base, operands);
        if (!axes) return false;
        bool any = false;
        for (const auto [i, k] : touching.places) any |= split_map(i, k, *axes);
        return any;
    }
    // Splits the axes of a map as one of its operands requires.
    bool split_map(std::uint32_t i, std::uint32_t place, const BaseAxes& axes) {
        bool any = false;
        const auto view_of = [&]() -> const Operand& {
            return out_.operands[out_.instructions[i].operands + place];
        };
        for (std::size_t axis = 0; axis < view_of().ndim;) {
            const Operand& view = view_of();
            const std::int64_t factor = axes.split_of(out_, view, axis);
            if (factor == 1 || view.ndim == kMaxDims) {
                ++axis;
                continue;
            }
            split_axis(i, axis, factor);  // the outer part may need another split
            any = true;
        }
        return any;
    }
    void split_axis(std::uint32_t i, std::size_t axis, std::int64_t factor) {
        Instruction& map = out_.instructions[i];
        const auto first = static_cast<std::uint32_t>(out_.operands.size());
        for (int k = 0; k < map.operand_count(); ++k) {
            const Operand o = out_.operands_of(map)[static_cast<std::size_t>(k)];
            if (o.is_constant()) {
                out_.operands.push_back(o);
                continue;
            }
            Dims shape(out_.shape(o)), strides(out_.strides(o));
            shape[axis] /= factor;
            shape.insert(axis + 1, factor);
            strides.insert(axis + 1, strides[axis]);
            strides[axis] *= factor;
            append_view(out_, o.base, o.dtype, o.offset, shape, strides);
        }
        map.operands = first;
        split_[i] = true;
    }
};

}  // namespace

std::optional<Program> split_axes(const Program& recorded, std::int64_t least_bytes) {
    return Splitter(recorded, least_bytes).split();
}

}  // namespace hassium
