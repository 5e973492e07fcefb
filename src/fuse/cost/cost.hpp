// Cost models: what a partition costs, by definition and as nets that make savings incremental.
//
// One table (cost.cpp) names the models; cost_models.hpp declares them, a file each. A partitioner
// needs the nets alone: merging two blocks saves what `Nets` says, less what `extra` grows by.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fuse/graph/graph.hpp"
#include "fuse/modes.hpp"
#include "fuse/partition.hpp"

namespace hassium {

// What the accesses to one view cost.
struct ViewPrice {
    double read, write;
};

// What a model looks at. Only `bohrium` knows units: the others count, or estimate seconds.
struct Costing {
    const Graph& graph;
    CostUnit unit = CostUnit::Bytes;
    // For every view, kept by a model whose prices take a walk over the program.
    mutable std::vector<ViewPrice> prices{};

    Costing(const Graph& g, CostUnit u = CostUnit::Bytes) : graph(g), unit(u) {}
    // The price of the distinct elements of a view, in the unit.
    double size(const DistinctView& view) const {
        auto bytes = static_cast<double>(view.bytes);
        return unit == CostUnit::Bytes ? bytes : bytes / static_cast<double>(itemsize(view.dtype));
    }
};

enum class NetKind : std::uint8_t {
    Connectivity,  // pays its weight for every block it touches but the first
    Pairs,         // pays its weight for every two of its pins that lie in different blocks
};

// Instructions (pins) that had better share a block. A pin of a Pairs net may be listed more than
// once: it counts as often. Pins of a Connectivity net are distinct.
struct Net {
    double weight;
    std::uint32_t begin, end;  // into Nets::pins, ascending
    NetKind kind = NetKind::Connectivity;
};

// cost = constant + per_block * blocks + what the nets pay. `constant` and, where there is any
// instruction, `constant + per_block` are lower bounds; so are they for a model with `extra`.
struct Nets {
    double constant = 0;
    double per_block = 0;
    std::vector<Net> nets;
    std::vector<std::uint32_t> pins;

    std::span<const std::uint32_t> pins_of(const Net& net) const {
        return {pins.data() + net.begin, net.end - net.begin};
    }
    // The least cost that any partition of `count` instructions can have, as far as plain sight
    // goes.
    double floor(std::size_t count) const { return constant + (count > 0 ? per_block : 0); }
};

// What the nets say that a partition costs.
double cost_of(const Nets& nets, const Partition& partition, std::size_t count);
// What they say that one block for each instruction costs.
double cost_apart(const Nets& nets, std::size_t count);
// The same costs in Connectivity nets alone: every pair becomes a net of two pins, and the price of
// a block a net of all instructions. Quadratic where many instructions touch one view: for solvers
// of small problems.
Nets flat_nets(const Nets& nets, std::size_t count);

struct CostModel {
    std::string_view name;
    // From the definition, independent of the nets: tests hold one against the other.
    double (*cost)(const Costing& costing, const Partition& partition);
    Nets (*nets)(const Costing& costing);
    // What a block pays beyond the nets, never negative. It may rise when blocks merge, so that a
    // merge can be a loss. nullptr: nothing, and the nets are the whole cost.
    double (*extra)(const Costing& costing, std::span<const std::uint32_t> members) = nullptr;
};

// UserError (Value) with the names that there are.
const CostModel& find_cost_model(std::string_view name);
std::span<const CostModel> cost_models();

}  // namespace hassium
