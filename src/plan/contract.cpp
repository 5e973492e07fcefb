// Which bases of the block live and die in it, and the tile slots that stand for them.
//
// A base is contracted when every access to it in the whole program lies in this block, it is new,
// deleted here, never synced, and read only through views that the block wrote before: then nobody
// can see whether it ever was in memory. Slots are handed out by linear scan over the statements: a
// slot is free again after the last statement that touches its view.
#include <algorithm>

#include "base/error.hpp"
#include "plan/draft.hpp"

namespace hassium {
namespace {

struct BaseUse {
    BaseId base;
    std::uint32_t accesses = 0;  // operands in this block
    bool deleted = false;
    bool candidate = true;
};

BaseUse& use_of(std::vector<BaseUse>& uses, BaseId base) {
    auto at =
        std::find_if(uses.begin(), uses.end(), [base](const BaseUse& u) { return u.base == base; });
    if (at != uses.end()) return *at;
    uses.push_back({base});
    return uses.back();
}

bool same_view(const Program& p, const Operand& a, const Operand& b) {
    auto equal = [](std::span<const std::int64_t> x, std::span<const std::int64_t> y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end());
    };
    return a.base == b.base && a.offset == b.offset && a.dtype == b.dtype &&
           equal(p.shape(a), p.shape(b)) && equal(p.strides(a), p.strides(b));
}

bool written(const Program& p, const std::vector<const Operand*>& writes, const Operand& view) {
    return std::any_of(writes.begin(), writes.end(),
                       [&](const Operand* w) { return same_view(p, *w, view); });
}

std::vector<BaseUse> collect_uses(const Draft& draft) {
    const Program& p = draft.program;
    std::vector<BaseUse> uses;
    std::vector<const Operand*> writes;
    for (const BlockMember& member : draft.block.members) {
        const Instruction& i = draft.instruction(member.instruction);
        std::span<const Operand> views = p.operands_of(i);
        if (info(i.op).cls == OpClass::System) {
            for (const Operand& view : std::span(p.operands.data() + i.operands, 1)) {
                BaseUse& use = use_of(uses, view.base);
                ++use.accesses;
                if (p.is_del(i)) use.deleted = true;
                if (p.is_sync(i)) use.candidate = false;
            }
            continue;
        }
        for (std::size_t k = i.nout; k < views.size(); ++k) {
            if (views[k].is_constant()) continue;
            BaseUse& use = use_of(uses, views[k].base);
            ++use.accesses;
            if (!written(p, writes, views[k])) use.candidate = false;
        }
        for (std::size_t k = 0; k < i.nout; ++k) {
            BaseUse& use = use_of(uses, views[k].base);
            ++use.accesses;
            if (i.method != Method::Call) use.candidate = false;
            if (!written(p, writes, views[k])) writes.push_back(&views[k]);
        }
    }
    return uses;
}

// How often the whole program names each base; a base named more often than in this block is
// visible outside.
std::vector<std::uint32_t> count_accesses(const Program& p) {
    std::vector<std::uint32_t> counts(p.bases.size(), 0);
    for (const Instruction& i : p.instructions) {
        std::size_t n =
            info(i.op).cls == OpClass::System ? 1 : static_cast<std::size_t>(i.operand_count());
        for (std::size_t k = 0; k < n; ++k) {
            const Operand& view = p.operands[i.operands + k];
            if (!view.is_constant()) ++counts[view.base];
        }
    }
    return counts;
}

struct Life {
    std::uint32_t operand, first, last;
};

std::vector<Life> collect_lives(const LoopPlan& plan) {
    std::vector<Life> lives;
    for (std::uint32_t s = 0; s < plan.statements.size(); ++s) {
        for (std::uint32_t index : plan.statements[s].operands) {
            const PlanOperand& o = plan.operands[index];
            if (o.home != Home::Base) continue;
            if (std::find(plan.contracted.begin(), plan.contracted.end(), o.index) ==
                plan.contracted.end()) {
                continue;
            }
            auto at = std::find_if(lives.begin(), lives.end(),
                                   [index](const Life& l) { return l.operand == index; });
            if (at == lives.end()) {
                lives.push_back({index, s, s});
            } else {
                at->last = s;
            }
        }
    }
    return lives;
}

}  // namespace

void find_lifetimes(Draft& draft) {
    LoopPlan& plan = draft.plan;
    std::vector<BaseUse> uses = collect_uses(draft);
    std::vector<std::uint32_t> counts;
    for (BaseUse& use : uses) {
        use.candidate = use.candidate && use.deleted && plan.kind == BlockKind::Nest &&
                        !draft.program.bases[use.base].input;
        if (use.candidate) {
            if (counts.empty()) counts = count_accesses(draft.program);
            use.candidate = counts[use.base] == use.accesses;
        }
        if (use.candidate) {
            plan.contracted.push_back(use.base);
            continue;
        }
        if (!draft.work.empty() && !draft.program.bases[use.base].input) {
            plan.acquires.push_back(use.base);
        }
        if (use.deleted) plan.releases.push_back(use.base);
    }
}

void assign_slots(Draft& draft) {
    LoopPlan& plan = draft.plan;
    struct Slot {
        std::uint32_t free_after;  // last statement of the view that has it
        DType dtype;
    };
    std::vector<Slot> slots;
    for (const Life& life : collect_lives(plan)) {
        PlanOperand& o = plan.operands[life.operand];
        // In the statement where one view dies and another is born they may share a slot when their
        // elements have one size: kernels allow that, not a shifted overlap.
        auto usable = [&](const Slot& s) {
            return s.free_after < life.first ||
                   (s.free_after == life.first && itemsize(s.dtype) == itemsize(o.dtype) &&
                    !plan.statements[life.first].masked && life.last > life.first);
        };
        auto at = std::find_if(slots.begin(), slots.end(), [&](const Slot& s) {
            return usable(s) && itemsize(s.dtype) == itemsize(o.dtype);
        });
        if (at == slots.end()) at = std::find_if(slots.begin(), slots.end(), usable);
        if (at == slots.end()) {
            slots.push_back({life.last, o.dtype});
            at = slots.end() - 1;
        }
        at->free_after = life.last;
        if (itemsize(o.dtype) > itemsize(at->dtype)) at->dtype = o.dtype;
        o.home = Home::Tile;
        o.access = Access::Affine;
        o.index = static_cast<std::uint32_t>(at - slots.begin());
        o.offset = 0;
        for (std::int64_t& stride : o.strides) stride = 0;
    }
    for (const Slot& s : slots) plan.slots.push_back(s.dtype);
}

}  // namespace hassium
