// Polynomials in Horner's form, in few steps of a chain (chain.hpp).
#include "exec/chain/chain.hpp"
#include "ops/loop_types.hpp"

namespace hassium {

bool ChainBuilder::only_next_reads(std::size_t position) const {
    const Uses& uses = uses_[at(order_[position].index)];
    return uses.size() == 1 && uses[0] == position + 1;
}

// Returns the term if the value at the position is `value` times x (or x times an element if
// `value` is -1) and the next one adds an element to it.
std::optional<ChainBuilder::Term> ChainBuilder::term(std::size_t position, Value value) const {
    if (position + 1 >= order_.size()) return std::nullopt;
    if (order_[position].store || order_[position + 1].store) return std::nullopt;
    const Value product = order_[position].index;
    const Node& node = values_[at(product)];
    const Node& sum = values_[at(order_[position + 1].index)];
    if (node.kind != Kind::Map || !info(node.op).is_product() || sum.kind != Kind::Map ||
        sum.inputs != 2 || sum.compute != node.compute || !only_next_reads(position)) {
        return std::nullopt;
    }
    Value x = node.in[0], by = node.in[1], factor = -1;
    if (value < 0) {
        if (is_single(x)) std::swap(x, by);
        if (!is_single(by)) return std::nullopt;
        factor = by;
    } else {
        if (x == value) std::swap(x, by);
        if (by != value) return std::nullopt;
    }
    if (x == by || !in_memory(x) || !in_tiles(x)) return std::nullopt;
    const bool first = sum.in[0] == product;
    const Value element = sum.in[first];
    const std::optional<ArithmeticOp> turn = tile_arithmetic(sum.op, first);
    if (!turn || (turn != ArithmeticOp::Add && turn != ArithmeticOp::Subtract) ||
        !is_single(element)) {
        return std::nullopt;
    }
    return Term{x, factor, element, turn == ArithmeticOp::Subtract};
}

std::optional<ChainBuilder::Term> ChainBuilder::first_term(std::size_t position) const {
    if (held_ >= 0) {
        if (std::optional<Term> found = term(position, held_)) return found;
    }
    return term(position, -1);
}

// A leading product replaces one of the terms, so that a step has at least two.
std::optional<ChainBuilder::Joined> ChainBuilder::polynomial(std::size_t position) const {
    std::optional<Term> next = first_term(position);
    if (!next) return std::nullopt;
    const Value x = next->x;
    const bool starts = next->factor >= 0;
    Joined found{nullptr, 0, {x, -1, next->factor, -1, -1, -1, -1, -1, -1}, 0};
    int terms = 0;
    while (next && next->x == x && terms < kMostTerms) {
        found.operands[2 + starts + terms] = next->element;
        found.literal |= std::uintptr_t{next->away} << terms++;
        found.values += 2;
        const std::size_t sum = position + found.values - 1;
        if (!only_next_reads(sum)) break;
        next = term(sum + 1, order_[sum].index);
    }
    const DType compute = values_[at(order_[position].index)].compute;
    if (terms < 2 || item_log2(itemsize(real_part(compute))) != width_) return std::nullopt;
    found.fn = table_.polynomial[static_cast<int>(compute)][starts][terms - 2];
    if (!found.fn) return std::nullopt;
    return found;
}

}  // namespace hassium
