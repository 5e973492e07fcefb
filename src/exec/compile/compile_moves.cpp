// Steps that move elements between memory, tiles and dtypes.
#include "exec/compile/compiler.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace hassium {

Step& Compiler::add(StepKind kind, std::initializer_list<PointerId> pointers) {
    Step step{};
    step.kind = kind;
    std::copy(pointers.begin(), pointers.end(), step.p);
    code_.steps.push_back(step);
    return code_.steps.back();
}

void Compiler::cast(PointerId out, PointerId in, DType from, DType to, bool one) {
    Step& step = add(StepKind::Cast, {out, in});
    step.cast = code_.table->cast[static_cast<int>(from)][static_cast<int>(to)];
    step.one = one;
    HS_CHECK(step.cast, "every pair of native dtypes has a cast kernel");
}

void Compiler::fill(PointerId out, PointerId value, DType dtype) {
    Step& step = add(StepKind::Fill, {out, value});
    step.fill = code_.table->fill[item_log2(itemsize(dtype))];
    step.bytes = static_cast<std::uint8_t>(itemsize(dtype));
}

void Compiler::load(PointerId out, const PlanOperand& o, OperandLayout layout) {
    PointerId from = pointer_of(o, layout);
    std::uint32_t walk = layout == OperandLayout::Walked ? walk_of(o) : 0;
    Step& step =
        add(layout == OperandLayout::Walked ? StepKind::Gather : StepKind::Load, {out, from});
    step.bytes = static_cast<std::uint8_t>(itemsize(o.dtype));
    step.walk = walk;
    if (layout == OperandLayout::Strided) {
        step.operand = number_of(o);
        step.load = code_.table->load[item_log2(itemsize(o.dtype))];
    }
}

PointerId Compiler::loaded(const PlanOperand& o, OperandLayout layout) {
    const bool keeps = code_.lies[number_of(o)].repeats;
    const PointerId to = keeps ? kept_temporary() : temporary();
    load(to, o, layout);
    code_.steps.back().keeps = keeps;
    return to;
}

Compiler::Value Compiler::fetch(const PlanOperand& o, DType wanted, int target) {
    OperandLayout layout = operand_layout(o);
    bool scalar = layout == OperandLayout::Scalar;
    bool casts = o.dtype != wanted;
    PointerId at;
    if (layout == OperandLayout::Strided || layout == OperandLayout::Walked) {
        const bool direct = target >= 0 && !casts && !code_.lies[number_of(o)].repeats;
        at = direct ? static_cast<PointerId>(target) : loaded(o, layout);
        if (direct) load(at, o, layout);
    } else {
        at = pointer_of(o, layout);
    }
    if (!casts) return {at, scalar};
    PointerId to = target >= 0 && !scalar ? static_cast<PointerId>(target) : temporary();
    cast(to, at, o.dtype, wanted, scalar);
    return {to, scalar};
}

PointerId Compiler::fetch_all(const PlanOperand& o, DType wanted) {
    Value v = fetch(o, wanted);
    if (!v.scalar) return v.pointer;
    PointerId to = temporary();
    fill(to, v.pointer, wanted);
    return to;
}

PointerId Compiler::copy_one(PointerId from, DType dtype) {
    PointerId to = temporary();
    add(StepKind::CopyOne, {to, from}).bytes = static_cast<std::uint8_t>(itemsize(dtype));
    return to;
}

PointerId Compiler::lane_pointer(const PlanOperand& o) {
    const LaidOutOperand& layout = code_.lies[number_of(o)];
    const auto is_first = [&](const PlanOperand& other) {
        return other.home == Home::Base && other.index == o.index && is_lane(other) &&
               other.strides == o.strides &&
               other.offset == o.offset - layout.lane * itemsize(o.dtype);
    };
    const std::uint32_t first = number_of(*std::ranges::find_if(plan_.operands, is_first));
    auto group = std::ranges::find(interleaved_, first, &Interleaved::first);
    if (group == interleaved_.end()) {
        group = interleaved_.insert(group, {first, {}, layout.lanes});
        for (int lane = 0; lane < layout.lanes; ++lane) group->lanes.push_back(kept_temporary());
    }
    --group->missing;
    return group->lanes[layout.lane];
}

void Compiler::stream_lanes() {
    std::erase_if(interleaved_, [this](const Interleaved& group) {
        if (group.missing > 0) return false;
        const PlanOperand& first = plan_.operands[group.first];
        const PointerId to = pointer_of(first, OperandLayout::Strided);
        Step& step = add(StepKind::Interleave, {to, group.lanes[0], group.lanes[1]});
        step.pointers = static_cast<std::uint8_t>(group.lanes.size());
        step.bytes = static_cast<std::uint8_t>(itemsize(first.dtype));
        return true;
    });
}

void Compiler::store(const PlanOperand& o, PointerId from, int mask) {
    OperandLayout layout = operand_layout(o);
    HS_CHECK(layout != OperandLayout::Scalar || o.home == Home::Tile, "an output is not broadcast");
    const bool lane = o.home != Home::Tile && is_lane(o);
    PointerId to = lane ? lane_pointer(o) : pointer_of(o, layout);
    const bool walked = layout == OperandLayout::Walked;
    const std::uint32_t walk = walked ? walk_of(o) : 0;
    const int log = item_log2(itemsize(o.dtype));
    const auto bytes = static_cast<std::uint8_t>(itemsize(o.dtype));
    if (o.stream && layout == OperandLayout::Contiguous) {
        add(StepKind::Stream, {to, from}).bytes = bytes;
        return;
    }
    Step& step = mask >= 0 ? add(walked ? StepKind::ScatterBlend : StepKind::Blend,
                                 {to, from, static_cast<PointerId>(mask)})
                           : add(walked ? StepKind::Scatter : StepKind::Store, {to, from});
    if (mask >= 0) {
        step.blend = code_.table->blend[log];
    } else {
        step.store = code_.table->store[log];
    }
    step.stride = bytes;
    if (layout == OperandLayout::Strided && !lane) step.operand = number_of(o);
    step.bytes = bytes;
    step.walk = walk;
    if (lane) stream_lanes();
}

bool Compiler::in_place(const PlanOperand& o) {
    return o.home == Home::Tile || operand_layout(o) == OperandLayout::Contiguous;
}

Compiler::Target Compiler::target_of(const PlanOperand& o, DType dtype, bool masked) {
    if (!masked && o.dtype == dtype && in_place(o) && !o.stream) {
        if (o.home == Home::Tile) slot_scalar_[o.index] = false;
        return {pointer_of(o, OperandLayout::Contiguous), true};
    }
    return {temporary(), false};
}

void Compiler::finish_output(const PlanOperand& o, PointerId from, DType dtype, int mask) {
    if (o.home == Home::Tile) slot_scalar_[o.index] = false;
    if (o.dtype != dtype) {
        bool direct = mask < 0 && in_place(o) && !o.stream;
        PointerId to = direct ? pointer_of(o, OperandLayout::Contiguous) : temporary();
        cast(to, from, dtype, o.dtype, false);
        if (direct) return;
        from = to;
    }
    store(o, from, mask);
}

void Compiler::spread_slot(const PlanOperand& o) {
    PointerId slot = slot_pointer(o);
    fill(slot, copy_one(slot, o.dtype), o.dtype);
    slot_scalar_[o.index] = false;
}

void Compiler::spread(const PlanOperand& o, PointerId one, DType dtype, int mask) {
    if (o.home == Home::Tile && mask < 0) {
        slot_scalar_[o.index] = true;
        PointerId slot = slot_pointer(o);
        if (o.dtype != dtype) return cast(slot, one, dtype, o.dtype, true);
        add(StepKind::CopyOne, {slot, one}).bytes = static_cast<std::uint8_t>(itemsize(dtype));
        return;
    }
    if (o.dtype != dtype) {
        PointerId to = temporary();
        cast(to, one, dtype, o.dtype, true);
        one = to;
    }
    if (mask < 0 && o.stream && in_place(o)) {
        const PointerId all = kept_temporary();
        fill(all, one, o.dtype);
        code_.steps.back().keeps = true;
        return store(o, all, -1);
    }
    if (mask < 0 && in_place(o))
        return fill(pointer_of(o, OperandLayout::Contiguous), one, o.dtype);
    if (mask >= 0 && operand_layout(o) != OperandLayout::Walked) {
        store(o, one, mask);
        code_.steps.back().blend = code_.table->blend_one[item_log2(itemsize(o.dtype))];
        return;
    }
    PointerId all = temporary();
    fill(all, one, o.dtype);
    finish_output(o, all, o.dtype, mask);
}

void Compiler::emit_move(const Statement& s, DType through) {
    const PlanOperand& in = operand(s, 1);
    const PlanOperand& out = operand(s, 0);
    bool direct = in_place(out) && out.dtype == through && !out.stream;
    if (operand_layout(in) == OperandLayout::Scalar) {
        Value v = fetch(in, through);
        return spread(out, v.pointer, through, -1);
    }
    if (out.home == Home::Tile) slot_scalar_[out.index] = false;
    int target = direct ? pointer_of(out, OperandLayout::Contiguous) : -1;
    Value v = fetch(in, through, target);
    if (direct && v.pointer == target) return;
    if (direct) return store(out, v.pointer, -1);
    finish_output(out, v.pointer, through, -1);
}

}  // namespace hassium
