// Contraction: finds the bases that live and die in the block, and assigns tile slots to them.
//
// A base is contracted if every access to it in the program is in this block, it is new, deleted
// here, never synced, and read only through views that the block wrote before: then its memory is
// unobservable. Slots are assigned by linear scan over the statements: a slot is free again after
// the last statement that uses its view.
#include <algorithm>

#include "base/error.hpp"
#include "plan/lower/lowering_context.hpp"
#include "program/axes.hpp"
#include "program/component.hpp"

namespace hassium {
namespace {

struct BaseUse {
    BaseId base;
    std::uint32_t accesses = 0;  // operands in this block
    bool deleted = false;
    bool synced = false;
    bool candidate = true;
    SmallVec<const Operand*, 2> writes = {};  // distinct views of it that the block wrote so far
};

BaseUse& use_of(const LoweringContext& context, std::vector<BaseUse>& uses, BaseId base) {
    Lowering::Note& note = context.lowering.note(base);
    if (note.use == Lowering::kNothing) {
        note.use = static_cast<std::uint32_t>(uses.size());
        uses.push_back({base});
    }
    return uses[note.use];
}

bool same_view(const Program& p, const Operand& a, const Operand& b) {
    auto extent = [&p](const Operand& o) {
        return Extent{o.offset, itemsize(o.dtype), p.shape(o), p.strides(o)};
    };
    return a.dtype == b.dtype && same_elements(extent(a), extent(b));
}

bool written(const Program& p, const BaseUse& use, const Operand& view) {
    return std::any_of(use.writes.begin(), use.writes.end(), [&](const Operand* w) {
        return same_view(p, *w, view) || component_of(p, *w, view) >= 0;
    });
}

std::vector<BaseUse> collect_uses(const LoweringContext& context) {
    const Program& p = context.program;
    std::vector<BaseUse> uses;
    uses.reserve(context.block.members.size() + 4);
    for (std::uint32_t member : context.block.members) {
        const Instruction& i = context.instruction(member);
        if (info(i.op).is_system()) {
            BaseUse& use = use_of(context, uses, p.operands[i.operands].base);
            ++use.accesses;
            if (p.is_del(i)) use.deleted = true;
            if (p.is_sync(i)) use.synced = true;
            continue;
        }
        std::span<const Operand> views = p.operands_of(i);
        for (std::size_t k = i.nout; k < views.size(); ++k) {
            if (views[k].is_constant()) continue;
            BaseUse& use = use_of(context, uses, views[k].base);
            ++use.accesses;
            use.candidate = use.candidate && written(p, use, views[k]);
        }
        for (std::size_t k = 0; k < i.nout; ++k) {
            BaseUse& use = use_of(context, uses, views[k].base);
            ++use.accesses;
            // Views matter only while the base is a candidate.
            const bool whole = i.method == Method::Call && !is_scatter(i.op, i.method);
            use.candidate = use.candidate && whole && !p.bases[views[k].base].input;
            if (use.candidate && !written(p, use, views[k])) use.writes.push_back(&views[k]);
        }
    }
    return uses;
}

struct Life {
    std::uint32_t operand, first, last;
};

std::vector<Life> collect_lives(LoweringContext& context) {
    const LoopPlan& plan = context.plan;
    std::vector<Life> lives;
    // Parts of complex numbers are slots from the start.
    if (plan.contracted.empty() && context.wholes.empty()) return lives;
    SmallVec<std::uint32_t, 32> life_of(plan.operands.size(), Lowering::kNothing);
    for (std::uint32_t s = 0; s < plan.statements.size(); ++s) {
        for (std::uint32_t index : plan.statements[s].operands) {
            const PlanOperand& o = plan.operands[index];
            bool part = o.home == Home::Tile;
            if (!part && o.home != Home::Base) continue;
            if (!part && !context.lowering.note(o.index).contracted) continue;
            if (life_of[index] == Lowering::kNothing) {
                life_of[index] = static_cast<std::uint32_t>(lives.size());
                lives.push_back({index, s, s});
            } else {
                lives[life_of[index]].last = s;
            }
        }
    }
    return lives;
}

}  // namespace

void find_lifetimes(LoweringContext& context) {
    LoopPlan& plan = context.plan;
    for (BaseUse& use : collect_uses(context)) {
        bool local = use.deleted && !use.synced && plan.kind == BlockKind::Nest &&
                     !context.program.bases[use.base].input &&
                     context.lowering.uses.operands[use.base] == use.accesses;
        if (local && use.candidate) {
            plan.contracted.push_back(use.base);
            context.lowering.note(use.base).contracted = true;
            continue;
        }
        if (local) context.local.push_back(use.base);
        if (!context.work.empty() && !context.program.bases[use.base].input) {
            plan.acquires.push_back(use.base);
        }
        if (use.deleted) plan.releases.push_back(use.base);
    }
}

void assign_slots(LoweringContext& context) {
    LoopPlan& plan = context.plan;
    struct Slot {
        std::uint32_t free_after;  // last statement that uses its view
        std::int64_t held;         // bytes of that view's elements
        DType dtype;               // the widest of all views
    };
    std::vector<Slot> slots;
    for (const Life& life : collect_lives(context)) {
        PlanOperand& o = plan.operands[life.operand];
        // If one view dies in the statement where another begins to live, they may share a slot if
        // their elements have the same size: kernels allow exact aliasing, not shifted overlap.
        auto usable = [&](const Slot& s) {
            return s.free_after < life.first ||
                   (s.free_after == life.first && s.held == itemsize(o.dtype) &&
                    !plan.statements[life.first].masked && life.last > life.first);
        };
        auto at = std::find_if(slots.begin(), slots.end(), [&](const Slot& s) {
            return usable(s) && itemsize(s.dtype) == itemsize(o.dtype);
        });
        if (at == slots.end()) at = std::find_if(slots.begin(), slots.end(), usable);
        if (at == slots.end()) {
            slots.push_back({life.last, 0, o.dtype});
            at = slots.end() - 1;
        }
        at->free_after = life.last;
        at->held = itemsize(o.dtype);
        if (itemsize(o.dtype) > itemsize(at->dtype)) at->dtype = o.dtype;
        o.home = Home::Tile;
        o.index = static_cast<std::uint32_t>(at - slots.begin());
        o.offset = 0;
        for (std::int64_t& stride : o.strides) stride = 0;
    }
    for (const Slot& s : slots) plan.slots.push_back(s.dtype);
}

}  // namespace hassium
