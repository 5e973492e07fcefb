#include "fuse/cost/external.hpp"

namespace hassium {
namespace {

// The last blocks charged for reading and for writing the views of the same lines, indexed by the
// first of these views.
struct Charged {
    std::uint32_t read = kNone, write = kNone;
};

// Builds nets with room for a known number of pins each.
class NetBuilder {
  public:
    NetBuilder(const Graph& g, std::span<const ViewPrice> prices)
        : graph_(g), count_(2 * g.views.size(), 0), net_of_(2 * g.views.size(), kNone) {
        for (const ViewAccess& a : g.accesses) {
            count_[2 * lines(a)] += (a.kinds & kRead) != 0;
            count_[2 * lines(a) + 1] += (a.kinds & kWrite) != 0;
        }
        nets_.nets.reserve(count_.size());
        for (std::size_t v = 0; v < g.views.size(); ++v) {
            const BaseLife& life = g.bases[g.views[v].base];
            open(2 * v, prices[v].read, life.created);
            open(2 * v + 1, prices[v].write, del_counts(life) ? life.deleted : kNone);
        }
        nets_.pins.resize(end_);
    }

    // The creator is the first instruction that touches the base and the deleter the last, so pins
    // are ascending.
    Nets build() {
        for (std::size_t v = 0; v < graph_.views.size(); ++v) {
            const BaseLife& life = graph_.bases[graph_.views[v].base];
            if (life.created != kNone) pin(2 * v, life.created);
        }
        for (std::uint32_t k = 0; k < graph_.size(); ++k) {
            for (const ViewAccess& a : graph_.accesses_of(k)) {
                if (a.kinds & kRead) pin(2 * lines(a), k);
                if (a.kinds & kWrite) pin(2 * lines(a) + 1, k);
            }
        }
        for (std::size_t v = 0; v < graph_.views.size(); ++v) {
            const BaseLife& life = graph_.bases[graph_.views[v].base];
            if (del_counts(life)) pin(2 * v + 1, life.deleted);
        }
        std::erase_if(nets_.nets,
                      [](const Net& n) { return n.end - n.begin < 2 || n.weight == 0; });
        return std::move(nets_);
    }

  private:
    void open(std::size_t slot, double weight, std::uint32_t extra) {
        if (count_[slot] == 0) return;
        if (extra == kNone) nets_.constant += weight;
        net_of_[slot] = static_cast<std::uint32_t>(nets_.nets.size());
        nets_.nets.push_back({weight, end_, end_});
        end_ += count_[slot] + 1;
    }
    void pin(std::size_t slot, std::uint32_t instruction) {
        if (net_of_[slot] == kNone) return;
        Net& net = nets_.nets[net_of_[slot]];
        if (net.end > net.begin && nets_.pins[net.end - 1] == instruction) return;
        nets_.pins[net.end++] = instruction;
    }

    const Graph& graph_;
    std::vector<std::uint32_t> count_, net_of_;  // two per view: reading and writing its lines

    std::size_t lines(const ViewAccess& a) const { return graph_.views[a.view].lines; }
    std::uint32_t end_ = 0;
    Nets nets_;
};

}  // namespace

double external_cost(const Graph& g, std::span<const ViewPrice> prices,
                     const Partition& partition) {
    double cost = 0;
    std::vector<Charged> charged(g.views.size());
    std::vector<std::uint32_t> block_of = blocks_of(partition, g.size());
    for (std::uint32_t k = 0; k < partition.blocks.size(); ++k) {
        for (std::uint32_t m : partition.blocks[k].members) {
            for (const ViewAccess& a : g.accesses_of(m)) {
                const BaseLife& life = g.bases[g.views[a.view].base];
                bool is_new = life.created != kNone && block_of[life.created] == k;
                bool dies = del_counts(life) && block_of[life.deleted] == k;
                Charged& past = charged[g.views[a.view].lines];
                if ((a.kinds & kRead) && past.read != k) {
                    past.read = k;
                    cost += is_new ? 0 : prices[a.view].read;
                }
                if ((a.kinds & kWrite) && past.write != k) {
                    past.write = k;
                    cost += dies ? 0 : prices[a.view].write;
                }
            }
        }
    }
    return cost;
}

Nets external_nets(const Graph& g, std::span<const ViewPrice> prices) {
    return NetBuilder(g, prices).build();
}

}  // namespace hassium
