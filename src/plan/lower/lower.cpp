// Lowering names its passes in order: lifetimes, operands over common axes, loop order, merging,
// tile slots, tiles, estimate.
#include "plan/lower/lower.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "ops/dtype_rules.hpp"
#include "plan/lower/lowering_context.hpp"
#include "plan/lower/rows.hpp"
#include "program/component.hpp"
#include "program/lookup.hpp"
#include "program/merged_axes.hpp"

namespace hassium {
namespace {

bool runs_alone(const Program& p, const Instruction& i) {
    OpClass cls = info(i.op).cls;
    if (is_lookup(p, i)) return false;
    return cls != OpClass::Map && cls != OpClass::Generate && cls != OpClass::System;
}

void classify(LoweringContext& draft) {
    bool alone = false;
    draft.plan.instructions.reserve(draft.block.members.size());
    draft.work.reserve(draft.block.members.size());
    for (const BlockMember& member : draft.block.members) {
        const Instruction& i = draft.instruction(member.instruction);
        draft.plan.instructions.push_back(member.instruction);
        if (info(i.op).cls == OpClass::System) continue;
        HS_CHECK(member.phase == 0 && member.shift == 0, "blocks have one phase and no shift");
        draft.work.push_back(member.instruction);
        alone = alone || runs_alone(draft.program, i);
    }
    HS_CHECK(!alone || draft.work.size() == 1, "an instruction with its own routine is alone");
    // By themselves these have one, too.
    auto has_routine = [](const Instruction& i) {
        return is_scan(i) || info(i.op).cls == OpClass::Gather;
    };
    alone = alone || (draft.work.size() == 1 && has_routine(draft.instruction(draft.work[0])));
    draft.plan.kind = draft.work.empty() ? BlockKind::System
                      : alone            ? BlockKind::Single
                                         : BlockKind::Nest;
}

// Equal operands are one operand: the executor advances fewer pointers. Constants differ all.
std::uint32_t add_operand(LoweringContext& draft, const PlanOperand& operand) {
    LoopPlan& plan = draft.plan;
    std::vector<std::uint32_t>& next = draft.lowering.next_operand;
    std::uint32_t known = Lowering::kNothing;
    if (operand.home == Home::Base) known = draft.lowering.note(operand.index).first_operand;
    for (std::uint32_t k = known; k != Lowering::kNothing; k = next[k]) {
        const PlanOperand& o = plan.operands[k];
        if (o.offset == operand.offset && o.dtype == operand.dtype && o.access == operand.access &&
            o.strides == operand.strides) {
            return k;
        }
    }
    auto index = static_cast<std::uint32_t>(plan.operands.size());
    plan.operands.push_back(operand);
    next.push_back(known);
    if (operand.home == Home::Base) draft.lowering.note(operand.index).first_operand = index;
    return index;
}

PlanOperand lower_view(const LoweringContext& draft, const Operand& view, Dims strides) {
    PlanOperand out;
    out.dtype = view.dtype;
    out.strides = std::move(strides);
    if (view.is_constant()) {
        out.access = Access::Constant;
        out.home = Home::Constant;
        out.index = static_cast<std::uint32_t>(view.offset);
        return out;
    }
    bool moves =
        std::any_of(out.strides.begin(), out.strides.end(), [](std::int64_t s) { return s != 0; });
    out.access = moves || draft.plan.extents.empty() ? Access::Affine : Access::Broadcast;
    out.home = Home::Base;
    out.index = view.base;
    out.offset = view.offset;
    return out;
}

// Where it begins is all that a nest knows of a vector that is read anywhere.
PlanOperand lower_vector(const LoweringContext& draft, const Operand& vector) {
    PlanOperand out;
    out.dtype = vector.dtype;
    out.access = Access::IndexVector;
    out.home = Home::Base;
    out.index = vector.base;
    out.offset = vector.offset;
    out.strides = Dims(draft.plan.extents.size(), 0);
    return out;
}

Dims strides_of(const LoweringContext& draft, const Operand& view) {
    if (view.is_constant()) return Dims(draft.plan.extents.size(), 0);
    const Program& p = draft.program;
    return spread_strides(p.shape(view), p.strides(view), draft.plan.extents);
}

// float16 accumulates in float32 where the row has that loop: a sum of many small numbers would
// otherwise stall at 2048.
DType accumulator_of(const Instruction& i) {
    if (i.compute != DType::F16 || !info(i.op).has(kAssociative)) return i.compute;
    auto wide = loop_of(i.op, DType::F32);
    return wide && wide->out[0] == DType::F32 ? DType::F32 : DType::F16;
}

void add_reduction(LoweringContext& draft, const Instruction& i, Statement& statement) {
    const Program& p = draft.program;
    const Operand& in = p.inputs(i)[0];
    PlanReduction r;
    r.tree = reduction_tree(p, i);
    r.accumulator = accumulator_of(i);
    SmallVec<std::uint8_t, 8> origins = axis_origins(p.shape(in), draft.plan.extents);
    std::size_t rank = r.tree.order.size();
    for (std::uint8_t origin : origins) {
        std::size_t at = 0;
        while (r.tree.order[at] != origin) ++at;
        bool in_row = r.tree.row_form && at >= rank - r.tree.row_axes;
        bool reduced = (i.axes >> origin & 1) != 0;
        r.role.push_back(in_row ? 2 : reduced ? 1 : 0);
    }
    r.result = statement.operands[0];
    statement.reduction = static_cast<std::int32_t>(draft.plan.reductions.size());
    draft.plan.reductions.push_back(std::move(r));
}

// Does the block accumulate anything?
bool scans(const LoweringContext& draft) {
    return std::any_of(draft.work.begin(), draft.work.end(), [&](std::uint32_t index) {
        const Instruction& i = draft.instruction(index);
        return is_scan(i) && element_count(draft.program.iteration_shape(i)) > 0;
    });
}

// The position in C order that a generator counts: an operand whose strides are in elements.
PlanOperand position_operand(const LoweringContext& draft) {
    PlanOperand out;
    out.dtype = DType::I64;
    out.access = Access::Generated;
    out.home = Home::Register;
    out.index = 0;
    std::int64_t inner = 1;
    out.strides.resize(draft.plan.extents.size());
    for (std::size_t k = draft.plan.extents.size(); k-- > 0;) {
        out.strides[k] = inner;
        inner *= draft.plan.extents[k];
    }
    return out;
}

void note_written(LoweringContext& draft, const Operand& view, std::uint32_t operand) {
    if (kind(view.dtype) != DTypeKind::Complex) return;
    auto known = std::find_if(draft.wholes.begin(), draft.wholes.end(),
                              [operand](const WrittenComplex& w) { return w.operand == operand; });
    if (known == draft.wholes.end()) known = draft.wholes.insert(known, {&view, operand, {}});
    known->parts[0] = known->parts[1] = Lowering::kNothing;
}

// The real or imaginary parts of what the block has written: from the value, by a statement of
// their own, since the array may never exist. Nothing for other views.
std::uint32_t read_part(LoweringContext& draft, const Operand& view, std::uint32_t reader) {
    for (WrittenComplex& whole : draft.wholes) {
        if (whole.view->base != view.base) continue;
        int which = component_of(draft.program, *whole.view, view);
        if (which < 0) continue;
        if (whole.parts[which] != Lowering::kNothing) return whole.parts[which];
        PlanOperand part;
        part.dtype = view.dtype;
        part.access = Access::Affine;
        part.home = Home::Tile;
        part.index = Lowering::kNothing;  // until slots are given out
        part.strides = Dims(draft.plan.extents.size(), 0);
        auto number = static_cast<std::uint32_t>(draft.plan.operands.size());
        draft.plan.operands.push_back(std::move(part));
        draft.lowering.next_operand.push_back(Lowering::kNothing);
        Statement s;
        s.instruction = reader;
        s.op = which == 0 ? Op::Real : Op::Imag;
        s.method = Method::Call;
        s.compute = whole.view->dtype;
        s.nout = s.nin = 1;
        s.masked = 0;
        s.operands = {number, whole.operand};
        draft.plan.statements.push_back(std::move(s));
        whole.parts[which] = number;
        return number;
    }
    return Lowering::kNothing;
}

void add_statement(LoweringContext& draft, std::uint32_t index) {
    const Program& p = draft.program;
    const Instruction& i = draft.instruction(index);
    Statement s;
    s.instruction = index;
    s.op = i.op;
    s.method = i.method;
    s.compute = i.compute;
    s.nout = i.nout;
    s.nin = i.nin;
    s.masked = i.masked;
    std::span<const Operand> views = p.operands_of(i);
    for (std::size_t k = 0; k < views.size(); ++k) {
        std::uint32_t part = k < i.nout ? Lowering::kNothing : read_part(draft, views[k], index);
        if (part != Lowering::kNothing) {
            s.operands.push_back(part);
            continue;
        }
        if (k == kLookedUp && is_lookup(p, i)) {
            s.operands.push_back(add_operand(draft, lower_vector(draft, views[k])));
            continue;
        }
        Dims strides =
            k == 0 && is_reduction(i)
                ? spread_strides(p.iteration_shape(i), result_strides(p, i), draft.plan.extents)
                : strides_of(draft, views[k]);
        s.operands.push_back(add_operand(draft, lower_view(draft, views[k], std::move(strides))));
    }
    if (info(i.op).cls == OpClass::Generate) {
        s.operands.push_back(add_operand(draft, position_operand(draft)));
    }
    for (std::size_t k = 0; k < i.nout; ++k) note_written(draft, views[k], s.operands[k]);
    if (is_reduction(i)) add_reduction(draft, i, s);
    draft.plan.statements.push_back(std::move(s));
}

// Over nothing a nest has no axes worth ordering; results of reductions keep their own.
void lower_empty(LoweringContext& draft) {
    LoopPlan& plan = draft.plan;
    plan.extents = Dims{0};
    plan.order.push_back(0);
    for (std::uint32_t index : draft.work) {
        const Instruction& i = draft.instruction(index);
        Statement s;
        s.instruction = index;
        s.op = i.op;
        s.method = i.method;
        s.compute = i.compute;
        s.nout = i.nout;
        s.nin = i.nin;
        s.masked = i.masked;
        for (const Operand& view : draft.program.operands_of(i)) {
            Dims none{view.is_constant() ? 0 : itemsize(view.dtype)};
            s.operands.push_back(add_operand(draft, lower_view(draft, view, std::move(none))));
        }
        if (info(i.op).cls == OpClass::Generate) {
            s.operands.push_back(add_operand(draft, position_operand(draft)));
        }
        if (is_reduction(i)) {
            const Operand& out = draft.program.outputs(i)[0];
            PlanReduction r;
            r.tree = reduction_tree(draft.program, i);
            r.accumulator = accumulator_of(i);
            r.role.push_back(1);
            r.result = s.operands[0];
            r.extents = Dims(draft.program.shape(out));
            r.strides = Dims(draft.program.strides(out));
            s.reduction = static_cast<std::int32_t>(plan.reductions.size());
            plan.reductions.push_back(std::move(r));
        }
        plan.statements.push_back(std::move(s));
    }
}

// A nest has an inner axis, even over a single element; there every operand is contiguous.
void keep_one_axis(LoopPlan& plan) {
    if (plan.extents.size() > plan.fixed) return;
    plan.extents.push_back(1);
    plan.order.push_back(0);
    for (PlanOperand& o : plan.operands) {
        const bool one = o.home == Home::Base && o.access != Access::IndexVector;
        if (one) o.access = Access::Affine;
        o.strides.push_back(one ? itemsize(o.dtype) : o.home == Home::Register ? 1 : 0);
    }
    for (PlanReduction& r : plan.reductions) r.role.push_back(r.tree.row_form ? 2 : 0);
}

void finish_results(LoopPlan& plan) {
    for (PlanReduction& r : plan.reductions) {
        const PlanOperand& result = plan.operands[r.result];
        for (std::size_t k = 0; k < plan.extents.size(); ++k) {
            if (r.role[k] != 0) continue;
            r.extents.push_back(plan.extents[k]);
            r.strides.push_back(result.strides[k]);
        }
    }
}

}  // namespace

void add_statements(LoweringContext& draft) {
    std::size_t operands = 0;
    for (std::uint32_t index : draft.work) {
        operands += static_cast<std::size_t>(draft.instruction(index).operand_count());
    }
    draft.plan.statements.reserve(draft.work.size());
    draft.plan.operands.reserve(operands);
    for (std::uint32_t index : draft.work) add_statement(draft, index);
}

void finish_nest(LoweringContext& draft) {
    assign_slots(draft);
    choose_tiles(draft.plan, preferred_tile(draft.plan));
    estimate(draft);
}

void finish_axes(LoweringContext& draft) {
    merge_axes(draft);
    keep_one_axis(draft.plan);
    finish_results(draft.plan);
}

void lower_nest(LoweringContext& draft) {
    const Instruction& first = draft.instruction(draft.work.front());
    if (element_count(draft.program.iteration_shape(first)) == 0) {
        lower_empty(draft);
    } else {
        draft.plan.extents = common_axes(draft.program, draft.work);
        add_statements(draft);
        order_axes(draft);
        merge_axes(draft);
        hoist_kept_axes(draft);
        finish_axes(draft);
    }
    finish_nest(draft);
}

BaseUses count_uses(const Program& p) {
    BaseUses uses{std::vector<std::uint32_t>(p.bases.size(), 0),
                  std::vector<std::uint32_t>(p.bases.size(), 0)};
    for (const Instruction& i : p.instructions) {
        bool system = info(i.op).cls == OpClass::System;
        std::size_t n = system ? 1 : static_cast<std::size_t>(i.operand_count());
        for (std::size_t k = 0; k < n; ++k) {
            const Operand& view = p.operands[i.operands + k];
            if (view.is_constant()) continue;
            ++uses.operands[view.base];
            uses.computed[view.base] += !system;
        }
    }
    return uses;
}

Lowering::Lowering(const Program& p, const BaseUses& base_uses)
    : program(p), uses(base_uses), notes_(p.bases.size()) {}

void Lowering::begin() {
    ++block_;
    next_operand.clear();
}

LoopPlan Lowering::lower(const Block& block) {
    begin();
    LoweringContext draft{program, block, *this, {}};
    classify(draft);
    find_lifetimes(draft);
    if (draft.plan.kind == BlockKind::Nest) {
        PhaseList phases = phases_of(draft);
        phases.size() > 1 || scans(draft) ? lower_rows(draft, phases) : lower_nest(draft);
    } else if (draft.plan.kind == BlockKind::Single) {
        estimate(draft);
    }
    return std::move(draft.plan);
}

LoopPlan lower(const Program& program, const Block& block) {
    BaseUses uses = count_uses(program);
    return Lowering(program, uses).lower(block);
}

}  // namespace hassium
