// Maps that run together on register tiles: which statements join a chain, and where it ends.
//
// A chain takes consecutive statements as long as their inputs are available: arrays in place,
// copies made before the chain of arrays with large strides, results of the chain itself. A result
// without a reader after the chain is never stored.
#include <algorithm>

#include "base/error.hpp"
#include "exec/compile/compiler.hpp"
#include "ops/loop_types.hpp"

namespace hassium {
namespace {

// Bounds the stack: builds without tail calls use a frame for each value.
constexpr std::size_t kMostValues = 400;
// Bound of packed copies of strided arrays, which share the first-level cache with the arrays.
constexpr int kMostCopies = 12;

ChainBuilder::Place place_of(const PlanOperand& o) {
    return static_cast<ChainBuilder::Place>(o.home) << 32 | o.index;
}
// A temporary is written once and has no alias.
ChainBuilder::Place place_of(PointerId temporary) {
    return ChainBuilder::Place{255} << 32 | temporary;
}
ChainBuilder::Place place_of_partials(std::size_t reduction) {
    return ChainBuilder::Place{254} << 32 | reduction;
}

}  // namespace

const Compiler::Computed* Compiler::computed(std::uint32_t operand) const {
    auto found = std::find_if(computed_.begin(), computed_.end(),
                              [operand](const Computed& c) { return c.operand == operand; });
    return found == computed_.end() ? nullptr : &*found;
}

bool Compiler::tiled(const Statement& s) const {
    if (s.masked || s.reduction >= 0 || s.nout != 1 || !info(s.op).is_elementwise()) return false;
    const TileTable& tiles = *code_.tiles;
    auto loop = loop_of(s.op, s.compute);
    bool copy = info(s.op).rule == DTypeRule::Any;
    if (!loop || !(copy ? copies_computed(s) : has_tile_row(s))) return false;
    if (is_complex_product(s) && !has_neighbour(s)) return false;
    bool any_array = false;
    for (std::size_t k = 0; k < s.nin; ++k) {
        const PlanOperand& o = operand(s, 1 + k);
        if (!tile_can_cast(tiles, o.dtype, loop->in[k])) return false;
        any_array =
            any_array || computed(s.operands[1 + k]) || operand_layout(o) != OperandLayout::Scalar;
    }
    return any_array && tile_can_cast(tiles, loop->out[0], operand(s, 0).dtype);
}

// Returns whether a copy joins a chain: of values that a chain computed, or with a cast to a tile
// slot. Copies of arrays are moves.
bool Compiler::copies_computed(const Statement& s) const {
    const Computed* known = computed(s.operands[1]);
    if (known && !chain_->is_leaf(known->value)) return true;
    return operand(s, 0).home == Home::Tile && operand(s, 0).dtype != operand(s, 1).dtype;
}

// Returns whether an adjacent statement can share a chain.
bool Compiler::has_neighbour(const Statement& s) const {
    const Computed* known = computed(s.operands[1]);
    if (known && !chain_->is_leaf(known->value)) return true;
    const auto next = static_cast<std::size_t>(&s - plan_.statements.data()) + 1;
    if (next == plan_.statements.size()) return false;
    const Statement& user = plan_.statements[next];
    const bool reads = std::find(user.operands.begin() + 1, user.operands.end(), s.operands[0]) !=
                       user.operands.end();
    return reads && !user.masked && user.reduction < 0 && user.nout == 1 &&
           info(user.op).is_elementwise() && has_tile_row(user);
}

// Returns whether the statement is a complex product: six steps on parts in a chain, where a loop
// over memory has both parts in registers.
bool Compiler::is_complex_product(const Statement& s) const {
    const OpInfo& row = info(s.op);
    return kind(s.compute) == DTypeKind::Complex && (row.is_product() || row.is_square());
}

bool Compiler::has_tile_row(const Statement& s) const {
    const TileTable& tiles = *code_.tiles;
    if (kind(s.compute) == DTypeKind::Complex) return tile_has_complex_map(tiles, s.op, s.compute);
    if (info(s.op).rule != DTypeRule::Clip) return tile_has_map(tiles, s.op, s.compute);
    return tile_has_map(tiles, Op::Maximum, s.compute) &&
           tile_has_map(tiles, Op::Minimum, s.compute);
}

bool Compiler::waits_for_chain(const Statement& s) const {
    for (std::size_t k = 1; k < s.operands.size(); ++k) {
        if (computed(s.operands[k])) continue;
        const PlanOperand& in = operand(s, k);
        if (in.home == Home::Constant) continue;
        if (chain_->stores_to(place_of(in))) return true;
        for (const Moved& m : moved_) {
            if (place_of(plan_.operands[m.operand]) == place_of(in)) return true;
        }
    }
    return false;
}

ChainBuilder::Value Compiler::chain_cast(ChainBuilder::Value value, DType to) {
    DType from = chain_->dtype(value);
    if (from == to || kind(to) != DTypeKind::Complex) return chain_->cast(value, to);
    DType part = real_part(to);
    if (kind(from) == DTypeKind::Complex) {
        ChainBuilder::Value re = chain_->cast(chain_->part(value, 0), part);
        return chain_->pair(re, chain_->cast(chain_->part(value, 1), part));
    }
    constexpr unsigned char kZero[16] = {};
    if (!zero_) zero_ = literal(kZero);
    return chain_->pair(chain_->cast(value, part), chain_->single(*zero_, part, place_of(*zero_)));
}

ChainBuilder::Value Compiler::chain_input(std::uint32_t index, DType wanted) {
    const PlanOperand& o = plan_.operands[index];
    if (const Computed* known = computed(index)) return chain_cast(known->value, wanted);
    OperandLayout layout = operand_layout(o);
    if (layout == OperandLayout::Scalar && o.home == Home::Tile) {
        // A later value of the chain may take the slot.
        PointerId copy = copy_one(fetch(o, wanted).pointer, wanted);
        return chain_->single(copy, wanted, place_of(copy));
    }
    if (layout == OperandLayout::Scalar) {
        return chain_->single(fetch(o, wanted).pointer, wanted, place_of(o));
    }
    if (layout == OperandLayout::Contiguous) {
        ChainBuilder::Value value = chain_->array(pointer_of(o, layout), o.dtype, place_of(o));
        if (o.ahead) chain_->prefetch(value);
        return chain_cast(value, wanted);
    }
    if (std::optional<TileStrided> how = apart_of(o)) {
        PointerId pointer = pointer_of(o, layout);
        ChainBuilder::Value value = chain_->apart(pointer, o.dtype, place_of(o), *how);
        if (o.ahead) chain_->prefetch(value);
        return chain_cast(value, wanted);
    }
    if (code_.lies[number_of(o)].direct == Direct::Rows) {
        PointerId pointer = pointer_of(o, layout);
        ChainBuilder::Value value = chain_->array(pointer, o.dtype, place_of(o));
        if (o.ahead) chain_->prefetch(value);
        bool known = std::any_of(walked_.begin(), walked_.end(),
                                 [pointer](const Walked& w) { return w.pointer == pointer; });
        if (!known) walked_.push_back({pointer, walk_of(o)});
        return chain_cast(value, wanted);
    }
    PointerId copy = loaded(o, layout);
    ChainBuilder::Value value = chain_->array(copy, o.dtype, place_of(copy));
    computed_.push_back({index, value});
    return chain_cast(value, wanted);
}

std::optional<TileStrided> Compiler::apart_of(const PlanOperand& o) const {
    const Direct direct = code_.lies[number_of(o)].direct;
    if (direct == Direct::Second) return TileStrided::Second;
    if (direct == Direct::Backward) return TileStrided::Backward;
    if (direct == Direct::Strided) return TileStrided::Strided;
    return std::nullopt;
}

void Compiler::set_walks(Chain& chain) {
    for (const Walked& w : walked_) {
        auto number = static_cast<std::int32_t>(chain.walks.size());
        for (ChainAddress& a : chain.arrays) {
            if (a.pointer == w.pointer) a.walk = number;
        }
        for (ChainArray& a : chain.loads) {
            if (a.pointer == w.pointer) a.walk = number;
        }
        chain.walks.push_back(w.walk);
    }
    walked_.clear();
}

ChainBuilder::Value Compiler::chain_value(const Statement& s) {
    auto loop = loop_of(s.op, s.compute);
    ChainBuilder::Value in[3] = {};
    for (std::size_t k = 0; k < s.nin; ++k) in[k] = chain_input(s.operands[1 + k], loop->in[k]);
    switch (info(s.op).rule) {
        case DTypeRule::Any:
            return in[0];
        case DTypeRule::Clip: {
            // Maximum, then minimum, as NumPy defines it; a NaN in any of the three propagates.
            ChainBuilder::Value raised = chain_->map(Op::Maximum, s.compute, s.compute, in, 2);
            ChainBuilder::Value both[2] = {raised, in[2]};
            return chain_->map(Op::Minimum, s.compute, s.compute, both, 2);
        }
        default:
            if (kind(s.compute) == DTypeKind::Complex) {
                return chain_->complex_map(s.op, s.compute, in, s.nin);
            }
            return chain_->map(s.op, s.compute, loop->out[0], in, s.nin);
    }
}

void Compiler::chain_output(std::uint32_t index, ChainBuilder::Value value) {
    const PlanOperand& o = plan_.operands[index];
    value = chain_cast(value, o.dtype);
    std::erase_if(computed_, [index](const Computed& c) { return c.operand == index; });
    computed_.push_back({index, value});
    if (o.home == Home::Tile) {
        slot_scalar_[o.index] = false;
        return;
    }
    if (operand_layout(o) == OperandLayout::Contiguous) {
        return chain_->store(value, pointer_of(o, OperandLayout::Contiguous), place_of(o),
                             o.stream);
    }
    if (is_lane(o)) {
        const PointerId to = lane_pointer(o);
        return chain_->store(value, to, place_of(to), false);
    }
    if (std::optional<TileStrided> how = apart_of(o)) {
        const PointerId to = pointer_of(o, OperandLayout::Strided);
        return chain_->store(value, to, place_of(o), false, how);
    }
    auto known = std::find_if(moved_.begin(), moved_.end(),
                              [index](const Moved& m) { return m.operand == index; });
    PointerId to = known != moved_.end() ? known->from : temporary();
    if (known == moved_.end()) moved_.push_back({index, to});
    chain_->store(value, to, place_of(to), false);
}

void Compiler::chain_statement(const Statement& s) {
    auto number = static_cast<std::size_t>(&s - plan_.statements.data());
    bool full = chain_ && (chain_->size() > kMostValues || temporaries_ - kept_ > kMostCopies);
    if (full || (chain_ && waits_for_chain(s))) {
        close_chain(number);
        free_temporaries();
        // A copy of the chain's result has become a copy of an array.
        if (!tiled(s)) return emit_map(s);
    }
    if (!chain_) {
        free_temporaries();
        chain_.emplace(*code_.tiles);
    }
    chain_output(s.operands[0], chain_value(s));
}

bool Compiler::folds_in_chain(const Statement& s) const {
    if (s.reduction < 0 || !chain_ || s.masked || plan_.swept == 0 || plan_.span != 1) return false;
    const ReductionCode& c = code_.reductions[static_cast<std::size_t>(s.reduction)];
    const Computed* in = computed(s.operands[1]);
    if (!in || chain_->is_leaf(in->value) || chain_->size() > kMostValues) return false;
    return !c.row_form && !c.round && c.has_neutral && kind(c.accumulator) != DTypeKind::Complex &&
           tile_has_map(*code_.tiles, c.op, c.accumulator) &&
           tile_can_cast(*code_.tiles, chain_->dtype(in->value), c.accumulator);
}

// Emits partials = partials op value, with the partials as an array that is read and written.
void Compiler::chain_fold(const Statement& s) {
    const auto number = static_cast<std::size_t>(s.reduction);
    ReductionCode& c = code_.reductions[number];
    c.in_chain = true;
    const PointerId partials = partial_pointer(s);
    const ChainBuilder::Place place = place_of_partials(number);
    const ChainBuilder::Value in[2] = {chain_->array(partials, c.accumulator, place),
                                       chain_input(s.operands[1], c.accumulator)};
    const ChainBuilder::Value sum = chain_->map(c.op, c.accumulator, c.accumulator, in, 2);
    chain_->store(sum, partials, place, false);
}

bool Compiler::read_from(std::size_t statement, std::uint32_t operand) const {
    for (std::size_t k = statement; k < plan_.statements.size(); ++k) {
        const auto& operands = plan_.statements[k].operands;
        if (std::find(operands.begin(), operands.end(), operand) != operands.end()) return true;
    }
    return false;
}

void Compiler::close_chain(std::size_t next) {
    if (!chain_) return;
    for (const Computed& c : computed_) {
        const PlanOperand& o = plan_.operands[c.operand];
        const bool wanted = read_from(next, c.operand) || summed_from(next, c.operand);
        if (o.home != Home::Tile || !wanted) continue;
        if (chain_->reads_other_size(place_of(o), o.dtype)) {
            // Equal indices have different addresses in the two, so the result takes a temporary.
            PointerId to = temporary();
            chain_->store(c.value, to, place_of(to), false);
            moved_.push_back({c.operand, to});
        } else {
            chain_->store(c.value, slot_pointer(o), place_of(o), false);
        }
    }
    code_.chains.push_back(chain_->finish());
    set_walks(code_.chains.back());
    chain_.reset();
    computed_.clear();
    add(StepKind::Chain, {}).walk = static_cast<std::uint32_t>(code_.chains.size() - 1);
    std::vector<Moved> moved = std::move(moved_);
    moved_.clear();
    for (const Moved& m : moved) store(plan_.operands[m.operand], m.from, -1);
    stream_lanes();
}

// Puts the chains' memory first in the scratch: tiles, which all chains share, then packed buffers.
void Compiler::lay_out_chains() {
    std::int64_t memory = 0;
    for (const Chain& c : code_.chains) memory = std::max(memory, c.tile_memory);
    std::int64_t at = (memory + 63) / 64 * 64;
    for (Chain& c : code_.chains) {
        c.copies_at = code_.copies_bytes;
        const bool across = !c.across.empty();
        const ChainCopy last = c.row        ? ChainCopy::Main
                               : across     ? ChainCopy::TailOuterLoop
                               : c.together ? ChainCopy::TailLines
                                            : ChainCopy::Packed;
        code_.copies_bytes += (static_cast<int>(last) + 1) * c.copy_bytes();
        c.ends_at = at;
        if (c.row || c.overlaps || !(c.together || across)) continue;
        for (const ChainArray& a : c.stores) at += kLinesTogether * c.pack_bytes(a);
        c.rows_at = at;
        for (const ChainArray& a : c.stores) at += across ? kTileLines * c.row_pack_bytes(a) : 0;
    }
    code_.slots_at = at;
}

}  // namespace hassium
