// Complex values of a chain: pairs of real ones.
//
// Operations follow the rows of real numbers (ComplexForm), one by one as in simd/math/complex.hpp,
// so that the bits are those of the loops over memory.
#include <algorithm>

#include "base/error.hpp"
#include "exec/chain/chain.hpp"
#include "ops/loop_types.hpp"

namespace hassium {

bool tile_has_complex_map(const TileTable& table, Op op, DType compute) {
    const DType part = real_part(compute);
    if (!table.part[static_cast<int>(compute)][kTileWidths - 1][0]) return false;
    switch (complex_form(op)) {
        case ComplexForm::RealPart:
        case ComplexForm::ImagPart:
            return true;
        case ComplexForm::Product:
        case ComplexForm::Square:
            return tile_has_map(table, Op::Multiply, part);
        case ComplexForm::Conjugate:
            return tile_has_map(table, Op::Negative, part);
        case ComplexForm::ByParts:
        case ComplexForm::BothParts:
        case ComplexForm::EitherPart:
            return tile_has_map(table, op, part);
        case ComplexForm::None:
            break;
    }
    return false;
}

ChainBuilder::Value ChainBuilder::computed(Value value) {
    if (!leaf(value)) return value;
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Node& n = values_[k];
        if (n.kind == Kind::Cast && n.in[0] == value && n.dtype == dtype(value)) {
            return static_cast<Value>(k);
        }
    }
    Node node{Kind::Cast, dtype(value), dtype(value)};
    node.in[0] = value;
    node.inputs = 1;
    return add(node);
}

ChainBuilder::Value ChainBuilder::pair(Value re, Value im) {
    HS_CHECK(dtype(re) == dtype(im), "the parts of a number have one dtype");
    const DType whole = complex_of(dtype(re));
    Node node{Kind::Pair, whole, whole};
    node.in[0] = computed(re);
    node.in[1] = im;
    node.inputs = 2;
    return add(node);
}

ChainBuilder::Value ChainBuilder::part(Value value, int which) {
    const Node whole = values_[at(value)];
    if (whole.kind == Kind::Pair) return whole.in[which];
    const DType dtype = real_part(whole.dtype);
    Node node{whole.kind == Kind::Single ? Kind::Single : Kind::Part, dtype, dtype};
    if (whole.kind == Kind::Single) {
        node.pointer = whole.pointer;
        node.place = whole.place;
        node.into = static_cast<std::uint16_t>(which * itemsize(dtype));
    } else {
        HS_CHECK(whole.kind == Kind::Array, "a complex value is a pair or in memory");
        node.in[0] = value;
        node.inputs = 1;
        node.which = static_cast<std::uint8_t>(which);
    }
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Node& n = values_[k];
        if (n.kind == node.kind && n.dtype == dtype && n.pointer == node.pointer &&
            n.into == node.into && n.in[0] == node.in[0] && n.which == node.which) {
            return static_cast<Value>(k);
        }
    }
    return add(node);
}

ChainBuilder::Value ChainBuilder::fused(Value a, Value b, Value c, bool plus) {
    Node node{Kind::Fused, dtype(c), dtype(c)};
    node.in[0] = computed(a);
    node.in[1] = computed(b);
    node.in[2] = c;
    node.inputs = 3;
    node.which = plus;
    return add(node);
}

ChainBuilder::Value ChainBuilder::product(Value a, Value b, DType real) {
    Value ar = part(a, 0), ai = part(a, 1), br = part(b, 0), bi = part(b, 1);
    Value below[2] = {ai, bi}, across[2] = {ai, br};
    Value re = fused(ar, br, map(Op::Multiply, real, real, below, 2), false);
    return pair(re, fused(ar, bi, map(Op::Multiply, real, real, across, 2), true));
}

ChainBuilder::Value ChainBuilder::complex_map(Op op, DType compute, const Value* in, int count) {
    const DType real = real_part(compute);
    auto by_parts = [&](int which, DType result) {
        Value parts[3] = {};
        for (int k = 0; k < count; ++k) {
            bool whole = kind(dtype(in[k])) == DTypeKind::Complex;
            parts[k] = whole ? part(in[k], which) : in[k];
        }
        return map(op, real, result, parts, count);
    };
    auto truth = [&](Op joined) {
        Value both[2] = {by_parts(0, DType::Bool), -1};
        both[1] = by_parts(1, DType::Bool);
        return map(joined, DType::Bool, DType::Bool, both, 2);
    };
    switch (complex_form(op)) {
        case ComplexForm::ByParts: {
            Value re = by_parts(0, real);
            return pair(re, by_parts(1, real));
        }
        case ComplexForm::RealPart:
            return computed(part(in[0], 0));
        case ComplexForm::ImagPart:
            return computed(part(in[0], 1));
        case ComplexForm::Product:
            return product(in[0], in[1], real);
        case ComplexForm::Square:
            return product(in[0], in[0], real);
        case ComplexForm::Conjugate: {
            Value re = part(in[0], 0), im = part(in[0], 1);
            return pair(re, map(Op::Negative, real, real, &im, 1));
        }
        case ComplexForm::BothParts:
            return truth(Op::LogicalAnd);
        case ComplexForm::EitherPart:
            return truth(Op::LogicalOr);
        case ComplexForm::None:
            break;
    }
    HS_CHECK(false, "a chain knows what it computes of complex numbers");
    return -1;
}

// ---- steps ----

// Returns the step for this value and the next, if they are the parts of one complex square.
TileFn ChainBuilder::whole_square(std::size_t position) const {
    if (position + 1 >= order_.size()) return nullptr;
    if (order_[position].store || order_[position + 1].store) return nullptr;
    const Node& re = values_[at(order_[position].index)];
    const Node& im = values_[at(order_[position + 1].index)];
    if (re.kind != Kind::Squares || im.kind != Kind::Squares || re.which != 0 || im.which != 1) {
        return nullptr;
    }
    const bool same = re.in[0] == im.in[0] && re.in[1] == im.in[1] && re.in[3] == im.in[3];
    return same ? table_.whole_square[static_cast<int>(re.dtype)][width_][re.in[3] >= 0] : nullptr;
}

// Returns the step for the four values from here: |z|^2, the mask from it, and a complex square
// that the mask selects.
TileFn ChainBuilder::near_square(std::size_t position) const {
    if (position + 3 >= order_.size() || !whole_square(position + 2)) return nullptr;
    if (order_[position].store || order_[position + 1].store) return nullptr;
    const Value sum = order_[position].index, mask = order_[position + 1].index;
    const Node& near = values_[at(sum)];
    const Node& compared = values_[at(mask)];
    const Node& square = values_[at(order_[position + 2].index)];
    if (square.in[3] != mask || near.kind != Kind::Squares || near.which != 2 ||
        near.in[0] != square.in[0] || near.in[1] != square.in[1] || uses_[at(sum)].size() != 1 ||
        compared.kind != Kind::Map || compared.in[0] != sum || !is_single(compared.in[1])) {
        return nullptr;
    }
    return table_.near_square[static_cast<int>(compared.op)][static_cast<int>(near.dtype)][width_];
}

// The operands take the places of three steps.
void ChainBuilder::emit_whole_square(std::size_t position, TileFn fn) {
    const Value value = order_[position].index, value_im = order_[position + 1].index;
    const Node& re = values_[at(value)];
    const Node& im = values_[at(value_im)];
    const std::size_t step = add_step(fn), second = add_step(table_.end);
    const std::size_t third = add_step(table_.end);
    set_operand(step, 0, re.in[0]);
    set_operand(step, 1, re.in[1]);
    set_operand(step, 2, re.in[2]);
    set_operand(second, 0, im.in[2]);
    if (re.in[3] >= 0) set_operand(second, 1, re.in[3]);
    // No slot of the mask is reused, as other lanes still read its bytes.
    take_slot(value);
    take_slot(value_im);
    set_operand(second, 2, value);
    set_operand(third, 0, value_im);
    release_inputs(position, re);
    release_inputs(position + 1, im);
    held_ = value_im;
}

void ChainBuilder::emit_near_square(std::size_t position, TileFn fn) {
    const Value mask = order_[position + 1].index;
    take_slot(mask);
    emit_whole_square(position + 2, fn);
    set_operand(chain_.steps.size() - 1, 1, values_[at(mask)].in[1]);
}

void ChainBuilder::emit_squares(const Node& node) {
    const auto type = static_cast<int>(node.dtype);
    const std::size_t step = add_step(table_.squares[type][width_][node.which]);
    for (int k = 0; k < std::min<int>(node.inputs, 3); ++k) set_operand(step, k, node.in[k]);
    if (node.inputs < 4) return;
    const TileFn* forms = tile_forms(table_, Op::Where, node.compute, width_);
    const std::size_t choice = add_step(forms[static_cast<int>(TileForm::AccMem)]);
    set_operand(choice, 0, node.in[node.which]);
    set_operand(choice, 2, node.in[3]);
}

}  // namespace hassium
