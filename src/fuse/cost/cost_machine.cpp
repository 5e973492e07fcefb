// Estimated seconds on one core.
//
//   launch      a fixed cost of every block;
//   bytes       the views of Def. 13, each at the bandwidth of the cache level that holds it. That
//               is the smallest one with room for all bytes that the program touches between two
//               uses of the base. A store that leaves the second level costs more than a load;
//   cycles      elements times the cycles of the op table. Loads overlap with them, so a block
//   takes
//               the longer of the two, and a compute-bound block gains little from a merge;
//   streams     beyond the streams that prefetchers follow, memory arrives late;
//   spills      live values in excess of a tile's slots are stored and loaded once more.
//
// Bytes and launches never rise under a merge: they are nets, and a lower bound. The rest is
// `extra` and may rise, so this model can refuse a merge. Bandwidths are a table by level; cache
// sizes come from the system, and nothing is measured.
#include <algorithm>
#include <limits>

#include "fuse/cost/external.hpp"
#include "runtime/platform.hpp"

namespace hassium {
namespace {

constexpr double kLaunch = 0.5e-6;        // seconds
constexpr double kHertz = 3.5e9;          // clock that converts op-table cycles
constexpr double kStoreFactor = 1.5;      // a line is read before it is written
constexpr std::size_t kStreams = 16;      // followed by prefetchers
constexpr double kStreamPenalty = 0.05;   // of the bytes' time, per further stream
constexpr std::int64_t kTileBytes = 512;  // of one value: eight registers of 64 bytes

struct Level {
    std::int64_t capacity;
    double bytes_per_second;
};

struct Caches {
    Level levels[4];

    static std::int64_t size(int level, std::int64_t otherwise) {
        const std::int64_t found = platform::cache_bytes(level);
        return found > 0 ? found : otherwise;
    }
    Caches()
        : levels{{size(1, 32 << 10), 200e9},
                 {size(2, 1 << 20), 80e9},
                 {size(3, 32 << 20), 40e9},
                 {std::numeric_limits<std::int64_t>::max(), 28e9}} {}
    // Returns the smallest level that holds `bytes`.
    const Level& holding(std::int64_t bytes) const {
        return *std::find_if(std::begin(levels), std::end(levels),
                             [&](const Level& level) { return bytes <= level.capacity; });
    }
};

const Caches& caches() {
    static const Caches found;
    return found;
}

// Returns, for every base, the most bytes touched between two uses of it, its own included; for a
// base that is used once, all bytes that the program touches.
std::vector<std::int64_t> reaches(const Graph& g) {
    std::vector<std::int64_t> reach(g.bases.size(), 0), last(g.bases.size(), -1);
    std::int64_t touched = 0, footprint = 0;
    for (std::uint32_t k = 0; k < g.size(); ++k) {
        for (const ViewAccess& a : g.accesses_of(k)) {
            BaseId base = g.views[a.view].base;
            touched += g.views[a.view].bytes;
            if (last[base] < 0) {
                footprint += g.program->bases[base].bytes;
            } else {
                reach[base] = std::max(reach[base], touched - last[base]);
            }
            last[base] = touched;
        }
    }
    for (std::int64_t& r : reach) r = r == 0 ? footprint : std::min(r, footprint);
    return reach;
}

const std::vector<ViewPrice>& prices_of(const Costing& costing) {
    const Graph& g = costing.graph;
    if (!costing.prices.empty()) return costing.prices;
    std::vector<std::int64_t> reach = reaches(g);
    for (const DistinctView& view : g.views) {
        const Level& level = caches().holding(reach[view.base]);
        double seconds = static_cast<double>(view.bytes) / level.bytes_per_second;
        bool far = level.capacity > caches().levels[1].capacity;
        costing.prices.push_back({seconds, far ? kStoreFactor * seconds : seconds});
    }
    return costing.prices;
}

double elements_of(const Program& p, const Instruction& i) {
    double elements = 1;
    for (std::int64_t extent : p.iteration_shape(i)) elements *= static_cast<double>(extent);
    return elements;
}

double compute_seconds(const Graph& g, std::span<const std::uint32_t> members) {
    const Program& p = *g.program;
    double cycles = 0;
    for (std::uint32_t k : members) {
        const Instruction& i = p.instructions[k];
        if (info(i.op).is_system()) continue;
        double width = static_cast<double>(itemsize(i.compute)) / 8;
        cycles += elements_of(p, i) * static_cast<double>(info(i.op).cycles) * width;
    }
    return cycles / kHertz;
}

// Memory traffic of a set of instructions as one block.
struct Traffic {
    double seconds = 0;       // to load and store from and to outside
    std::size_t streams = 0;  // distinct views outside
    double spilled = 0;       // bytes of inner values without a slot
};

// An inner value: a base that the block both creates and deletes.
struct Inner {
    std::uint32_t first, last;
    std::int64_t bytes;
};

double spilled_bytes(std::vector<Inner>& inner) {
    auto slots = static_cast<std::size_t>(caches().levels[0].capacity / 2 / kTileBytes);
    if (inner.size() <= slots) return 0;
    std::sort(inner.begin(), inner.end(),
              [](const Inner& a, const Inner& b) { return a.first < b.first; });
    std::vector<std::uint32_t> ends;  // last uses of live values, as a min-heap
    double bytes = 0;
    for (const Inner& value : inner) {
        while (!ends.empty() && ends.front() < value.first) {
            std::pop_heap(ends.begin(), ends.end(), std::greater<>());
            ends.pop_back();
        }
        if (ends.size() >= slots) bytes += static_cast<double>(value.bytes);
        ends.push_back(value.last);
        std::push_heap(ends.begin(), ends.end(), std::greater<>());
    }
    return bytes;
}

Traffic traffic_of(const Costing& costing, std::span<const std::uint32_t> members) {
    const Graph& g = costing.graph;
    const std::vector<ViewPrice>& prices = prices_of(costing);
    std::vector<std::uint32_t> sorted(members.begin(), members.end());
    std::sort(sorted.begin(), sorted.end());
    auto within = [&](std::uint32_t k) {
        return k != kNone && std::binary_search(sorted.begin(), sorted.end(), k);
    };
    std::vector<ViewAccess> accesses;
    for (std::uint32_t k : sorted) {
        auto own = g.accesses_of(k);
        accesses.insert(accesses.end(), own.begin(), own.end());
    }
    std::sort(accesses.begin(), accesses.end(),
              [](const ViewAccess& a, const ViewAccess& b) { return a.view < b.view; });
    Traffic out;
    std::vector<Inner> inner;
    BaseId previous = kConstant;
    for (std::size_t k = 0; k < accesses.size();) {
        std::uint32_t view = accesses[k].view;
        std::uint8_t kinds = 0;
        for (; k < accesses.size() && accesses[k].view == view; ++k) kinds |= accesses[k].kinds;
        BaseId base = g.views[view].base;
        const BaseLife& life = g.bases[base];
        bool is_new = within(life.created);
        bool dies = del_counts(life) && within(life.deleted);
        if (is_new && dies) {
            if (base != previous) {
                inner.push_back({life.created, life.deleted, g.program->bases[base].bytes});
            }
            previous = base;
            continue;
        }
        ++out.streams;
        if ((kinds & kRead) && !is_new) out.seconds += prices[view].read;
        if ((kinds & kWrite) && !dies) out.seconds += prices[view].write;
    }
    out.spilled = spilled_bytes(inner);
    return out;
}

}  // namespace

double machine_extra(const Costing& costing, std::span<const std::uint32_t> members) {
    Traffic traffic = traffic_of(costing, members);
    double late = 0;
    if (traffic.streams > kStreams) {
        late = kStreamPenalty * static_cast<double>(traffic.streams - kStreams) * traffic.seconds;
    }
    double waiting = compute_seconds(costing.graph, members) - traffic.seconds - late;
    double spilling = 2 * traffic.spilled / caches().levels[1].bytes_per_second;
    return late + std::max(0.0, waiting) + spilling;
}

double machine_cost(const Costing& costing, const Partition& partition) {
    double cost = external_cost(costing.graph, prices_of(costing), partition);
    for (const Block& block : partition.blocks) {
        cost += kLaunch + machine_extra(costing, block.members);
    }
    return cost;
}

Nets machine_nets(const Costing& costing) {
    Nets nets = external_nets(costing.graph, prices_of(costing));
    nets.per_block = kLaunch;
    return nets;
}

}  // namespace hassium
