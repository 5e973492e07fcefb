#include "reference/reference.hpp"

#include <bit>
#include <cfenv>
#include <cstring>
#include <new>
#include <vector>

#include "base/error.hpp"
#include "ops/dtype_rules.hpp"
#include "program/routine.hpp"
#include "reference/walk.hpp"
#include "runtime/memory_pool.hpp"

namespace hassium {
namespace {

using reference::each_index;
using reference::Place;
using reference::Places;
using reference::Value;
using Index = std::span<const std::int64_t>;

// Allocates all outputs of an instruction before its first store.
void acquire(const Program& program, const Instruction& i, std::span<Binding> bases) {
    SmallVec<BaseId, 6> taken;
    try {
        for (const Operand& o : program.operands_of(i)) {
            if (o.is_constant() || bases[o.base].data) continue;
            bases[o.base].data = memory_pool().acquire(bases[o.base].bytes);
            taken.push_back(o.base);
        }
    } catch (const std::bad_alloc&) {
        for (BaseId base : taken) {
            memory_pool().release(bases[base].data, bases[base].bytes);
            bases[base].data = nullptr;
        }
        throw;
    }
}

Places place_operands(const Program& program, const Instruction& i, std::span<Binding> bases) {
    Places places{{}, i.nout, i.nin};
    for (const Operand& o : program.operands_of(i)) {
        if (o.is_constant()) {
            // Never written: only inputs are constants.
            auto* value = const_cast<unsigned char*>(
                program.constants[static_cast<std::size_t>(o.offset)].bytes);
            places.all.push_back({reinterpret_cast<char*>(value), o.dtype, {}, {}});
        } else {
            places.all.push_back(
                {bases[o.base].data + o.offset, o.dtype, program.shape(o), program.strides(o)});
        }
    }
    return places;
}

void map(const Instruction& i, const Places& places, Index shape) {
    std::optional<Loop> loop = loop_of(i.op, i.compute);
    reference::ElementFn element = reference::element_fn(i.op, i.compute);
    HS_CHECK(loop && element, "a map has a loop in its compute dtype");
    each_index(shape, [&](Index index) {
        if (places.masked_out(index)) return;
        Value in[3], out[2];
        for (int k = 0; k < i.nin; ++k) in[k] = places.in(k).get(index, loop->in[k]);
        element(in, out);
        for (int k = 0; k < i.nout; ++k) places.out(k).put(index, loop->out[k], out[k]);
    });
}

void generate(const Instruction& i, const Places& places, Index shape) {
    const auto value_at = i.op == Op::Random ? reference::random_value : reference::range_value;
    const std::optional<Loop> loop = loop_of(i.op, i.compute);
    HS_CHECK(loop, "a generator has a loop in its compute dtype");
    std::int64_t position = 0;
    each_index(shape, [&](Index index) {
        std::int64_t at = position++;
        if (places.masked_out(index)) return;
        Value value{};
        value_at(i.compute, places.in(0).get(index, loop->in[0]),
                 places.in(1).get(index, loop->in[1]), at, value);
        places.out().put(index, loop->out[0], value);
    });
}

Value combined(const Instruction& i, const Value& before, const Value& value) {
    const Value in[2] = {before, value};
    Value out;
    reference::element_fn(i.op, i.compute)(in, &out);
    return out;
}

// Gather: `part` is the output. Scatter: `whole` is, and the last write to an element wins.
void move_indexed(const Instruction& i, const Places& places, bool gather) {
    const Place& whole = gather ? places.in(0) : places.out();
    const Place& part = gather ? places.out() : places.in(0);
    const Place& position = places.in(1);
    auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    Dims shape;
    for (std::size_t k = 0; k < whole.shape.size(); ++k) {
        if (k != axis) {
            shape.push_back(whole.shape[k]);
            continue;
        }
        for (std::int64_t n : position.shape) shape.push_back(n);
    }
    Dims at(whole.shape.size(), 0);
    each_index(shape, [&](Index index) {
        std::size_t depth = position.shape.size();
        Value number = position.get(index.subspan(axis, depth), DType::I64);
        std::int64_t n;
        std::memcpy(&n, number.bytes, sizeof n);
        for (std::size_t k = 0; k < at.size(); ++k) {
            if (k != axis) at[k] = index[k < axis ? k : k + depth - 1];
        }
        at[axis] = n < 0 ? n + whole.shape[axis] : n;
        HS_CHECK(at[axis] >= 0 && at[axis] < whole.shape[axis],
                 "indices are checked when the operation is recorded");
        if (gather) {
            part.put(index, i.compute, whole.get(at, i.compute));
        } else {
            Value value = part.get(index, i.compute);
            if (i.method == Method::At) value = combined(i, whole.get(at, i.compute), value);
            whole.put(at, i.compute, value);
        }
    });
}

void routine(const Instruction& i, const Places& places, RunState& state) {
    std::vector<BoundView> views;
    for (const Place& place : places.all) {
        views.push_back({place.data, place.dtype, place.shape, place.strides});
    }
    run_routine(i, views, state);
}

void run(const Program& program, const Instruction& i, const Places& places, RunState& state) {
    if (i.method == Method::Reduce && info(i.op).cls == OpClass::Map) {
        return reference::reduce(i, places);
    }
    if (i.method == Method::Accumulate) return reference::accumulate(i, places);
    if (i.method == Method::Reduceat) return reference::reduceat(i, places);
    if (i.method == Method::At) return move_indexed(i, places, false);
    switch (info(i.op).cls) {
        case OpClass::Map:
            return map(i, places, program.iteration_shape(i));
        case OpClass::Reduce:
            return reference::reduce_to_position(i, places);
        case OpClass::Generate:
            return generate(i, places, program.iteration_shape(i));
        case OpClass::Gather:
            return move_indexed(i, places, true);
        case OpClass::Scatter:
            return move_indexed(i, places, false);
        case OpClass::Opaque:
            return routine(i, places, state);
        case OpClass::System:
            return;
    }
}

// Returns the conditions that the instruction may report; the scalar functions raise more than
// their rows state.
std::uint8_t may_raise(const Program& program, const Instruction& i) {
    if (info(i.op).cls == OpClass::Opaque) return info(i.op).raises;
    std::uint8_t flags = raises(i.op, i.compute);
    std::optional<Loop> loop = loop_of(i.op, i.compute);
    if (!loop) return flags;
    auto ins = program.inputs(i), outs = program.outputs(i);
    for (std::size_t k = 0; k < ins.size(); ++k) {
        flags |= cast_raises(ins[k].dtype, i.method == Method::Call ? loop->in[k] : i.compute);
    }
    for (std::size_t k = 0; k < outs.size(); ++k) flags |= cast_raises(loop->out[k], outs[k].dtype);
    return flags;
}

std::uint8_t raised_flags() {
    int flags = std::fetestexcept(FE_ALL_EXCEPT);
    return static_cast<std::uint8_t>(
        (flags & FE_DIVBYZERO ? kDivide : 0) | (flags & FE_OVERFLOW ? kOver : 0) |
        (flags & FE_UNDERFLOW ? kUnder : 0) | (flags & FE_INVALID ? kInvalid : 0));
}

}  // namespace

void run_reference(const Program& program, std::size_t instruction, std::span<Binding> bases,
                   RunState& state) {
    const Instruction& i = program.instructions[instruction];
    if (program.is_del(i)) {
        Binding& base = bases[program.operands[i.operands].base];
        if (base.data) memory_pool().release(base.data, base.bytes);
        base.data = nullptr;
        return;
    }
    if (program.is_sync(i)) return;
    if (state.interrupted && state.interrupted()) throw Interrupted();
    acquire(program, i, bases);
    Places places = place_operands(program, i, bases);
    std::feclearexcept(FE_ALL_EXCEPT);
    run(program, i, places, state);
    state.raised |= raised_flags() & may_raise(program, i);
}

}  // namespace hassium
