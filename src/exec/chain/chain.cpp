#include "exec/chain/chain.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "ops/loop_types.hpp"

namespace hassium {
namespace {

// Common subexpressions are found among this many values: parts of complex products meet those that
// the program has written out.
constexpr std::size_t kLookBack = 64;

}  // namespace

bool tile_same_bits(DType from, DType to) {
    return from == to || (is_integer(from) && is_integer(to) && itemsize(from) == itemsize(to));
}

const TileFn* tile_forms(const TileTable& table, Op op, DType compute, int width) {
    return table.map[static_cast<int>(op)][static_cast<int>(compute)][width];
}

std::optional<ArithmeticOp> tile_arithmetic(Op op, bool value_first) {
    const OpInfo& row = info(op);
    if (row.is_sum()) return ArithmeticOp::Add;
    if (row.is_difference()) return value_first ? ArithmeticOp::Subtract : ArithmeticOp::From;
    if (row.is_product()) return ArithmeticOp::Multiply;
    return std::nullopt;
}

bool tile_has_dtype(const TileTable& table, DType dtype) {
    return itemsize(dtype) <= 8 && table.load[static_cast<int>(dtype)][kTileWidths - 1];
}

bool tile_can_cast(const TileTable& table, DType from, DType to) {
    if (kind(to) == DTypeKind::Complex) {
        return table.part[static_cast<int>(to)][kTileWidths - 1][0] &&
               tile_can_cast(table, real_part(from), real_part(to));
    }
    if (!tile_has_dtype(table, from) || !tile_has_dtype(table, to)) return false;
    return tile_same_bits(from, to) ||
           table.cast[static_cast<int>(from)][static_cast<int>(to)][kTileWidths - 1];
}

bool tile_has_map(const TileTable& table, Op op, DType compute) {
    return tile_forms(table, op, compute, kTileWidths - 1)[static_cast<int>(TileForm::Acc)];
}

ChainBuilder::Value ChainBuilder::add(const Node& node) {
    values_.push_back(node);
    estimate_traffic(values_.back());
    return static_cast<Value>(values_.size() - 1);
}

void ChainBuilder::estimate_traffic(Node& node) const {
    if (node.kind == Kind::Array || node.kind == Kind::Single) return;
    // Inputs by decreasing weight; each result stays live while the next is computed.
    int weights[kMostInputs] = {};
    for (int k = 0; k < node.inputs; ++k) weights[k] = values_[at(node.in[k])].weight;
    std::sort(std::begin(weights), std::end(weights), std::greater<>());
    node.weight = 1;
    for (int k = 0; k < node.inputs; ++k) {
        if (weights[k] > 0) node.weight = std::max(node.weight, weights[k] + k);
    }
}

ChainBuilder::Value ChainBuilder::cast(Value value, DType to) {
    if (values_[at(value)].dtype == to) return value;
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Node& n = values_[k];
        if (n.kind == Kind::Cast && n.in[0] == value && n.dtype == to) {
            return static_cast<Value>(k);
        }
    }
    Node node{Kind::Cast, to, to};
    node.in[0] = value;
    node.inputs = 1;
    return add(node);
}

ChainBuilder::Value ChainBuilder::map(Op op, DType compute, DType result, const Value* inputs,
                                      int count) {
    Value in[3] = {-1, -1, -1};
    for (int k = 0; k < count; ++k) {
        const bool taken = count == 1 || !is(inputs[k], Kind::Apart) ||
                           (count == 2 && takes(op, compute, inputs[k]));
        in[k] = taken ? inputs[k] : computed(inputs[k]);
    }
    // A select reads its mask from memory or the accumulator.
    if (count == 3) in[0] = is_single(in[0]) ? computed(in[0]) : in[0];
    Node node{count == 3 ? Kind::Select : Kind::Map, result, compute};
    node.op = op;
    node.inputs = static_cast<std::uint8_t>(count);
    std::copy(in, in + 3, node.in);
    if (count == 2) node = with_bools(op, compute, in).value_or(node);
    if (count == 2) node = squares(op, compute, in).value_or(node);
    if (count == 3) node = chosen_squares(in).value_or(node);
    for (std::size_t k = values_.size(); k-- > 0 && k + kLookBack >= values_.size();) {
        const Node& n = values_[k];
        if (n.kind == node.kind && n.op == op && n.compute == compute && n.which == node.which &&
            n.inputs == node.inputs && std::ranges::equal(n.in, node.in)) {
            return static_cast<Value>(k);
        }
    }
    return add(node);
}

// Returns a node that reads bools in place, if an operand is only a cast of bools.
std::optional<ChainBuilder::Node> ChainBuilder::with_bools(Op op, DType compute,
                                                           const Value* in) const {
    const TileFn* fns = table_.with_bools[static_cast<int>(compute)][kTileWidths - 1];
    for (int k = 1; k >= 0; --k) {
        const Node& cast = values_[at(in[k])];
        std::optional<ArithmeticOp> turn = tile_arithmetic(op, k == 1);
        if (cast.kind != Kind::Cast || cast.dtype != compute || !turn) continue;
        if (dtype(cast.in[0]) != DType::Bool || is_single(cast.in[0])) continue;
        if (is(cast.in[0], Kind::Apart)) continue;
        if (!fns[static_cast<int>(*turn)]) continue;
        Node node{Kind::Bools, compute, compute};
        node.op = op;
        node.in[0] = in[1 - k];
        node.in[1] = cast.in[0];
        node.inputs = 2;
        node.which = static_cast<std::uint8_t>(*turn);
        return node;
    }
    return std::nullopt;
}

// Returns the value whose square this is, or -1.
ChainBuilder::Value ChainBuilder::squared(Value value, DType compute) const {
    const Node& n = values_[at(value)];
    if (n.kind != Kind::Map || n.compute != compute || n.dtype != compute) return -1;
    const OpInfo& row = info(n.op);
    const bool square = row.is_square() || (row.is_product() && n.in[0] == n.in[1]);
    return square && in_tiles(n.in[0]) ? n.in[0] : -1;
}

void ChainBuilder::absorb(Node& node) {
    absorbed_ += !node.absorbed;
    node.absorbed = true;
}

// Returns a node for a sum of two squares, or for a part of a complex square plus a value: one step
// in place of three to five. Its intermediates get own steps only if others read them.
std::optional<ChainBuilder::Node> ChainBuilder::squares(Op op, DType compute, const Value* in) {
    const TileFn* fns = table_.squares[static_cast<int>(compute)][kTileWidths - 1];
    if (!info(op).is_sum() || !fns[0]) return std::nullopt;
    Node node{Kind::Squares, compute, compute};
    node.op = op;
    const Value a = squared(in[0], compute), b = squared(in[1], compute);
    if (a >= 0 && b >= 0) {
        node.in[0] = a;
        node.in[1] = b;
        node.inputs = 2;
        node.which = 2;
        absorb(values_[at(in[0])]);
        absorb(values_[at(in[1])]);
        return node;
    }
    Node& part = values_[at(in[0])];
    if (part.kind != Kind::Fused || !in_tiles(in[1])) return std::nullopt;
    Node& other = values_[at(part.in[2])];
    const bool product = other.kind == Kind::Map && info(other.op).is_product();
    const Value re = part.in[0], im = other.in[0];
    const bool real = part.which == 0 && part.in[1] == re && other.in[1] == im;
    const bool imaginary = part.which == 1 && part.in[1] == im && other.in[1] == re;
    if (!product || !(real || imaginary) || !in_tiles(re) || !in_tiles(im)) return std::nullopt;
    node.in[0] = re;
    node.in[1] = im;
    node.in[2] = in[1];
    node.inputs = 3;
    node.which = part.which;
    absorb(part);
    absorb(other);
    return node;
}

// Returns a node for a part of z * z + c where a mask is true, and of z elsewhere.
std::optional<ChainBuilder::Node> ChainBuilder::chosen_squares(const Value* in) {
    Node& part = values_[at(in[1])];
    if (part.kind != Kind::Squares || part.inputs != 3 || part.in[part.which] != in[2] ||
        !in_tiles(in[0])) {
        return std::nullopt;
    }
    Node node = part;
    node.op = Op::Where;
    node.in[3] = in[0];
    node.inputs = 4;
    node.absorbed = false;
    absorb(part);
    return node;
}

void ChainBuilder::store(Value value, PointerId pointer, Place place, bool stream,
                         std::optional<TileStrided> apart) {
    bool complex = is(value, Kind::Pair);
    // A copy of an array could not be moved before the step that overwrites the array.
    HS_CHECK(!leaf(complex ? values_[at(value)].in[0] : value), "a chain stores what it computed");
    // A later store replaces an earlier one: only values have read it in between.
    std::erase_if(stores_, [&](const Root& r) { return r.pointer == pointer; });
    if (complex) {
        const Node& parts = values_[at(value)];
        stores_.push_back({parts.in[1], pointer, place, stream, apart, parts.in[0]});
    } else {
        stores_.push_back({value, pointer, place, stream, apart});
    }
}

bool ChainBuilder::stores_to(Place place) const {
    return std::any_of(stores_.begin(), stores_.end(),
                       [place](const Root& r) { return r.place == place; });
}

bool ChainBuilder::reads_other_size(Place place, DType dtype) const {
    return std::any_of(values_.begin(), values_.end(), [=](const Node& n) {
        return n.kind == Kind::Array && n.place == place && itemsize(n.dtype) != itemsize(dtype);
    });
}

}  // namespace hassium
