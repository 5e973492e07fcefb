#include "plan/rebind/congruence.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "program/word_hash.hpp"

namespace hassium {
namespace {

// A one-to-one correspondence between the bases of two blocks.
class Names {
  public:
    // Returns false if one of them corresponds to another base already.
    bool pair(BaseId own, BaseId model) {
        for (const auto& [a, b] : pairs_) {
            if (a == own || b == model) return a == own && b == model;
        }
        pairs_.emplace_back(own, model);
        return true;
    }

  private:
    std::vector<std::pair<BaseId, BaseId>> pairs_;
};

std::vector<const Instruction*> computing(const LoopPlan& plan, const Program& program) {
    std::vector<const Instruction*> found;
    for (std::uint32_t index : plan.instructions) {
        const Instruction& i = program.instructions[index];
        if (!info(i.op).is_system()) found.push_back(&i);
    }
    return found;
}

bool same_row(const Instruction& a, const Instruction& b) {
    return a.op == b.op && a.method == b.method && a.compute == b.compute && a.nout == b.nout &&
           a.nin == b.nin && a.masked == b.masked && a.axes == b.axes;
}

bool same_numbers(const std::int64_t* a, const std::int64_t* b, std::size_t count) {
    return std::equal(a, a + count, b);
}

// Returns whether the plans are equal up to base names and to fields that concern other blocks.
bool same_plan(const LoopPlan& model, const LoopPlan& plan, Names& names, const BaseUses& uses) {
    if (plan.operands.size() != model.operands.size()) return false;
    if (plan.statements.size() != model.statements.size()) return false;
    LoopPlan renamed = plan;
    for (std::size_t k = 0; k < plan.operands.size(); ++k) {
        PlanOperand& o = renamed.operands[k];
        const PlanOperand& other = model.operands[k];
        if (o.home == Home::Base && other.home == Home::Base) {
            if (!names.pair(o.index, other.index)) return false;
            if (uses.computed[o.index] != uses.computed[other.index]) return false;
            o.index = other.index;
        }
        if (o.home == Home::Constant && other.home == Home::Constant) o.index = other.index;
    }
    for (std::size_t k = 0; k < plan.statements.size(); ++k) {
        renamed.statements[k].instruction = model.statements[k].instruction;
    }
    renamed.sweep = model.sweep;
    renamed.acquires = model.acquires;
    renamed.releases = model.releases;
    renamed.contracted = model.contracted;
    renamed.instructions = model.instructions;
    return renamed == model;
}

}  // namespace

bool Congruence::add(const Program& program, const Instruction& model, const Instruction& own) {
    const auto count = static_cast<std::uint32_t>(own.operand_count());
    std::uint32_t words = 0, own_geometry = 0, model_geometry = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
        const Operand& o = program.operands[own.operands + k];
        const Operand& other = program.operands[model.operands + k];
        if (o.is_constant()) continue;
        if (words == 0) {
            own_geometry = o.geometry;
            model_geometry = other.geometry;
        }
        // Recording makes geometry contiguous.
        if (o.geometry != own_geometry + words || other.geometry != model_geometry + words) {
            return false;
        }
        words += 2u * o.ndim;
    }
    if (!stretches_.empty()) {
        Stretch& last = stretches_.back();
        const bool follows =
            own.operands == last.own + last.count && model.operands == last.model + last.count;
        const bool numbers_follow = own_geometry == last.own_geometry + last.words &&
                                    model_geometry == last.model_geometry + last.words;
        if (follows && numbers_follow) {
            last.count += count;
            last.words += words;
            return true;
        }
    }
    stretches_.push_back(
        {own.operands, model.operands, count, own_geometry, model_geometry, words});
    return true;
}

std::optional<Congruence> Congruence::of(std::uint32_t model, const LoopPlan& model_plan,
                                         const LoopPlan& plan, const Program& program,
                                         const BaseUses& uses) {
    if (plan.kind != BlockKind::Nest || model_plan.kind != BlockKind::Nest) return std::nullopt;
    const std::vector<const Instruction*> own = computing(plan, program);
    const std::vector<const Instruction*> others = computing(model_plan, program);
    if (own.size() != others.size()) return std::nullopt;
    Congruence made;
    made.model_ = model;
    Names names;
    for (std::size_t k = 0; k < own.size(); ++k) {
        if (!same_row(*own[k], *others[k])) return std::nullopt;
        std::span<const Operand> views = program.operands_of(*own[k]);
        std::span<const Operand> known = program.operands_of(*others[k]);
        for (std::size_t v = 0; v < views.size(); ++v) {
            if (views[v].dtype != known[v].dtype || views[v].ndim != known[v].ndim ||
                views[v].is_constant() != known[v].is_constant() ||
                !names.pair(views[v].base, known[v].base)) {
                return std::nullopt;
            }
        }
        if (!made.add(program, *others[k], *own[k])) return std::nullopt;
    }
    if (!made.holds(program) || !same_plan(model_plan, plan, names, uses)) return std::nullopt;
    return made;
}

bool Congruence::holds(const Program& program) const {
    for (const Stretch& s : stretches_) {
        const Operand *own = program.operands.data() + s.own,
                      *model = program.operands.data() + s.model;
        std::int64_t different = 0;
        for (std::uint32_t k = 0; k < s.count; ++k) {
            const std::int64_t apart = own[k].offset ^ model[k].offset;
            different |= own[k].is_constant() ? 0 : apart;
        }
        if (different != 0) return false;
        const std::int64_t* geometry = program.geometry.data();
        if (!same_numbers(geometry + s.own_geometry, geometry + s.model_geometry, s.words)) {
            return false;
        }
    }
    return true;
}

std::uint64_t congruence_key(const LoopPlan& plan) {
    WordHash hash(static_cast<std::uint64_t>(plan.kind));
    for (const Statement& s : plan.statements) {
        hash.add(static_cast<std::uint64_t>(s.op) | static_cast<std::uint64_t>(s.method) << 16 |
                 static_cast<std::uint64_t>(s.compute) << 24);
        for (std::uint32_t k : s.operands) hash.add(k);
    }
    for (const PlanOperand& o : plan.operands) {
        hash.add(static_cast<std::uint64_t>(o.dtype) | static_cast<std::uint64_t>(o.home) << 8);
    }
    for (std::int64_t extent : plan.extents) hash.add(static_cast<std::uint64_t>(extent));
    return hash.value();
}

void take_numbers(LoopPlan& plan, const LoopPlan& model) {
    if (plan.sweep.rows > 0) plan.sweep = {};
    plan.extents = model.extents;
    PlanOperand* own = plan.operands.data();
    for (const PlanOperand& o : model.operands) {
        own->stream = o.stream;
        own->ahead = o.ahead;
        own->lanes = o.lanes;
        own->lane = o.lane;
        own->offset = o.offset;
        own->strides = o.strides;
        ++own;
    }
    for (std::size_t k = 0; k < plan.reductions.size(); ++k) {
        PlanReduction& r = plan.reductions[k];
        const PlanReduction& known = model.reductions[k];
        r.tree = known.tree;
        r.extents = known.extents;
        r.strides = known.strides;
    }
    plan.span = model.span;
    plan.swept = model.swept;
    plan.tile = model.tile;
    plan.unit = model.unit;
    plan.run = model.run;
    plan.bytes = model.bytes;
    plan.seconds = model.seconds;
    plan.stream = model.stream;
    plan.ahead = model.ahead;
}

}  // namespace hassium
