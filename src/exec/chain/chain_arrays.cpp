// Leaves of a chain: arrays, strided arrays, single elements; loads and stores.
#include <algorithm>

#include "base/error.hpp"
#include "exec/chain/chain.hpp"
#include "ops/loop_types.hpp"

namespace hassium {
namespace {

// Returns the logarithm of the item size; for complex dtypes, of a part.
constexpr int log2_bytes(DType dtype) { return item_log2(itemsize(real_part(dtype))); }

}  // namespace

ChainBuilder::Value ChainBuilder::leaf_of(const Node& node) {
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Node& n = values_[k];
        if (n.kind == node.kind && n.pointer == node.pointer && n.dtype == node.dtype &&
            n.into == node.into) {
            return static_cast<Value>(k);
        }
    }
    return add(node);
}

ChainBuilder::Value ChainBuilder::array(PointerId pointer, DType dtype, Place place) {
    Node node{Kind::Array, dtype, dtype};
    node.pointer = pointer;
    node.place = place;
    return leaf_of(node);
}

ChainBuilder::Value ChainBuilder::apart(PointerId pointer, DType dtype, Place place,
                                        TileStrided how) {
    Node node{Kind::Apart, dtype, dtype};
    node.pointer = pointer;
    node.place = place;
    node.which = static_cast<std::uint8_t>(how);
    return leaf_of(node);
}

ChainBuilder::Value ChainBuilder::single(PointerId pointer, DType dtype, Place place) {
    Node node{Kind::Single, dtype, dtype};
    node.pointer = pointer;
    node.place = place;
    return leaf_of(node);
}

bool ChainBuilder::takes(Op op, DType compute, Value value) const {
    return values_[at(value)].which == static_cast<std::uint8_t>(TileStrided::Second) &&
           table_.map_taken[static_cast<int>(op)][static_cast<int>(compute)][kTileWidths - 1][0];
}

TileFn ChainBuilder::map_taken(Op op, DType compute, int form) const {
    return table_.map_taken[static_cast<int>(op)][static_cast<int>(compute)][width_][form];
}

void ChainBuilder::replace_fn(std::size_t step, TileFn fn) {
    HS_CHECK(fn, "a chain has a kernel for what lies apart");
    chain_.plain.push_back({static_cast<std::uint32_t>(step), false, chain_.steps[step].fn});
    chain_.steps[step].fn = fn;
}

// Emitted first, so that the prefetches overlap with the tile's own work.
void ChainBuilder::emit_ahead() {
    std::vector<const Node*> arrays;
    for (const Node& node : values_) {
        if (node.ahead) arrays.push_back(&node);
    }
    for (std::size_t first = 0; first < arrays.size(); first += 3) {
        std::size_t count = std::min<std::size_t>(arrays.size() - first, 3);
        std::size_t step = add_step(table_.ahead[width_][count - 1]);
        for (std::size_t k = 0; k < count; ++k) {
            load_array(step, static_cast<int>(k), *arrays[first + k]);
        }
    }
}

void ChainBuilder::emit_store(const Root& root) {
    hold(root.value);
    DType dtype = values_[at(root.value)].dtype;
    const auto* fns = root.stream ? table_.stream : table_.store;
    const auto* ordinary = table_.store;
    if (root.re >= 0) {
        dtype = complex_of(dtype);
        fns = root.stream ? table_.stream_pair : table_.pair;
        ordinary = table_.pair;
    }
    TileFn fn = fns[static_cast<int>(dtype)][width_];
    if (root.apart) fn = table_.put[static_cast<int>(*root.apart)][log2_bytes(dtype)][width_];
    std::size_t step = add_step(fn);
    store_array(step, root, dtype);
    if (root.re >= 0) set_operand(step, 1, root.re);
    if (root.stream || root.apart) {
        TileFn plain = ordinary[static_cast<int>(dtype)][width_];
        chain_.plain.push_back({static_cast<std::uint32_t>(step), true, plain});
    }
}

std::int64_t ChainBuilder::distance(std::optional<TileStrided> apart, DType dtype) const {
    if (!apart) return item_bytes(dtype);
    if (*apart == TileStrided::Strided) return 0;  // see bind_distances
    return *apart == TileStrided::Second ? 2 * itemsize(dtype) : -itemsize(dtype);
}

// An array is listed once in `loads`, even if several steps read it.
void ChainBuilder::load_array(std::size_t step, int operand, const Node& array) {
    std::optional<TileStrided> apart;
    if (array.kind == Kind::Apart) apart = static_cast<TileStrided>(array.which);
    const std::int64_t stride = distance(apart, array.dtype);
    chain_.strided |= apart == TileStrided::Strided;
    auto number = static_cast<std::uint32_t>(step);
    chain_.steps[step].s[operand] = static_cast<std::int32_t>(stride);
    chain_.arrays.push_back({number, static_cast<std::uint16_t>(operand), array.pointer});
    auto known = std::any_of(chain_.loads.begin(), chain_.loads.end(),
                             [&](const ChainArray& a) { return a.pointer == array.pointer; });
    auto bytes = static_cast<std::uint16_t>(item_bytes(array.dtype));
    if (!known) chain_.loads.push_back({array.pointer, bytes, 0, -1, number, stride});
}

void ChainBuilder::store_array(std::size_t step, const Root& root, DType dtype) {
    const std::int64_t stride = distance(root.apart, dtype);
    chain_.strided |= root.apart == TileStrided::Strided;
    auto number = static_cast<std::uint32_t>(step);
    chain_.steps[step].s[0] = static_cast<std::int32_t>(stride);
    chain_.arrays.push_back({number, 0, root.pointer, -1, 0, true});
    auto bytes = static_cast<std::uint16_t>(item_bytes(dtype));
    if (root.stream && !root.apart && chain_.streamed < 0) {
        chain_.streamed = static_cast<std::int32_t>(chain_.stores.size());
    }
    chain_.stores.push_back({root.pointer, bytes, 0, -1, number, stride});
}

// An array that is read and written has one packed buffer.
void ChainBuilder::finish_stages() {
    std::int64_t end = slot_count_ * table_.tile_bytes;
    for (ChainArray& a : chain_.loads) {
        a.stage = static_cast<std::uint32_t>(end);
        end += chain_.pack_bytes(a);
    }
    for (ChainArray& a : chain_.stores) {
        auto same = std::find_if(chain_.loads.begin(), chain_.loads.end(),
                                 [&](const ChainArray& l) { return l.pointer == a.pointer; });
        a.stage = same != chain_.loads.end() ? same->stage : static_cast<std::uint32_t>(end);
        if (same == chain_.loads.end()) end += chain_.pack_bytes(a);
    }
    chain_.tile_memory = end;
}

}  // namespace hassium
