#include "fuse/cost/cost.hpp"

#include <string>

#include "base/error.hpp"
#include "fuse/cost/cost_models.hpp"

namespace hassium {
namespace {

constexpr CostModel kCostModels[] = {
    {"bohrium", bohrium_cost, bohrium_nets},
    {"max_contract", max_contract_cost, max_contract_nets},
    {"max_locality", max_locality_cost, max_locality_nets},
    {"robinson", robinson_cost, robinson_nets},
    {"machine", machine_cost, machine_nets, machine_extra},
};

// Counts the pins of one net in each block; the touched blocks are few and listed.
struct Touched {
    std::vector<std::uint32_t> pins_in;
    std::vector<std::uint32_t> blocks;

    explicit Touched(std::size_t blocks_there_are) : pins_in(blocks_there_are, 0) {}
    void count(std::span<const std::uint32_t> pins, std::span<const std::uint32_t> block_of) {
        for (std::uint32_t block : blocks) pins_in[block] = 0;
        blocks.clear();
        for (std::uint32_t pin : pins) {
            if (pins_in[block_of[pin]]++ == 0) blocks.push_back(block_of[pin]);
        }
    }
};

}  // namespace

std::vector<std::uint32_t> blocks_of(const Partition& partition, std::size_t count) {
    std::vector<std::uint32_t> block_of(count, kNone);
    for (std::uint32_t k = 0; k < partition.blocks.size(); ++k) {
        for (std::uint32_t m : partition.blocks[k].members) block_of[m] = k;
    }
    return block_of;
}

double cost_of(const Nets& nets, const Partition& partition, std::size_t count) {
    std::vector<std::uint32_t> block_of = blocks_of(partition, count);
    Touched touched(partition.blocks.size());
    double cost = nets.constant + nets.per_block * static_cast<double>(partition.blocks.size());
    for (const Net& net : nets.nets) {
        touched.count(nets.pins_of(net), block_of);
        if (net.kind == NetKind::Connectivity) {
            cost += net.weight * static_cast<double>(touched.blocks.size() - 1);
            continue;
        }
        double pins = net.end - net.begin, pairs = 0;
        for (std::uint32_t block : touched.blocks) {
            double here = touched.pins_in[block];
            pairs += here * (pins - here);
        }
        cost += net.weight * pairs / 2;
    }
    return cost;
}

double cost_apart(const Nets& nets, std::size_t count) {
    double cost = nets.constant + nets.per_block * static_cast<double>(count);
    for (const Net& net : nets.nets) {
        double pins = net.end - net.begin;
        if (net.kind == NetKind::Connectivity) {
            cost += net.weight * (pins - 1);
            continue;
        }
        double pairs = 0, run = 0;
        for (std::uint32_t k = net.begin; k < net.end; ++k) {
            run = k > net.begin && nets.pins[k] == nets.pins[k - 1] ? run + 1 : 1;
            pairs += k - net.begin + 1 - run;  // pairs with earlier, different pins
        }
        cost += net.weight * pairs;
    }
    return cost;
}

Nets flat_nets(const Nets& nets, std::size_t count) {
    Nets flat;
    flat.constant = nets.constant;
    auto add = [&](double weight, std::span<const std::uint32_t> pins) {
        auto begin = static_cast<std::uint32_t>(flat.pins.size());
        flat.pins.insert(flat.pins.end(), pins.begin(), pins.end());
        flat.nets.push_back({weight, begin, static_cast<std::uint32_t>(flat.pins.size())});
    };
    for (const Net& net : nets.nets) {
        auto pins = nets.pins_of(net);
        if (net.kind == NetKind::Connectivity) {
            add(net.weight, pins);
            continue;
        }
        // Runs of equal pins, as (pin, count).
        std::vector<std::pair<std::uint32_t, double>> runs;
        for (std::uint32_t pin : pins) {
            if (runs.empty() || runs.back().first != pin) runs.emplace_back(pin, 0);
            ++runs.back().second;
        }
        for (std::size_t x = 0; x < runs.size(); ++x) {
            for (std::size_t y = x + 1; y < runs.size(); ++y) {
                std::uint32_t pair[] = {runs[x].first, runs[y].first};
                add(net.weight * runs[x].second * runs[y].second, pair);
            }
        }
    }
    if (nets.per_block > 0 && count > 0) {
        flat.constant += nets.per_block;
        std::vector<std::uint32_t> all(count);
        for (std::uint32_t k = 0; k < count; ++k) all[k] = k;
        if (count > 1) add(nets.per_block, all);
    }
    return flat;
}

std::span<const CostModel> cost_models() { return kCostModels; }

const CostModel& find_cost_model(std::string_view name) {
    std::string names;
    for (const CostModel& model : kCostModels) {
        if (model.name == name) return model;
        names += (names.empty() ? "" : ", ") + std::string(model.name);
    }
    throw UserError(ErrorKind::Value, "[partition] unknown cost model '" + std::string(name) +
                                          "': must be one of " + names);
}

}  // namespace hassium
