// Maps that run as loops over a tile in memory, generators, and index lookups.
#include "exec/compile/compiler.hpp"

#include "base/error.hpp"
#include "program/lookup.hpp"

namespace hassium {

void Compiler::emit_map(const Statement& s) {
    auto loop = loop_of(s.op, s.compute);
    HS_CHECK(loop, "a map has a loop in its compute dtype");
    if (info(s.op).rule == DTypeRule::Any && !s.masked) return emit_move(s, s.compute);
    for (std::size_t k = 0; s.masked && k < s.nout; ++k) {
        // Before the guard, which may skip the statement.
        const PlanOperand& o = operand(s, k);
        if (o.home == Home::Tile && slot_scalar_[o.index]) spread_slot(o);
    }
    Value in[3] = {};
    bool all_scalar = true;
    for (std::size_t k = 0; k < s.nin; ++k) {
        in[k] = fetch(operand(s, s.nout + k), loop->in[k]);
        all_scalar = all_scalar && in[k].scalar;
    }
    int mask = -1;
    std::size_t after_guard = 0;
    if (s.masked) {
        mask = fetch_all(operand(s, s.nout + std::size_t{s.nin}), DType::Bool);
        if (can_raise(s, *loop)) {
            after_guard = emit_guard(s, in, *loop, static_cast<PointerId>(mask));
        }
    }
    if (all_scalar) {
        emit_single(s, in, *loop, mask);
    } else {
        emit_kernel(s, in, *loop, mask);
    }
    if (after_guard) {
        code_.steps[after_guard - 1].skip =
            static_cast<std::uint16_t>(code_.steps.size() - after_guard);
    }
}

bool Compiler::can_raise(const Statement& s, const Loop& loop) const {
    std::uint8_t flags = raises(s.op, s.compute);
    for (std::size_t k = 0; k < s.nout; ++k) {
        flags |= cast_raises(loop.out[k], operand(s, k).dtype);
    }
    return flags != 0;
}

Step& Compiler::add_map(const Statement& s) {
    Step& step = add(StepKind::Map, {});
    step.map = code_.table->map[static_cast<int>(s.op)][static_cast<int>(s.compute)];
    HS_CHECK(step.map, std::string("no kernel for ") + std::string(info(s.op).name));
    step.pointers = static_cast<std::uint8_t>(s.nout + s.nin);
    return step;
}

void Compiler::emit_kernel(const Statement& s, const Value* in, const Loop& loop, int mask) {
    Target out[2];
    for (std::size_t k = 0; k < s.nout; ++k) {
        out[k] = target_of(operand(s, k), loop.out[k], mask >= 0);
    }
    PointerId from[3];
    for (std::size_t k = 0; k < s.nin; ++k) {
        // A first store to the slot would overwrite the single element in it.
        bool lost = in[k].scalar && (out[0].pointer == in[k].pointer ||
                                     (s.nout > 1 && out[1].pointer == in[k].pointer));
        from[k] = lost ? copy_one(in[k].pointer, loop.in[k]) : in[k].pointer;
    }
    Step& step = add_map(s);
    for (std::size_t k = 0; k < s.nout; ++k) step.p[k] = out[k].pointer;
    for (std::size_t k = 0; k < s.nin; ++k) {
        step.p[s.nout + k] = from[k];
        step.scalars |= std::uint32_t{in[k].scalar} << k;
    }
    for (std::size_t k = 0; k < s.nout; ++k) {
        if (!out[k].final) finish_output(operand(s, k), out[k].pointer, loop.out[k], mask);
    }
}

void Compiler::emit_single(const Statement& s, const Value* in, const Loop& loop, int mask) {
    PointerId one[2];
    for (std::size_t k = 0; k < s.nout; ++k) one[k] = temporary();
    Step& step = add_map(s);
    step.one = true;
    for (std::size_t k = 0; k < s.nout; ++k) step.p[k] = one[k];
    for (std::size_t k = 0; k < s.nin; ++k) {
        step.p[s.nout + k] = in[k].pointer;
        step.scalars |= 1u << k;
    }
    for (std::size_t k = 0; k < s.nout; ++k) {
        spread(operand(s, k), one[k], loop.out[k], mask);
    }
}

std::size_t Compiler::emit_guard(const Statement& s, Value* in, const Loop& loop, PointerId mask) {
    add(StepKind::Guard, {mask});
    std::size_t after = code_.steps.size();
    for (std::size_t k = 0; k < s.nin; ++k) {
        if (in[k].scalar) continue;
        PointerId to = temporary();
        Step& step = add(StepKind::Guarded, {to, in[k].pointer, mask});
        step.bytes = static_cast<std::uint8_t>(itemsize(loop.in[k]));
        in[k].pointer = to;
    }
    return after;
}

void Compiler::emit_pick(const Statement& s) {
    const PlanOperand &made = operand(s, 0), &vector = operand(s, kLookedUp);
    const PointerId positions = fetch_all(operand(s, kLookedUp + 1), DType::I64);
    const Target out = target_of(made, vector.dtype, false);
    const PointerId from = pointer_of(vector, OperandLayout::Scalar);
    add(StepKind::Pick, {out.pointer, from, positions}).bytes =
        static_cast<std::uint8_t>(itemsize(vector.dtype));
    if (!out.final) finish_output(made, out.pointer, vector.dtype, -1);
}

void Compiler::emit_range(const Statement& s) {
    auto loop = loop_of(s.op, s.compute);
    HS_CHECK(loop && !s.masked, "a generator has a loop and no mask");
    Value start = fetch(operand(s, 1), loop->in[0]), step = fetch(operand(s, 2), loop->in[1]);
    HS_CHECK(start.scalar && step.scalar, "a generator's start and step are single elements");
    const PlanOperand& position = operand(s, 3);
    OperandLayout layout = operand_layout(position);
    bool runs = layout != OperandLayout::Contiguous;
    PointerId at = pointer_of(position, runs ? OperandLayout::Walked : layout);
    std::uint32_t walk = runs ? walk_of(position) : 0;
    Target out = target_of(operand(s, 0), loop->out[0], false);
    Step& made = add(runs ? StepKind::RangeRuns : StepKind::Range,
                     {out.pointer, start.pointer, step.pointer, at});
    made.range = generator_of(*code_.table, s.op, loop->out[0]);
    made.bytes = static_cast<std::uint8_t>(itemsize(loop->out[0]));
    made.walk = walk;
    HS_CHECK(made.range, "every dtype has a generator kernel");
    if (!out.final) finish_output(operand(s, 0), out.pointer, loop->out[0], -1);
}

}  // namespace hassium
