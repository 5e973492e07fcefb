// Chains that do the same to both parts of complex values: interleaved pairs (chain.hpp).
//
// Separating the parts of an array and joining them again takes several times as long as adding
// them. A chain that never uses a part alone runs on real numbers instead, two for each element.
// The values of the real parts become those of the pairs; their twins, the values of the imaginary
// parts, are dropped.
#include <algorithm>
#include <utility>

#include "base/counters.hpp"
#include "exec/chain/chain.hpp"
#include "ops/loop_types.hpp"

namespace hassium {

// Returns the value that does to real parts what this one does to imaginary parts, or -1.
ChainBuilder::Value ChainBuilder::real_twin(Value value, const std::vector<Value>& twins) const {
    const Node& node = values_[at(value)];
    auto is_twin = [&](const Node& n) {
        if (n.kind != node.kind || n.op != node.op || n.compute != node.compute ||
            n.dtype != node.dtype || n.inputs != node.inputs) {
            return false;
        }
        if (n.kind == Kind::Part) return n.in[0] == node.in[0] && n.which != node.which;
        return std::equal(n.in, n.in + n.inputs, node.in,
                          [&](Value a, Value b) { return twins[at(b)] == a; });
    };
    for (Value k = 0; k < value; ++k) {
        if (twins[at(k)] < 0 && is_twin(values_[at(k)])) return k;
    }
    return -1;
}

// Returns whether the value reads real parts only, in a step that is the same for both parts.
bool ChainBuilder::of_real_parts(const Node& node, const std::vector<Value>& twins) const {
    if (node.kind == Kind::Part) return node.which == 0;
    const bool same = node.kind == Kind::Cast && node.dtype == dtype(node.in[0]);
    if (node.kind != Kind::Map && !same) return false;
    return std::all_of(node.in, node.in + node.inputs, [&](Value in) {
        return twins[at(in)] < 0 && !is(in, Kind::Array) && !is(in, Kind::Pair);
    });
}

// Returns the twin of each value of imaginary parts, -1 for other values. Returns nothing if some
// value has no twin: a part alone may raise what both would not.
std::optional<std::vector<ChainBuilder::Value>> ChainBuilder::real_twins() const {
    auto stores_pair = [](const Root& r) { return r.re >= 0 && !r.apart; };
    if (!std::ranges::all_of(stores_, stores_pair)) return std::nullopt;
    std::vector<Value> twins(values_.size(), -1);
    std::vector<bool> has_twin(values_.size(), false);
    std::optional<DType> whole;
    std::size_t alone = 0;
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Node& node = values_[k];
        if (node.kind == Kind::Array) {
            if (kind(node.dtype) != DTypeKind::Complex) return std::nullopt;
            if (node.dtype != whole.value_or(node.dtype)) return std::nullopt;
            whole = node.dtype;
        } else if (node.kind == Kind::Pair) {
            if (twins[at(node.in[1])] != node.in[0]) return std::nullopt;
        } else if (of_real_parts(node, twins)) {
            ++alone;
        } else {
            const Value twin = real_twin(static_cast<Value>(k), twins);
            if (twin < 0 || has_twin[at(twin)]) return std::nullopt;
            twins[k] = twin;
            has_twin[at(twin)] = true;
            --alone;
        }
    }
    auto are_twins = [&](const Root& r) { return twins[at(r.value)] == r.re; };
    const bool alike = alone == 0 && std::ranges::all_of(stores_, are_twins);
    return alike ? std::optional(twins) : std::nullopt;
}

void ChainBuilder::lie_in_pairs() {
    const std::optional<std::vector<Value>> twins = real_twins();
    if (!twins) return;
    const std::vector<Node> apart = std::exchange(values_, {});
    std::vector<Value> now(apart.size(), -1);
    for (std::size_t k = 0; k < apart.size(); ++k) {
        Node node = apart[k];
        if (node.kind == Kind::Array || node.kind == Kind::Pair || (*twins)[k] >= 0) continue;
        if (node.kind == Kind::Part) {
            const DType part = node.dtype;
            node = apart[at(node.in[0])];
            node.dtype = node.compute = part;
        } else {
            for (int j = 0; j < node.inputs; ++j) node.in[j] = now[at(node.in[j])];
        }
        now[k] = add(node);
    }
    for (Root& root : stores_) {
        root.value = computed(now[at(root.re)]);
        root.re = -1;
    }
    in_pairs_ = true;
    counters().add(Counter::chains_interleaved);
}

}  // namespace hassium
