#include "exec/chain.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "ops/loop_types.hpp"

namespace hassium {
namespace {

// Of what a tile holds.
constexpr int log2_bytes(DType dtype) { return item_log2(itemsize(real_part(dtype))); }

// Operations on the same values this close to each other are one: parts of complex products meet
// those that the program has written out.
constexpr std::size_t kLookBack = 64;

// Registers of integers are what they are: only the reading changes.
bool same_bits(DType from, DType to) {
    return from == to || (is_integer(from) && is_integer(to) && itemsize(from) == itemsize(to));
}

const TileFn* forms_of(const TileTable& table, Op op, DType compute, int width) {
    return table.map[static_cast<int>(op)][static_cast<int>(compute)][width];
}

TileFn form(const TileFn* forms, TileForm f) {
    TileFn fn = forms[static_cast<int>(f)];
    HS_CHECK(fn, "a tile row has every form of its arity");
    return fn;
}

}  // namespace

bool tile_has_dtype(const TileTable& table, DType dtype) {
    return itemsize(dtype) <= 8 && table.load[static_cast<int>(dtype)][kTileWidths - 1];
}

bool tile_can_cast(const TileTable& table, DType from, DType to) {
    if (kind(to) == DTypeKind::Complex) {
        return table.part[static_cast<int>(to)][kTileWidths - 1][0] &&
               tile_can_cast(table, real_part(from), real_part(to));
    }
    if (!tile_has_dtype(table, from) || !tile_has_dtype(table, to)) return false;
    return same_bits(from, to) ||
           table.cast[static_cast<int>(from)][static_cast<int>(to)][kTileWidths - 1];
}

bool tile_has_map(const TileTable& table, Op op, DType compute) {
    return forms_of(table, op, compute, kTileWidths - 1)[static_cast<int>(TileForm::Acc)];
}

// --- values
// -------------------------------------------------------------------------------------

ChainBuilder::Value ChainBuilder::add(const Node& node) {
    values_.push_back(node);
    weigh(values_.back());
    return static_cast<Value>(values_.size() - 1);
}

void ChainBuilder::weigh(Node& node) const {
    if (node.kind == Kind::Array || node.kind == Kind::Single) return;
    // Inputs by falling weight; each that is done waits while the next is computed.
    int weights[3] = {0, 0, 0};
    for (int k = 0; k < node.inputs; ++k) weights[k] = values_[at(node.in[k])].weight;
    std::sort(weights, weights + 3, [](int a, int b) { return a > b; });
    node.weight = 1;
    for (int k = 0; k < 3; ++k) {
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
    Value in[3];
    for (int k = 0; k < count; ++k) {
        const bool taken = count == 1 || !is(inputs[k], Kind::Apart) ||
                           (count == 2 && takes(op, compute, inputs[k]));
        in[k] = taken ? inputs[k] : computed(inputs[k]);
    }
    for (std::size_t k = values_.size(); k-- > 0 && k + kLookBack >= values_.size();) {
        const Node& n = values_[k];
        bool map = n.kind == Kind::Map || n.kind == Kind::Select;
        if (map && n.op == op && n.compute == compute && n.inputs == count &&
            std::equal(in, in + count, n.in)) {
            return static_cast<Value>(k);
        }
    }
    Node node{count == 3 ? Kind::Select : Kind::Map, result, compute};
    node.op = op;
    node.inputs = static_cast<std::uint8_t>(count);
    std::copy(in, in + count, node.in);
    return add(node);
}

void ChainBuilder::store(Value value, PointerId pointer, Place place, bool stream,
                         std::optional<TileApart> apart) {
    bool complex = is(value, Kind::Pair);
    // A copy of an array could not be moved before what overwrites the array.
    HS_CHECK(!leaf(complex ? values_[at(value)].in[0] : value), "a chain stores what it computed");
    // What is written again was only read by values.
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

// --- order
// --------------------------------------------------------------------------------------

void ChainBuilder::order() {
    for (std::size_t k = 0; k < stores_.size(); ++k) {
        if (stores_[k].re >= 0) visit(stores_[k].re);
        visit(stores_[k].value);
        visit_readers(stores_[k].place);
        order_.push_back({true, static_cast<std::int32_t>(k)});
    }
    // What nobody reads may still raise conditions.
    for (std::size_t k = 0; k < values_.size(); ++k) visit(static_cast<Value>(k));
}

void ChainBuilder::visit(Value value) {
    Node& node = values_[at(value)];
    if (leaf(value) || node.ordered || node.kind == Kind::Pair) return;
    node.ordered = true;
    Value in[3];
    std::copy(node.in, node.in + node.inputs, in);
    // The third input of a fused product is wanted in the accumulator.
    int free = node.kind == Kind::Fused ? 2 : node.inputs;
    std::stable_sort(in, in + free, [this](Value a, Value b) {
        return values_[at(a)].weight > values_[at(b)].weight;
    });
    for (int k = 0; k < node.inputs; ++k) visit(in[k]);
    order_.push_back({false, value});
}

// Whoever reads an array comes before it is overwritten.
void ChainBuilder::visit_readers(Place place) {
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Node& node = values_[k];
        for (int j = 0; j < node.inputs; ++j) {
            if (!leaf(node.in[j]) || values_[at(node.in[j])].place != place) continue;
            chain_.overlaps = false;
            visit(static_cast<Value>(k));
        }
    }
}

void ChainBuilder::count_uses() {
    uses_.assign(values_.size(), {});
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
            std::vector<std::uint32_t>& uses = uses_[at(node.in[k])];
            if (uses.empty() || uses.back() != position) uses.push_back(position);
        }
    }
}

// Can the step take the value from the accumulator, and nothing of it from memory?
bool ChainBuilder::takes_held(const Node& node, Value value) const {
    if (node.kind == Kind::Fused) return node.in[0] != value && node.in[1] != value;
    if (node.kind != Kind::Select) return true;
    int times = 0;
    for (Value in : node.in) times += in == value;
    if (times != 1) return false;
    return node.in[0] != value || (!is_single(node.in[1]) && !is_single(node.in[2]));
}

bool ChainBuilder::needs_slot(std::size_t position, Value value) const {
    const std::vector<std::uint32_t>& uses = uses_[at(value)];
    std::size_t next = position + 1, use = 0;
    auto stores = [&](const Root& r) { return r.value == value && r.re != value; };
    while (next < order_.size() && order_[next].store && stores(stores_[at(order_[next].index)])) {
        ++next;
        ++use;
    }
    if (use == uses.size()) return false;
    if (next == order_.size()) return true;
    return use + 1 < uses.size() || uses[use] != next || order_[next].store ||
           !takes_held(values_[at(order_[next].index)], value);
}

// --- steps
// --------------------------------------------------------------------------------------

Chain ChainBuilder::finish() {
    for (const Node& node : values_) {
        width_ = std::max({width_, log2_bytes(node.dtype), log2_bytes(node.compute)});
    }
    chain_.tile = table_.tile_bytes >> width_;
    order();
    count_uses();
    emit_ahead();
    emit();
    add_step(table_.end);
    finish_stages();
    return std::move(chain_);
}

void ChainBuilder::emit() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (order_[i].store) {
            const Root& root = stores_[at(order_[i].index)];
            emit_store(root);
            const std::uint8_t values = root.re >= 0 ? 2 : 1;
            release_inputs(i, Node{Kind::Cast, {}, {}, {}, {root.value, root.re, -1}, values});
        } else {
            emit_value(i, order_[i].index);
        }
    }
}

void ChainBuilder::emit_value(std::size_t position, Value value) {
    Node& node = values_[at(value)];
    if (node.kind == Kind::Cast) {
        DType from = values_[at(node.in[0])].dtype;
        hold(node.in[0]);
        if (!same_bits(from, node.dtype)) {
            TileFn fn = table_.cast[static_cast<int>(from)][static_cast<int>(node.dtype)][width_];
            HS_CHECK(fn, "a chain casts between tile dtypes");
            add_step(fn);
        }
    } else if (node.kind == Kind::Part) {
        const auto& fns = table_.part[static_cast<int>(values_[at(node.in[0])].dtype)][width_];
        set_operand(add_step(fns[node.which]), 0, node.in[0]);
    } else if (node.kind == Kind::Fused) {
        hold(node.in[2]);
        std::size_t step = add_step(table_.fused[static_cast<int>(node.dtype)][width_][node.which]);
        set_operand(step, 0, node.in[0]);
        set_operand(step, 1, node.in[1]);
    } else {
        emit_map(node);
    }
    held_ = value;
    release_inputs(position, node);
    if (needs_slot(position, value)) give_slot(value);
}

void ChainBuilder::emit_map(const Node& node) {
    const TileFn* forms = forms_of(table_, node.op, node.compute, width_);
    if (node.kind == Kind::Select) return emit_select(node, forms);
    Value a = node.in[0], b = node.in[1];
    if (node.inputs == 1 || a == b) {
        hold(a);
        add_step(form(forms, TileForm::Acc));
        return;
    }
    if (held_ != a && held_ != b) {
        const bool apart = is(a, Kind::Apart) || is(b, Kind::Apart);
        if (!is_single(a) && !is_single(b) && !apart) {
            std::size_t step = add_step(form(forms, TileForm::MemMem));
            set_operand(step, 0, a);
            set_operand(step, 1, b);
            return;
        }
        hold(is_single(a) || is(b, Kind::Apart) ? b : a);
    }
    bool first = held_ == a;
    Value other = first ? b : a;
    TileForm f = is_single(other) ? (first ? TileForm::AccScalar : TileForm::ScalarAcc)
                                  : (first ? TileForm::AccMem : TileForm::MemAcc);
    std::size_t step = add_step(form(forms, f));
    set_operand(step, 0, other);
    if (is(other, Kind::Apart)) replace_fn(step, map_taken(node.op, node.compute, !first));
}

void ChainBuilder::emit_select(const Node& node, const TileFn* forms) {
    Value mask = node.in[0], a = node.in[1], b = node.in[2];
    bool both_in_memory = !is_single(a) && !is_single(b);
    if (held_ == mask && mask != a && mask != b && both_in_memory) {
        std::size_t step = add_step(form(forms, TileForm::Acc));
        set_operand(step, 0, a);
        set_operand(step, 1, b);
        return;
    }
    if (held_ != a && held_ != b && both_in_memory) {
        std::size_t step = add_step(form(forms, TileForm::MemMem));
        set_operand(step, 0, a);
        set_operand(step, 1, b);
        set_operand(step, 2, mask);
        return;
    }
    if (held_ != a && held_ != b) hold(is_single(a) ? b : a);
    bool first = held_ == a;
    Value other = first ? b : a;
    TileForm f = is_single(other) ? (first ? TileForm::AccScalar : TileForm::ScalarAcc)
                                  : (first ? TileForm::AccMem : TileForm::MemAcc);
    std::size_t step = add_step(form(forms, f));
    set_operand(step, 0, other);
    set_operand(step, 2, mask);
}

// Brings a value into the accumulator.
void ChainBuilder::hold(Value value) {
    if (held_ == value) return;
    const Node& node = values_[at(value)];
    const auto& fns = node.kind == Kind::Single ? table_.splat : table_.load;
    std::size_t step = add_step(fns[static_cast<int>(node.dtype)][width_]);
    set_operand(step, 0, value);
    if (node.kind == Kind::Apart) {
        replace_fn(step, table_.take[node.which][log2_bytes(node.dtype)][width_]);
    }
    held_ = value;
}

void ChainBuilder::give_slot(Value value) {
    Node& node = values_[at(value)];
    std::uint32_t slot;
    if (free_slots_.empty()) {
        slot = slot_count_++;
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    node.slot = static_cast<std::int32_t>(slot);
    std::size_t step = add_step(table_.store[static_cast<int>(node.dtype)][width_]);
    set_operand(step, 0, value);
}

void ChainBuilder::release_inputs(std::size_t position, const Node& node) {
    for (int k = 0; k < node.inputs; ++k) {
        Value in = node.in[k];
        if (values_[at(in)].slot < 0 || uses_[at(in)].back() != position) continue;
        bool seen = false;
        for (int j = 0; j < k; ++j) seen = seen || node.in[j] == in;
        if (!seen) free_slots_.push_back(static_cast<std::uint32_t>(values_[at(in)].slot));
    }
}

std::size_t ChainBuilder::add_step(TileFn fn) {
    HS_CHECK(fn, "a chain has a kernel for every step");
    chain_.steps.push_back({fn, {nullptr, nullptr, nullptr}, {0, 0, 0}});
    return chain_.steps.size() - 1;
}

void ChainBuilder::set_operand(std::size_t step, int operand, Value value) {
    const Node& node = values_[at(value)];
    auto number = static_cast<std::uint32_t>(step);
    auto which = static_cast<std::uint16_t>(operand);
    if (node.kind == Kind::Single) {
        chain_.singles.push_back({number, which, node.pointer, -1, node.into});
    } else if (node.kind == Kind::Array || node.kind == Kind::Apart) {
        load_array(step, operand, node);
    } else {
        HS_CHECK(node.slot >= 0, "a value that a step reads from memory has a slot");
        auto offset = static_cast<std::uint32_t>(node.slot * table_.tile_bytes);
        chain_.slots.push_back({number, which, offset});
    }
}

}  // namespace hassium
