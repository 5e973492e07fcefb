// The order in which a chain computes and stores its values (chain.hpp).
#include <algorithm>

#include "exec/chain/chain.hpp"

namespace hassium {

void ChainBuilder::begin_order() {
    for (Node& node : values_) node.ordered = false;
    order_.clear();
    order_.reserve(values_.size() + stores_.size());
}

void ChainBuilder::order_by_weight() {
    begin_order();
    for (std::size_t k = 0; k < stores_.size(); ++k) visit_root(k);
    for (std::size_t k = 0; k < values_.size(); ++k) {
        if (!drops(values_[k])) visit(static_cast<Value>(k));
    }
}

void ChainBuilder::visit_root(std::size_t number) {
    const Root& root = stores_[number];
    if (root.re >= 0) visit(root.re);
    visit(root.value);
    visit_readers(root.place);
    order_.push_back({true, static_cast<std::int32_t>(number)});
}

// Orders each store directly after its value is computed, but after all readers of the memory that
// it overwrites; stores to the same memory keep their order.
void ChainBuilder::order_as_written() {
    begin_order();
    std::vector<std::size_t> due(stores_.size());
    for (std::size_t r = 0; r < stores_.size(); ++r) {
        const Root& root = stores_[r];
        due[r] = std::max(at(root.value), last_reader(root.place));
        if (root.re >= 0) due[r] = std::max(due[r], at(root.re));
        for (std::size_t e = 0; e < r; ++e) {
            if (stores_[e].place == root.place) due[r] = std::max(due[r], due[e]);
        }
    }
    for (std::size_t k = 0; k < values_.size(); ++k) {
        if (!drops(values_[k])) visit(static_cast<Value>(k));
        for (std::size_t r = 0; r < stores_.size(); ++r) {
            if (due[r] == k) visit_root(r);
        }
    }
}

// Returns whether a value without a reader is dropped. Others may raise exceptions; a cast of bools
// does not, and an absorbing node raises those of an absorbed one.
bool ChainBuilder::drops(const Node& node) const {
    return node.absorbed || (node.kind == Kind::Cast && dtype(node.in[0]) == DType::Bool);
}

void ChainBuilder::visit(Value value) {
    Node& node = values_[at(value)];
    if (leaf(value) || node.ordered || node.kind == Kind::Pair) return;
    node.ordered = true;
    Value in[kMostInputs];
    std::copy(node.in, node.in + node.inputs, in);
    // The third input of a fused product is taken from the accumulator.
    int free = node.kind == Kind::Fused ? 2 : node.inputs;
    for (int end = 1; end < free; ++end) {  // insertion sort
        for (int k = end; k > 0 && values_[at(in[k - 1])].weight < values_[at(in[k])].weight; --k) {
            std::swap(in[k - 1], in[k]);
        }
    }
    for (int k = 0; k < node.inputs; ++k) visit(in[k]);
    order_.push_back({false, value});
}

// Visits the readers of an array before the step that overwrites it.
void ChainBuilder::visit_readers(Place place) {
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Node& node = values_[k];
        for (int j = 0; j < node.inputs; ++j) {
            if (!leaf(node.in[j]) || values_[at(node.in[j])].place != place) continue;
            overlaps_ = false;
            visit(static_cast<Value>(k));
        }
    }
}

std::size_t ChainBuilder::last_reader(Place place) const {
    for (std::size_t k = values_.size(); k-- > 0;) {
        const Node& node = values_[k];
        for (int j = 0; j < node.inputs; ++j) {
            if (leaf(node.in[j]) && values_[at(node.in[j])].place == place) return k;
        }
    }
    return 0;
}

void ChainBuilder::count_uses() {
    uses_.resize(values_.size());
    for (Uses& uses : uses_) uses.clear();
    for (std::size_t i = 0; i < order_.size(); ++i) {
        auto position = static_cast<std::uint32_t>(i);
        if (order_[i].store) {
            const Root& root = stores_[at(order_[i].index)];
            uses_[at(root.value)].push_back(position);
            if (root.re >= 0 && root.re != root.value) uses_[at(root.re)].push_back(position);
            continue;
        }
        const Node& node = values_[at(order_[i].index)];
        for (int k = 0; k < node.inputs; ++k) {
            Uses& uses = uses_[at(node.in[k])];
            if (uses.empty() || uses.back() != position) uses.push_back(position);
        }
    }
}

// Returns whether the step can take the value from the accumulator, without reading it from memory.
bool ChainBuilder::takes_held(const Node& node, Value value) const {
    if (node.kind == Kind::Fused) return node.in[0] != value && node.in[1] != value;
    if (node.kind == Kind::Bools) return node.in[0] == value;
    if (node.kind == Kind::Squares) return false;
    if (node.kind != Kind::Select) return true;
    int times = 0;
    for (Value in : node.in) times += in == value;
    if (times != 1) return false;
    return node.in[0] != value || (!is_single(node.in[1]) && !is_single(node.in[2]));
}

bool ChainBuilder::needs_slot(std::size_t position, Value value) const {
    const Uses& uses = uses_[at(value)];
    std::size_t next = position + 1, use = 0;
    auto stores = [&](const Root& r) { return r.value == value && r.re != value; };
    while (next < order_.size() && order_[next].store && stores(stores_[at(order_[next].index)])) {
        ++next;
        ++use;
    }
    if (use == uses.size()) return false;
    if (next == order_.size()) return true;
    if (use + 1 == uses.size() && uses[use] == next + 1 && !order_[next].store) {
        return !ends_with_held(next);
    }
    return use + 1 < uses.size() || uses[use] != next || order_[next].store ||
           !takes_held(values_[at(order_[next].index)], value);
}

}  // namespace hassium
