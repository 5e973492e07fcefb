#include "rewrite/base_uses.hpp"

#include <algorithm>
#include <utility>

namespace hassium {

bool same_operand(const Program& program, const Operand& a, const Operand& b) {
    return !a.is_constant() && a.base == b.base && a.dtype == b.dtype && a.offset == b.offset &&
           std::ranges::equal(program.shape(a), program.shape(b)) &&
           std::ranges::equal(program.strides(a), program.strides(b));
}

bool is_move(const Program& p, const Instruction& i) {
    return is_map(i) && info(i.op).rule == DTypeRule::Any && !i.masked &&
           p.outputs(i)[0].dtype == p.inputs(i)[0].dtype;
}

ProgramUses::ProgramUses(const Program& program, std::int64_t least)
    : program_(program), uses_(program.bases.size()) {
    for (std::uint32_t i = 0; i < program_.instructions.size(); ++i) {
        const Instruction& instruction = program_.instructions[i];
        for (int k = 0; k < instruction.operand_count(); ++k) {
            const std::uint32_t index = instruction.operands + static_cast<std::uint32_t>(k);
            const Operand& o = program_.operands[index];
            if (o.is_constant()) continue;
            BaseUse& use = uses_[o.base];
            use.operands.push_back(index);
            (k < instruction.nout ? use.writers : use.readers).push_back(i);
        }
    }
    find_left_out(least);
}

void ProgramUses::find_left_out(std::int64_t least) {
    any_ = false;
    for (BaseId b = 0; b < uses_.size(); ++b) {
        uses_[b].left_out = may_be_left_out(b, least);
        any_ = any_ || uses_[b].left_out;
    }
    // Each base that stays may keep others from being omitted, so iterate to a fixed point.
    for (bool changed = any_; changed;) {
        changed = any_ = false;
        find_ends();
        for (BaseUse& use : uses_) {
            if (!use.left_out) continue;
            use.left_out = sources_last(use) && (use.writers.size() > 1 || only_moves_on(use));
            changed = changed || !use.left_out;
            any_ = any_ || use.left_out;
        }
    }
}

bool ProgramUses::may_be_left_out(BaseId base, std::int64_t least) {
    BaseUse& use = uses_[base];
    const BaseInfo& what = program_.bases[base];
    if (what.input || !what.dies || what.bytes < least) return false;
    if (use.writers.empty() || use.writers.size() > kMostCells || use.readers.empty()) return false;
    if (use.writers.back() >= use.readers.front()) return false;
    auto moves = [&](std::uint32_t i) { return is_move(program_, program_.instructions[i]); };
    auto maps = [&](std::uint32_t i) { return is_map(program_.instructions[i]); };
    if (!std::ranges::all_of(use.writers, moves) || !std::ranges::all_of(use.readers, maps)) {
        return false;
    }
    const DType dtype = program_.operands[use.operands[0]].dtype;
    for (std::uint32_t index : use.operands) {
        if (program_.operands[index].dtype != dtype) return false;
    }
    use.axes = BaseAxes::of(program_, base, use.operands);
    return use.axes && is_covered(use);
}

// Returns whether every read shows only elements that were written.
bool ProgramUses::is_covered(const BaseUse& use) const {
    std::vector<Box> written;
    for (std::uint32_t i : use.writers) {
        const Operand& out = program_.outputs(program_.instructions[i])[0];
        const auto view = use.axes->find(program_, out);
        if (!view) return false;
        std::vector<Box> left{view->box};
        for (const Box& other : written) {
            for (Box& part : other.without(view->box)) left.push_back(std::move(part));
        }
        written = std::move(left);
    }
    for (std::uint32_t index : use.operands) {
        const Operand& o = program_.operands[index];
        const auto view = use.axes->find(program_, o);
        if (!view) return false;
        std::int64_t volume = 0;
        for (const Box& box : written) volume += view->box.meet(box).volume();
        if (volume != view->box.volume()) return false;
    }
    return true;
}
// Walks backwards: a base copied into an omitted one lives as long as that.
void ProgramUses::find_ends() {
    for (std::size_t b = uses_.size(); b-- > 0;) uses_[b].until = -1;
    for (std::size_t i = program_.instructions.size(); i-- > 0;) {
        const Instruction& instruction = program_.instructions[i];
        auto end = static_cast<std::int64_t>(i);
        for (const Operand& out : program_.outputs(instruction)) {
            const BaseUse& to = uses_[out.base];
            if (to.left_out) end = std::max(end, to.until);
        }
        for (const Operand& o : program_.operands_of(instruction).subspan(instruction.nout)) {
            if (!o.is_constant()) uses_[o.base].until = std::max(uses_[o.base].until, end);
        }
    }
}

bool ProgramUses::sources_last(const BaseUse& use) const {
    return std::ranges::all_of(use.writers, [&](std::uint32_t i) {
        const Operand& source = program_.inputs(program_.instructions[i])[0];
        if (source.is_constant()) return true;
        return std::ranges::none_of(uses_[source.base].writers, [&](std::uint32_t w) {
            return w > i && static_cast<std::int64_t>(w) <= use.until;
        });
    });
}

// Returns whether all readers copy into omitted bases; otherwise a plain copy stays.
bool ProgramUses::only_moves_on(const BaseUse& use) const {
    return std::ranges::all_of(use.readers, [&](std::uint32_t i) {
        return uses_[program_.outputs(program_.instructions[i])[0].base].left_out;
    });
}

// Walks backwards: an instruction is marked if its result dies and a non-map, or a marked map,
// reads it.
std::vector<bool> ProgramUses::wanted_by_others() const {
    std::vector<bool> wanted(program_.instructions.size(), false);
    for (std::size_t i = program_.instructions.size(); i-- > 0;) {
        for (const Operand& out : program_.outputs(program_.instructions[i])) {
            if (program_.bases[out.base].input || !program_.bases[out.base].dies) continue;
            for (std::uint32_t r : uses_[out.base].readers) {
                if (r > i && (!is_map(program_.instructions[r]) || wanted[r])) {
                    wanted[i] = true;
                }
            }
        }
    }
    return wanted;
}

}  // namespace hassium
