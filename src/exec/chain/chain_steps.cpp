// Emits the steps of a chain for values in order (chain.hpp).
#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "exec/chain/chain.hpp"
#include "ops/loop_types.hpp"

namespace hassium {
namespace {

// Returns the logarithm of the item size; for complex dtypes, of a part.
constexpr int log2_bytes(DType dtype) { return item_log2(itemsize(real_part(dtype))); }

// The most output arrays for which the tails of several lines are packed.
constexpr std::size_t kMostTogether = 2;

// Returns the entry of a table sorted by a function, or null.
template <class Entry>
const Entry* find_entry(std::span<const Entry> entries, TileFn Entry::* key, TileFn fn) {
    const auto found = std::ranges::lower_bound(entries, fn, std::less<TileFn>(), key);
    return found != entries.end() && (*found).*key == fn ? &*found : nullptr;
}

TileFn twin_of(const TileTable& table, TileFn fn) {
    const TileTwin* twin = find_entry<TileTwin>(table.twins, &TileTwin::along, fn);
    return twin ? twin->across : nullptr;
}

TileFn form(const TileFn* forms, TileForm f) {
    TileFn fn = forms[static_cast<int>(f)];
    HS_CHECK(fn, "a tile row has every form of its arity");
    return fn;
}

// Returns the cost of a chain, in thirds of a nanosecond as measured on 512-bit registers: a jump
// to the next step 2, eight registers read from the first-level cache 3, written 6. Broadcast
// elements cost next to nothing, and arithmetic is hidden behind the rest.
std::size_t cost(const Chain& chain) {
    const std::size_t touched = chain.arrays.size() + chain.slots.size();
    return 2 * chain.steps.size() + 3 * (touched + chain.kept);
}

// Returns whether a first op of this form leaves the accumulator to the second.
bool leaves_held(ArithmeticForm form) {
    return form == ArithmeticForm::MemMem || form == ArithmeticForm::MemScalar;
}

}  // namespace

Chain ChainBuilder::finish() {
    lie_in_pairs();
    for (const Node& node : values_) {
        width_ = std::max({width_, log2_bytes(node.dtype), log2_bytes(node.compute)});
    }
    order_as_written();
    std::vector<Item> written = std::move(order_);
    order_by_weight();
    if (order_ == written) return build();
    Chain by_weight = build();
    order_ = std::move(written);
    Chain as_written = build();
    return cost(as_written) < cost(by_weight) ? std::move(as_written) : std::move(by_weight);
}

Chain ChainBuilder::build() {
    for (Node& node : values_) node.slot = -1;
    free_slots_.clear();
    slot_count_ = 0;
    held_ = -1;
    chain_ = {};
    chain_.tile = table_.tile_bytes >> width_ >> in_pairs_;
    chain_.overlaps = overlaps_;
    chain_.steps.reserve(order_.size() + 2);
    chain_.arrays.reserve(values_.size());
    chain_.loads.reserve(values_.size());
    chain_.stores.reserve(stores_.size());
    count_uses();
    emit_ahead();
    emit();
    add_step(table_.end);
    finish_stages();
    chain_.together =
        chain_.plain.empty() && chain_.stores.size() <= kMostTogether &&
        std::none_of(values_.begin(), values_.end(), [](const Node& node) { return node.ahead; });
    chain_.row = find_row();
    if (!chain_.row && has_one_width()) chain_.across = find_twins();
    if (!chain_.across.empty()) {
        const std::int64_t slots = slot_count_ * table_.tile_bytes;
        // Slots move along the row, so they need room for it.
        chain_.tile_memory =
            std::max(chain_.tile_memory, slots + kMostOuterLoop * table_.tile_bytes);
    }
    return std::move(chain_);
}

// Returns whether every array is contiguous and as wide as the chain, and all other values are as
// wide, or bools.
bool ChainBuilder::has_one_width() const {
    auto fits = [this](DType dtype) {
        return dtype == DType::Bool ||
               (kind(dtype) != DTypeKind::Complex && log2_bytes(dtype) == width_);
    };
    auto dense = [this](const ChainArray& a) {
        return a.bytes == 1 << width_ && a.stride == a.bytes;
    };
    auto wide = [&](const Node& node) {
        const bool given = node.kind == Kind::Array || node.kind == Kind::Single;
        return fits(node.dtype) && fits(node.compute) && !(given && node.dtype == DType::Bool);
    };
    return (chain_.overlaps || chain_.stores.size() <= kMostTogether) &&
           std::all_of(chain_.stores.begin(), chain_.stores.end(), dense) &&
           std::all_of(chain_.loads.begin(), chain_.loads.end(), dense) &&
           std::all_of(values_.begin(), values_.end(), wide);
}

std::vector<TileFn> ChainBuilder::find_twins() const {
    std::vector<TileFn> twins;
    twins.reserve(chain_.steps.size());
    for (const TileStep& step : chain_.steps) twins.push_back(twin_of(table_, step.fn));
    for (const Chain::Plain& p : chain_.plain) twins[p.step] = twin_of(table_, p.fn);
    const bool all = std::find(twins.begin(), twins.end(), nullptr) == twins.end();
    return all ? twins : std::vector<TileFn>();
}

TileRowFn ChainBuilder::find_row() const {
    const bool one_step = chain_.steps.size() == 3 && chain_.stores.size() == 1;
    if (!one_step || !chain_.plain.empty() || chain_.kept != 0) return nullptr;
    const TileRow* row = find_entry<TileRow>(table_.rows, &TileRow::joined, chain_.steps[0].fn);
    return row ? row->run : nullptr;
}

void ChainBuilder::emit() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (order_[i].store) {
            const Root& root = stores_[at(order_[i].index)];
            emit_store(root);
            const std::uint8_t values = root.re >= 0 ? 2 : 1;
            release_inputs(i, Node{Kind::Cast, {}, {}, {}, {root.value, root.re, -1}, values});
        } else if (std::optional<Joined> some = polynomial(i)) {
            emit_joined(i, *some);
            i += some->values - 1;
        } else if (std::optional<Joined> two = joined(i)) {
            emit_joined(i, *two);
            ++i;
        } else if (TileFn near = near_square(i)) {
            emit_near_square(i, near);
            i += 3;
        } else if (TileFn square = whole_square(i)) {
            emit_whole_square(i, square);
            ++i;
        } else {
            emit_value(i, order_[i].index);
        }
    }
}

bool ChainBuilder::in_memory(Value value) const {
    return leaf(value) || values_[at(value)].slot >= 0;
}

// Returns how the value is the first of two arithmetic ops, if it can be.
std::optional<ChainBuilder::Start> ChainBuilder::start_of(const Node& node) const {
    if (node.kind != Kind::Map) return std::nullopt;
    Value a = node.in[0], b = node.in[1];
    if (info(node.op).is_square() || (a == b && info(node.op).is_product())) {
        return Start{ArithmeticOp::Multiply, ArithmeticForm::Acc, -1, -1};
    }
    bool swaps = held_ == b || (held_ != a && is_single(a));
    std::optional<ArithmeticOp> turn = tile_arithmetic(node.op, !swaps);
    if (node.inputs != 2 || !turn) return std::nullopt;
    if (swaps) std::swap(a, b);
    if (a == b || is(b, Kind::Apart) || (is(a, Kind::Apart) && held_ != a)) return std::nullopt;
    if (held_ == a) {
        return Start{*turn, is_single(b) ? ArithmeticForm::AccScalar : ArithmeticForm::AccMem, b,
                     -1};
    }
    if (is_single(a)) return std::nullopt;
    return Start{*turn, is_single(b) ? ArithmeticForm::MemScalar : ArithmeticForm::MemMem, a, b};
}

std::optional<ChainBuilder::Joined> ChainBuilder::joined(std::size_t position) const {
    if (position + 1 == order_.size() || order_[position + 1].store) return std::nullopt;
    const Value value = order_[position].index;
    const Node& node = values_[at(value)];
    const Node& next = values_[at(order_[position + 1].index)];
    if (!only_next_reads(position) || next.kind != Kind::Map) return std::nullopt;
    if (next.inputs != 2 || next.compute != node.compute || next.in[0] == next.in[1]) {
        return std::nullopt;
    }
    const bool first = next.in[0] == value;
    const Value other = next.in[first];
    std::optional<ArithmeticOp> second = tile_arithmetic(next.op, first);
    std::optional<Start> start = start_of(node);
    if (!second || !start || log2_bytes(node.compute) != width_) return std::nullopt;
    // A square may read its input from memory and leave the accumulator alone. In a chain of one
    // square it also saves the load: with a store that chain runs by rows.
    const Value x = node.in[0];
    const bool alone = order_.size() == 3;
    if (start->form == ArithmeticForm::Acc && (other == held_ || alone) && x != held_ &&
        in_memory(x) && in_tiles(x)) {
        start = Start{ArithmeticOp::Multiply, ArithmeticForm::MemMem, x, x};
    }
    const bool held = other == held_ && leaves_held(start->form) && !is_single(other);
    if (!held && (!in_memory(other) || is(other, Kind::Apart))) return std::nullopt;
    const ArithmeticEnd end = held               ? ArithmeticEnd::Acc
                              : is_single(other) ? ArithmeticEnd::Scalar
                                                 : ArithmeticEnd::Mem;
    TileFn fn = table_.joined[static_cast<int>(node.compute)][static_cast<int>(start->turn)]
                             [static_cast<int>(start->form)][static_cast<int>(*second)]
                             [static_cast<int>(end)];
    if (!fn) return std::nullopt;
    return Joined{fn, 2, {start->p, held ? -1 : other, start->q, -1, -1, -1, -1, -1, -1}};
}

// Returns whether the next two values make one step that ends with the value held now.
bool ChainBuilder::ends_with_held(std::size_t position) const {
    const std::optional<Joined> found = joined(position);
    return found && found->operands[0] >= 0 && found->operands[1] < 0;
}

void ChainBuilder::emit_joined(std::size_t position, const Joined& joined) {
    const Node& node = values_[at(order_[position].index)];
    // Without a first operand the step squares its input in the accumulator.
    if (joined.operands[0] < 0) hold(node.in[0]);
    const std::size_t step = add_step(joined.fn);
    chain_.steps[step].p[1] = reinterpret_cast<char*>(joined.literal);
    for (int k = 0; k < static_cast<int>(std::size(joined.operands)); ++k) {
        if (joined.operands[k] < 0) continue;
        const auto place = step + static_cast<std::size_t>(k / 3);
        while (chain_.steps.size() <= place) add_step(table_.end);
        set_operand(place, k % 3, joined.operands[k]);
    }
    const std::size_t last = position + joined.values - 1;
    for (; position < last; ++position) {
        release_inputs(position, values_[at(order_[position].index)]);
    }
    finish_value(last, order_[last].index);
}

// Called with the value in the accumulator: stores it to a slot if a later step needs one.
void ChainBuilder::finish_value(std::size_t position, Value value) {
    held_ = value;
    release_inputs(position, values_[at(value)]);
    if (needs_slot(position, value)) give_slot(value);
}

void ChainBuilder::emit_value(std::size_t position, Value value) {
    Node& node = values_[at(value)];
    if (node.kind == Kind::Cast) {
        DType from = values_[at(node.in[0])].dtype;
        hold(node.in[0]);
        if (!tile_same_bits(from, node.dtype)) {
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
    } else if (node.kind == Kind::Squares) {
        emit_squares(node);
    } else if (node.kind == Kind::Bools) {
        hold(node.in[0]);
        std::size_t step =
            add_step(table_.with_bools[static_cast<int>(node.dtype)][width_][node.which]);
        set_operand(step, 0, node.in[1]);
    } else {
        emit_map(node);
    }
    finish_value(position, value);
}

void ChainBuilder::emit_map(const Node& node) {
    const TileFn* forms = tile_forms(table_, node.op, node.compute, width_);
    if (node.kind == Kind::Select) return emit_select(node, forms);
    Value a = node.in[0], b = node.in[1];
    if (node.inputs == 1 || a == b) {
        hold(a);
        add_step(form(forms, TileForm::Acc));
        return;
    }
    if (held_ != a && held_ != b) {
        const bool pair = is(a, Kind::Apart) && is(b, Kind::Apart);
        const bool apart = is(a, Kind::Apart) || is(b, Kind::Apart);
        const bool taken =
            pair && takes(node.op, node.compute, a) && takes(node.op, node.compute, b);
        if (!is_single(a) && !is_single(b) && (taken || !apart)) {
            std::size_t step = add_step(form(forms, TileForm::MemMem));
            set_operand(step, 0, a);
            set_operand(step, 1, b);
            if (taken) replace_fn(step, map_taken(node.op, node.compute, 2));
            return;
        }
        hold(is_single(a) || is(b, Kind::Apart) ? b : a);
    }
    const bool first = held_ == a;
    const Value other = first ? b : a;
    const std::size_t step = add_with_held(forms, first, other);
    if (is(other, Kind::Apart)) replace_fn(step, map_taken(node.op, node.compute, first ? 0 : 1));
}

std::size_t ChainBuilder::add_with_held(const TileFn* forms, bool held_first, Value other) {
    const TileForm f = is_single(other) ? (held_first ? TileForm::AccScalar : TileForm::ScalarAcc)
                                        : (held_first ? TileForm::AccMem : TileForm::MemAcc);
    const std::size_t step = add_step(form(forms, f));
    set_operand(step, 0, other);
    return step;
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
    const bool first = held_ == a;
    set_operand(add_with_held(forms, first, first ? b : a), 2, mask);
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

void ChainBuilder::take_slot(Value value) {
    std::uint32_t slot;
    if (free_slots_.empty()) {
        slot = slot_count_++;
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    values_[at(value)].slot = static_cast<std::int32_t>(slot);
    ++chain_.kept;
}

void ChainBuilder::give_slot(Value value) {
    take_slot(value);
    std::size_t step = add_step(table_.keep[static_cast<int>(dtype(value))][width_]);
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
