// Cost models: what a partition costs, and the nets that make its savings incremental.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fuse/graph.hpp"
#include "fuse/partition.hpp"

namespace hassium {

// A set of instructions (pins) that pays its weight for every block it touches but the first.
struct Net {
    double weight;
    std::uint32_t begin, end;  // into Nets::pins, ascending
};

// cost = constant + sum over nets of weight * (blocks it touches - 1). `constant` is a lower bound.
struct Nets {
    double constant = 0;
    std::vector<Net> nets;
    std::vector<std::uint32_t> pins;

    std::span<const std::uint32_t> pins_of(const Net& net) const {
        return {pins.data() + net.begin, net.end - net.begin};
    }
};

struct CostModel {
    std::string_view name;
    // From the definition, independent of the nets: tests hold one against the other.
    double (*cost)(const Graph& graph, const Partition& partition);
    Nets (*nets)(const Graph& graph);
};

// UserError (Value) with the names that there are.
const CostModel& find_cost_model(std::string_view name);
std::span<const CostModel> cost_models();

}  // namespace hassium
