// Cost models: the cost of a partition, by definition and as nets that make savings incremental.
//
// One table (cost.cpp) names the models; cost_models.hpp declares them, one file each. A
// partitioner needs the nets alone: merging two blocks saves what `Nets` says, minus the growth of
// `extra`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fuse/graph/graph.hpp"
#include "fuse/modes.hpp"
#include "fuse/partition.hpp"

namespace hassium {

// The cost of accesses to one view.
struct ViewPrice {
    double read, write;
};

// Inputs of a cost model. Only `bohrium` uses the unit: the others count, or estimate seconds.
struct Costing {
    const Graph& graph;
    CostUnit unit = CostUnit::Bytes;
    // Per view; cached by a model that computes prices by a walk over the program.
    mutable std::vector<ViewPrice> prices{};

    Costing(const Graph& g, CostUnit u = CostUnit::Bytes) : graph(g), unit(u) {}
    // Returns the size of the distinct elements of a view, in the unit.
    double size(const DistinctView& view) const {
        auto bytes = static_cast<double>(view.bytes);
        return unit == CostUnit::Bytes ? bytes : bytes / static_cast<double>(itemsize(view.dtype));
    }
};

enum class NetKind : std::uint8_t {
    Connectivity,  // pays its weight for every block it touches except the first
    Pairs,         // pays its weight for every two of its pins in different blocks
};

// Instructions (pins) that profit from sharing a block. A pin of a Pairs net may be listed several
// times and counts as often. Pins of a Connectivity net are distinct.
struct Net {
    double weight;
    std::uint32_t begin, end;  // into Nets::pins, ascending
    NetKind kind = NetKind::Connectivity;
};

// cost = constant + per_block * blocks + what the nets pay. `constant` and, for a non-empty
// program, `constant + per_block` are lower bounds; also for a model with `extra`.
struct Nets {
    double constant = 0;
    double per_block = 0;
    std::vector<Net> nets;
    std::vector<std::uint32_t> pins;

    std::span<const std::uint32_t> pins_of(const Net& net) const {
        return {pins.data() + net.begin, net.end - net.begin};
    }
    // Returns a trivial lower bound on the cost of any partition of `count` instructions.
    double floor(std::size_t count) const { return constant + (count > 0 ? per_block : 0); }
};

// Returns the cost of a partition by the nets.
double cost_of(const Nets& nets, const Partition& partition, std::size_t count);
// Returns the cost of one block per instruction by the nets.
double cost_apart(const Nets& nets, std::size_t count);
// Returns the same costs as Connectivity nets only: every pair becomes a net of two pins, and the
// price of a block a net of all instructions. Quadratic where many instructions touch one view: for
// solvers of small problems.
Nets flat_nets(const Nets& nets, std::size_t count);

struct CostModel {
    std::string_view name;
    // Computes the cost from the definition, independently of the nets: tests compare the two.
    double (*cost)(const Costing& costing, const Partition& partition);
    Nets (*nets)(const Costing& costing);
    // The cost of a block beyond the nets, never negative. It may rise when blocks merge, so that a
    // merge can be a loss. nullptr: the nets are the whole cost.
    double (*extra)(const Costing& costing, std::span<const std::uint32_t> members) = nullptr;
};

// Throws UserError (Value) with the known names.
const CostModel& find_cost_model(std::string_view name);
std::span<const CostModel> cost_models();

}  // namespace hassium
