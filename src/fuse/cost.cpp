#include "fuse/cost.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace hassium {
namespace {

// --- bohrium
// --------------------------------------------------------------------------------------- Paper:
// "Fusion of Array Operations at Runtime", Def. 13. A block pays for the distinct views it reads,
// except those of bases that it creates, and for those it writes, except those of bases that it
// deletes; new and del are per base. A `del` earns nothing for a base that the program syncs: its
// data are handed out, so they have to be written. Bytes; broadcast axes count once.

bool del_counts(const BaseLife& life) { return life.deleted != kNone && !life.synced; }

// For every view the last block that was charged for reading and for writing it.
struct Charged {
    std::uint32_t read = kNone, write = kNone;
};

double bohrium_cost(const Graph& g, const Partition& partition) {
    double cost = 0;
    std::vector<Charged> charged(g.views.size());
    std::vector<std::uint32_t> block_of(g.size(), kNone);
    for (std::uint32_t k = 0; k < partition.blocks.size(); ++k) {
        for (const BlockMember& m : partition.blocks[k].members) block_of[m.instruction] = k;
    }
    for (std::uint32_t k = 0; k < partition.blocks.size(); ++k) {
        for (const BlockMember& m : partition.blocks[k].members) {
            for (const Access& a : g.accesses_of(m.instruction)) {
                const View& view = g.views[a.view];
                const BaseLife& life = g.bases[view.base];
                auto bytes = static_cast<double>(view.bytes);
                bool is_new = life.created != kNone && block_of[life.created] == k;
                bool dies = del_counts(life) && block_of[life.deleted] == k;
                if ((a.kinds & kRead) && !is_new && charged[a.view].read != k) cost += bytes;
                if ((a.kinds & kWrite) && !dies && charged[a.view].write != k) cost += bytes;
                if (a.kinds & kRead) charged[a.view].read = k;
                if (a.kinds & kWrite) charged[a.view].write = k;
            }
        }
    }
    return cost;
}

// The same as nets: for every view its readers and whoever creates the base, its writers and
// whoever deletes it. A net without creator (or deleter) pays for its first block too.
Nets bohrium_nets(const Graph& g) {
    std::vector<std::uint32_t> count(2 * g.views.size() + 1, 0);
    for (const Access& a : g.accesses) {
        count[2 * a.view] += (a.kinds & kRead) != 0;
        count[2 * a.view + 1] += (a.kinds & kWrite) != 0;
    }
    Nets nets;
    std::vector<std::uint32_t> net_of(2 * g.views.size(), kNone);
    std::uint32_t end = 0;
    auto open = [&](std::size_t slot, const View& view, std::uint32_t extra) {
        if (count[slot] == 0) return;
        auto weight = static_cast<double>(view.bytes);
        if (extra == kNone) nets.constant += weight;
        net_of[slot] = static_cast<std::uint32_t>(nets.nets.size());
        nets.nets.push_back({weight, end, end});
        end += count[slot] + 1;
    };
    nets.nets.reserve(2 * g.views.size());
    for (std::size_t v = 0; v < g.views.size(); ++v) {
        const BaseLife& life = g.bases[g.views[v].base];
        open(2 * v, g.views[v], life.created);
        open(2 * v + 1, g.views[v], del_counts(life) ? life.deleted : kNone);
    }
    nets.pins.resize(end);
    auto pin = [&](std::size_t slot, std::uint32_t instruction) {
        if (net_of[slot] == kNone) return;
        Net& net = nets.nets[net_of[slot]];
        if (net.end > net.begin && nets.pins[net.end - 1] == instruction) return;
        nets.pins[net.end++] = instruction;
    };
    // The creator is the first instruction that touches the base and the deleter the last, so pins
    // come out ascending.
    for (std::size_t v = 0; v < g.views.size(); ++v) {
        const BaseLife& life = g.bases[g.views[v].base];
        if (life.created != kNone) pin(2 * v, life.created);
    }
    for (std::uint32_t k = 0; k < g.size(); ++k) {
        for (const Access& a : g.accesses_of(k)) {
            if (a.kinds & kRead) pin(2 * a.view, k);
            if (a.kinds & kWrite) pin(2 * a.view + 1, k);
        }
    }
    for (std::size_t v = 0; v < g.views.size(); ++v) {
        const BaseLife& life = g.bases[g.views[v].base];
        if (del_counts(life)) pin(2 * v + 1, life.deleted);
    }
    std::erase_if(nets.nets, [](const Net& n) { return n.end - n.begin < 2 || n.weight == 0; });
    return nets;
}

constexpr CostModel kCostModels[] = {
    {"bohrium", bohrium_cost, bohrium_nets},
};

}  // namespace

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
