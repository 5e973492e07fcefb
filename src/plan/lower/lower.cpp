// Lowering: names its passes in order: lifetimes, operands over common axes, loop order, merging,
// tile slots, tiles, estimate.
#include "plan/lower/lower.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "ops/dtype_rules.hpp"
#include "plan/lower/lowering_context.hpp"
#include "plan/lower/rows.hpp"
#include "program/component.hpp"
#include "program/lookup.hpp"
#include "program/loop_cuts.hpp"

namespace hassium {
namespace {

bool runs_alone(const Program& p, const Instruction& i) {
    const OpInfo& row = info(i.op);
    if (i.method != Method::Accumulate && is_ordered(i)) return !takes_vector_in_order(p, i);
    return !row.is_loop() && !row.is_system() && !is_lookup(p, i);
}

void classify(LoweringContext& context) {
    bool alone = false;
    context.plan.instructions.reserve(context.block.members.size());
    context.work.reserve(context.block.members.size());
    for (std::uint32_t member : context.block.members) {
        const Instruction& i = context.instruction(member);
        context.plan.instructions.push_back(member);
        if (info(i.op).is_system()) continue;
        context.work.push_back(member);
        alone = alone || runs_alone(context.program, i);
    }
    HS_CHECK(!alone || context.work.size() == 1, "an instruction with its own routine is alone");
    // These have a routine if they are the only member.
    auto has_routine = [](const Instruction& i) { return is_ordered(i) || info(i.op).is_gather(); };
    alone =
        alone || (context.work.size() == 1 && has_routine(context.instruction(context.work[0])));
    context.plan.kind = context.work.empty() ? BlockKind::System
                        : alone              ? BlockKind::Single
                                             : BlockKind::Nest;
}

// Equal operands are merged: the executor advances fewer pointers. Constants are never merged.
std::uint32_t add_operand(LoweringContext& context, const PlanOperand& operand) {
    LoopPlan& plan = context.plan;
    std::vector<std::uint32_t>& next = context.lowering.next_operand;
    std::uint32_t known = Lowering::kNothing;
    if (operand.home == Home::Base) known = context.lowering.note(operand.index).first_operand;
    for (std::uint32_t k = known; k != Lowering::kNothing; k = next[k]) {
        const PlanOperand& o = plan.operands[k];
        if (o.offset == operand.offset && o.dtype == operand.dtype &&
            o.anywhere == operand.anywhere && o.strides == operand.strides) {
            return k;
        }
    }
    auto index = static_cast<std::uint32_t>(plan.operands.size());
    plan.operands.push_back(operand);
    next.push_back(known);
    if (operand.home == Home::Base) context.lowering.note(operand.index).first_operand = index;
    return index;
}

PlanOperand lower_view(const Operand& view, Dims strides) {
    PlanOperand out;
    out.dtype = view.dtype;
    out.strides = std::move(strides);
    if (view.is_constant()) {
        out.home = Home::Constant;
        out.index = static_cast<std::uint32_t>(view.offset);
        return out;
    }
    out.home = Home::Base;
    out.index = view.base;
    out.offset = view.offset;
    return out;
}

// Of a vector that is read or written at any position, a nest knows only the offset.
PlanOperand lower_vector(const LoweringContext& context, const Operand& vector) {
    PlanOperand out;
    out.dtype = vector.dtype;
    out.home = Home::Base;
    out.anywhere = true;
    out.index = vector.base;
    out.offset = vector.offset;
    out.strides = Dims(context.plan.extents.size(), 0);
    return out;
}

Dims strides_of(const LoweringContext& context, const Operand& view) {
    if (view.is_constant()) return Dims(context.plan.extents.size(), 0);
    const Program& p = context.program;
    return strides_over(p.shape(view), p.strides(view), context.plan.extents);
}

// Returns the dtype of partials: float32 for float16 if the row has that loop, as a sum of many
// small numbers would otherwise stall at 2048.
DType accumulator_of(const Instruction& i) {
    if (i.compute != DType::F16 || !info(i.op).has(kAssociative)) return i.compute;
    auto wide = loop_of(i.op, DType::F32);
    return wide && wide->out[0] == DType::F32 ? DType::F32 : DType::F16;
}

void add_reduction(LoweringContext& context, const Instruction& i, Statement& statement) {
    const Program& p = context.program;
    const Operand& in = p.inputs(i)[0];
    PlanReduction r;
    r.tree = reduction_tree(p, i);
    r.accumulator = accumulator_of(i);
    SmallVec<std::uint8_t, 8> origins = axis_origins(p.shape(in), context.plan.extents);
    for (std::uint8_t origin : origins) {
        r.role.push_back(r.tree.role(r.tree.place(origin), i.axes));
    }
    r.result = statement.operands[0];
    statement.reduction = static_cast<std::int32_t>(context.plan.reductions.size());
    context.plan.reductions.push_back(std::move(r));
}

// Returns whether some member processes its elements in order.
bool has_ordered(const LoweringContext& context) {
    return std::any_of(context.work.begin(), context.work.end(), [&](std::uint32_t index) {
        const Instruction& i = context.instruction(index);
        return is_ordered(i) && element_count(context.program.iteration_shape(i)) > 0;
    });
}

// Returns the C-order position that a generator counts, an operand whose strides are in elements.
PlanOperand position_operand(const LoweringContext& context) {
    PlanOperand out;
    out.dtype = DType::I64;
    out.home = Home::Position;
    out.index = 0;
    std::int64_t inner = 1;
    out.strides.resize(context.plan.extents.size());
    for (std::size_t k = context.plan.extents.size(); k-- > 0;) {
        out.strides[k] = inner;
        inner *= context.plan.extents[k];
    }
    return out;
}

void note_written(LoweringContext& context, const Operand& view, std::uint32_t operand) {
    if (kind(view.dtype) != DTypeKind::Complex) return;
    auto known = std::find_if(context.wholes.begin(), context.wholes.end(),
                              [operand](const WrittenComplex& w) { return w.operand == operand; });
    if (known == context.wholes.end()) known = context.wholes.insert(known, {&view, operand, {}});
    known->parts[0] = known->parts[1] = Lowering::kNothing;
}

// Reads the real or imaginary parts of a view that the block has written, by an extra statement,
// since the array may never exist. Returns kNothing for other views.
std::uint32_t read_part(LoweringContext& context, const Operand& view, std::uint32_t reader) {
    for (WrittenComplex& whole : context.wholes) {
        if (whole.view->base != view.base) continue;
        int which = component_of(context.program, *whole.view, view);
        if (which < 0) continue;
        if (whole.parts[which] != Lowering::kNothing) return whole.parts[which];
        PlanOperand part;
        part.dtype = view.dtype;
        part.home = Home::Tile;
        part.index = Lowering::kNothing;  // until slots are assigned
        part.strides = Dims(context.plan.extents.size(), 0);
        auto number = static_cast<std::uint32_t>(context.plan.operands.size());
        context.plan.operands.push_back(std::move(part));
        context.lowering.next_operand.push_back(Lowering::kNothing);
        Statement s;
        s.instruction = reader;
        s.op = which == 0 ? Op::Real : Op::Imag;
        s.method = Method::Call;
        s.compute = whole.view->dtype;
        s.nout = s.nin = 1;
        s.masked = 0;
        s.operands = {number, whole.operand};
        context.plan.statements.push_back(std::move(s));
        whole.parts[which] = number;
        return number;
    }
    return Lowering::kNothing;
}

// Returns the statement without its operands.
Statement statement_of(const Instruction& i, std::uint32_t index) {
    Statement s;
    s.instruction = index;
    s.op = i.op;
    s.method = i.method;
    s.compute = i.compute;
    s.nout = i.nout;
    s.nin = i.nin;
    s.masked = i.masked;
    return s;
}

void add_statement(LoweringContext& context, std::uint32_t index) {
    const Program& p = context.program;
    const Instruction& i = context.instruction(index);
    Statement s = statement_of(i, index);
    std::span<const Operand> views = p.operands_of(i);
    const std::uint32_t off_loop = operands_off_loop(p, i);
    for (std::size_t k = 0; k < views.size(); ++k) {
        std::uint32_t part = k < i.nout ? Lowering::kNothing : read_part(context, views[k], index);
        if (part != Lowering::kNothing) {
            s.operands.push_back(part);
            continue;
        }
        if (off_loop >> k & 1) {
            s.operands.push_back(add_operand(context, lower_vector(context, views[k])));
            continue;
        }
        Dims strides =
            k == 0 && is_reduction(i)
                ? strides_over(p.iteration_shape(i), result_strides(p, i), context.plan.extents)
                : strides_of(context, views[k]);
        s.operands.push_back(add_operand(context, lower_view(views[k], std::move(strides))));
    }
    if (info(i.op).is_generator()) {
        s.operands.push_back(add_operand(context, position_operand(context)));
    }
    for (std::size_t k = 0; k < i.nout; ++k) note_written(context, views[k], s.operands[k]);
    if (is_reduction(i)) add_reduction(context, i, s);
    context.plan.statements.push_back(std::move(s));
}

// An empty nest has no axes worth ordering; results of reductions keep their own.
void lower_empty(LoweringContext& context) {
    LoopPlan& plan = context.plan;
    plan.extents = Dims{0};
    plan.order.push_back(0);
    for (std::uint32_t index : context.work) {
        const Instruction& i = context.instruction(index);
        Statement s = statement_of(i, index);
        for (const Operand& view : context.program.operands_of(i)) {
            Dims none{view.is_constant() ? 0 : itemsize(view.dtype)};
            s.operands.push_back(add_operand(context, lower_view(view, std::move(none))));
        }
        if (info(i.op).is_generator()) {
            s.operands.push_back(add_operand(context, position_operand(context)));
        }
        if (is_reduction(i)) {
            const Operand& out = context.program.outputs(i)[0];
            PlanReduction r;
            r.tree = reduction_tree(context.program, i);
            r.accumulator = accumulator_of(i);
            r.role.push_back(1);
            r.result = s.operands[0];
            r.extents = Dims(context.program.shape(out));
            r.strides = Dims(context.program.strides(out));
            s.reduction = static_cast<std::int32_t>(plan.reductions.size());
            plan.reductions.push_back(std::move(r));
        }
        plan.statements.push_back(std::move(s));
    }
}

// A nest has an inner axis, even for a single element; every operand is contiguous along it.
void keep_one_axis(LoopPlan& plan) {
    if (plan.extents.size() > plan.fixed) return;
    plan.extents.push_back(1);
    plan.order.push_back(0);
    for (PlanOperand& o : plan.operands) {
        const bool one = o.home == Home::Base && !o.anywhere;
        o.strides.push_back(one ? itemsize(o.dtype) : o.home == Home::Position ? 1 : 0);
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

void add_statements(LoweringContext& context) {
    std::size_t operands = 0;
    for (std::uint32_t index : context.work) {
        operands += static_cast<std::size_t>(context.instruction(index).operand_count());
    }
    context.plan.statements.reserve(context.work.size());
    context.plan.operands.reserve(operands);
    for (std::uint32_t index : context.work) add_statement(context, index);
}

void finish_nest(LoweringContext& context) {
    assign_slots(context);
    choose_tiles(context.plan, preferred_tile(context.plan));
    estimate(context);
}

void finish_axes(LoweringContext& context) {
    merge_axes(context);
    keep_one_axis(context.plan);
    finish_results(context.plan);
}

void lower_nest(LoweringContext& context) {
    const Instruction& first = context.instruction(context.work.front());
    if (element_count(context.program.iteration_shape(first)) == 0) {
        lower_empty(context);
    } else {
        context.plan.extents = common_axes(context.program, context.work);
        add_statements(context);
        order_axes(context);
        merge_axes(context);
        bring_rows_together(context.plan);
        hoist_kept_axes(context);
        finish_axes(context);
    }
    finish_nest(context);
}

BaseUses count_uses(const Program& p) {
    BaseUses uses{std::vector<std::uint32_t>(p.bases.size(), 0),
                  std::vector<std::uint32_t>(p.bases.size(), 0)};
    for (const Instruction& i : p.instructions) {
        bool system = info(i.op).is_system();
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
    LoweringContext context{program, block, *this, {}};
    classify(context);
    find_lifetimes(context);
    if (context.plan.kind == BlockKind::Nest) {
        PhaseList phases = phases_of(context);
        phases.size() > 1 || has_ordered(context) ? lower_rows(context, phases)
                                                  : lower_nest(context);
    } else if (context.plan.kind == BlockKind::Single) {
        estimate(context);
    }
    return std::move(context.plan);
}

LoopPlan lower(const Program& program, const Block& block) {
    BaseUses uses = count_uses(program);
    return Lowering(program, uses).lower(block);
}

}  // namespace hassium
