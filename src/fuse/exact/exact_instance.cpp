#include "fuse/exact/exact_instance.hpp"

#include <algorithm>

#include "fuse/graph/interner.hpp"

namespace hassium {
namespace {

void build_order(const Graph& graph, ExactInstance& x) {
    auto count = static_cast<std::uint32_t>(x.size);
    for (std::uint32_t v = 0; v < count; ++v) {
        for (std::uint32_t u : graph.predecessors[v]) {
            if (x.above.has(v, u)) continue;
            add_bits(x.above[v], x.above[u], x.words());
            set_bit(x.above[v], u);
        }
    }
    for (std::uint32_t u = count; u-- > 0;) {
        for (std::uint32_t v : graph.successors[u]) {
            if (x.below.has(u, v)) continue;
            add_bits(x.below[u], x.below[v], x.words());
            set_bit(x.below[u], v);
        }
    }
}

// Forbids pairs of instructions with incompatible loops, and of the others those that share a base
// and conflict.
void build_pairs(const FusionProblem& problem, ExactInstance& x) {
    const Graph& g = problem.graph;
    const Legality& legality = problem.legality;
    auto count = static_cast<std::uint32_t>(x.size);
    std::vector<BlockState> states(count);
    std::vector<std::vector<std::uint32_t>> users(g.bases.size());
    for (std::uint32_t v = 0; v < count; ++v) {
        legality.load(v, states[v]);
        for (std::uint32_t u = 0; u < v; ++u) {
            if (!legality.same_loop(u, v)) x.forbid(u, v);
        }
        for (const ViewAccess& a : g.accesses_of(v)) {
            auto& list = users[g.views[a.view].base];
            if (!list.empty() && list.back() == v) continue;
            for (std::uint32_t u : list) {
                if (x.may_share(u, v) && !legality.may_join(states[u], states[v])) x.forbid(u, v);
            }
            list.push_back(v);
        }
    }
}

void build_nets(const Nets& nets, ExactInstance& x) {
    x.constant = nets.constant;
    x.nets.reserve(nets.nets.size());
    for (const Net& net : nets.nets) {
        auto pins = nets.pins_of(net);
        x.nets.push_back({net.weight, {pins.begin(), pins.end()}});
    }
}

std::uint64_t hash_of(const ExactNet& net) {
    std::uint64_t hash = net.pins.size();
    for (std::uint32_t pin : net.pins) hash = Interner::mix(hash, pin);
    return hash;
}

// Sets the later vertices that u may not share a block with, closed under the order: if it contains
// v, then all after v. Requires `later` of the successors.
void close_upwards(const ExactInstance& x, BitMatrix& later, std::uint32_t u, BitRow& raw) {
    std::size_t words = x.words();
    Word* row = later[u];
    BitRow rest(x.below[u], x.below[u] + words);
    // Numbers are topological: the first remaining one is an immediate successor.
    each_bit_of(
        words, [&](std::size_t w) { return rest[w]; },
        [&](std::uint32_t s) {
            if (!has_bit(rest.data(), s)) return;
            add_bits(row, later[s], words);
            const Word* covered = x.below[s];
            for (std::size_t w = s >> 6; w < words; ++w) rest[w] &= ~covered[w];
        });
    for (std::size_t w = 0; w < words; ++w) raw[w] = x.apart[u][w] & x.below[u][w] & ~row[w];
    each_bit(raw.data(), words, [&](std::uint32_t v) {
        if (has_bit(row, v)) return;
        add_bits(row, x.below[v], words);
        set_bit(row, v);
    });
}

// An unordered forbidden pair also forbids every pair of a common predecessor and a common
// successor.
void close_around(const ExactInstance& x, BitMatrix& later) {
    std::size_t words = x.words();
    BitRow both_above(words), both_below(words);
    auto around = [&](std::uint32_t p, std::uint32_t q) {
        if (!meets(x.above[p], x.above[q], words) || !meets(x.below[p], x.below[q], words)) return;
        for (std::size_t w = 0; w < words; ++w) {
            both_above[w] = x.above[p][w] & x.above[q][w];
            both_below[w] = x.below[p][w] & x.below[q][w];
        }
        // Take maximal predecessors: what one may not share with is forbidden for those above it
        // too.
        for (std::size_t w = words; w-- > 0;) {
            while (both_above[w] != 0) {
                auto u = static_cast<std::uint32_t>(w * 64 + 63) -
                         static_cast<std::uint32_t>(std::countl_zero(both_above[w]));
                if (!is_subset(both_below.data(), later[u], words)) {
                    add_bits(later[u], both_below.data(), words);
                    each_bit(x.above[u], words, [&](std::uint32_t a) {
                        add_bits(later[a], both_below.data(), words);
                    });
                }
                drop_bit(both_above.data(), u);
                for (std::size_t k = 0; k <= w; ++k) both_above[k] &= ~x.above[u][k];
            }
        }
    };
    for (std::uint32_t p = 0; p < x.size; ++p) {
        each_bit(x.apart[p], words, [&](std::uint32_t q) {
            if (q > p && !x.below.has(p, q)) around(p, q);
        });
    }
}

}  // namespace

std::uint32_t ExactInstance::home_of(std::uint32_t v) const {
    while (home[v] != v) v = home[v];
    return v;
}

void ExactInstance::forbid(std::uint32_t u, std::uint32_t v) {
    set_bit(apart[u], v);
    set_bit(apart[v], u);
}

void ExactInstance::drop_into(std::uint32_t u, std::uint32_t v) {
    drop(u);
    home[u] = v;
}

void ExactInstance::drop(std::uint32_t u) {
    each_bit(above[u], words(), [&](std::uint32_t a) { drop_bit(below[a], u); });
    each_bit(below[u], words(), [&](std::uint32_t b) { drop_bit(above[b], u); });
    each_bit(apart[u], words(), [&](std::uint32_t f) { drop_bit(apart[f], u); });
    for (BitMatrix* m : {&above, &below, &apart}) std::fill_n((*m)[u], words(), 0);
    drop_bit(live.data(), u);
}

bool ExactInstance::contract(std::uint32_t u, std::uint32_t v) {
    if (below.has(v, u)) std::swap(u, v);
    std::vector<std::uint32_t> rest{v};
    each_bit_of(
        words(), [&](std::size_t w) { return below[u][w] & above[v][w]; },
        [&](std::uint32_t between) { rest.push_back(between); });
    for (std::uint32_t x : rest) {
        add_bits(above[u], above[x], words());
        add_bits(below[u], below[x], words());
        add_bits(apart[u], apart[x], words());
    }
    if (apart.has(u, u)) return false;
    for (std::uint32_t x : rest) {
        if (apart.has(u, x)) return false;
    }
    for (std::uint32_t x : rest) {
        drop_into(x, u);
        for (BitMatrix* m : {&above, &below, &apart}) drop_bit((*m)[u], x);
    }
    for (BitMatrix* m : {&above, &below, &apart}) drop_bit((*m)[u], u);
    each_bit(above[u], words(), [&](std::uint32_t a) {
        add_bits(below[a], below[u], words());
        set_bit(below[a], u);
    });
    each_bit(below[u], words(), [&](std::uint32_t b) {
        add_bits(above[b], above[u], words());
        set_bit(above[b], u);
    });
    each_bit(apart[u], words(), [&](std::uint32_t f) { set_bit(apart[f], u); });
    return true;
}

void ExactInstance::close() {
    BitMatrix later(size);
    BitRow raw(words());
    for (auto u = static_cast<std::uint32_t>(size); u-- > 0;) close_upwards(*this, later, u, raw);
    close_around(*this, later);
    for (std::uint32_t u = 0; u < size; ++u) {
        each_bit_of(
            words(), [&](std::size_t w) { return later[u][w] & ~apart[u][w]; },
            [&](std::uint32_t v) { forbid(u, v); });
    }
}

void ExactInstance::clean_nets() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    for (std::uint32_t k = 0; k < nets.size(); ++k) {
        auto& pins = nets[k].pins;
        for (std::uint32_t& pin : pins) pin = home_of(pin);
        std::sort(pins.begin(), pins.end());
        pins.erase(std::unique(pins.begin(), pins.end()), pins.end());
        if (pins.size() < 2 || nets[k].weight <= 0) continue;
        order.emplace_back(hash_of(nets[k]), k);
    }
    std::sort(order.begin(), order.end());
    std::vector<ExactNet> kept;
    kept.reserve(order.size());
    for (auto [hash, k] : order) {
        if (!kept.empty() && kept.back().pins == nets[k].pins) {
            kept.back().weight += nets[k].weight;
        } else {
            kept.push_back(std::move(nets[k]));
        }
    }
    nets.swap(kept);
}

double ExactInstance::cost_of(const std::vector<std::uint32_t>& blocks) const {
    double cost = constant;
    std::vector<std::uint32_t> touched;
    for (const ExactNet& net : nets) {
        touched.clear();
        for (std::uint32_t pin : net.pins) touched.push_back(blocks[pin]);
        std::sort(touched.begin(), touched.end());
        auto count = std::unique(touched.begin(), touched.end()) - touched.begin();
        cost += net.weight * static_cast<double>(count - 1);
    }
    return cost;
}

std::vector<std::uint32_t> ExactInstance::spread(const std::vector<std::uint32_t>& blocks) const {
    std::uint32_t count = blocks.empty() ? 0 : 1 + *std::max_element(blocks.begin(), blocks.end());
    std::vector<std::uint32_t> result;
    result.reserve(vertex_of.size());
    for (std::uint32_t v : vertex_of) {
        result.push_back(v >= kSettled ? count + (v - kSettled) : blocks[v]);
    }
    return result;
}

void ExactInstance::compact() {
    std::vector<std::pair<std::size_t, std::uint32_t>> order;
    each_bit(live.data(), words(),
             [&](std::uint32_t v) { order.emplace_back(count_bits(above[v], words()), v); });
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> number(size, kNone);
    for (std::uint32_t k = 0; k < order.size(); ++k) number[order[k].second] = k;
    for (std::uint32_t& v : vertex_of) {
        if (v >= kSettled) continue;
        v = home_of(v);
        if (number[v] == kNone) number[v] = settled++;
        v = number[v];
    }
    clean_nets();
    for (ExactNet& net : nets) {
        for (std::uint32_t& pin : net.pins) pin = number[pin];
        std::sort(net.pins.begin(), net.pins.end());
    }
    for (BitMatrix* m : {&above, &below, &apart}) {
        BitMatrix fresh(order.size());
        for (std::uint32_t k = 0; k < order.size(); ++k) {
            each_bit((*m)[order[k].second], words(),
                     [&](std::uint32_t other) { set_bit(fresh[k], number[other]); });
        }
        *m = std::move(fresh);
    }
    size = order.size();
    live.assign(words_for(size), 0);
    home.resize(size);
    for (std::uint32_t k = 0; k < size; ++k) {
        set_bit(live.data(), k);
        home[k] = k;
    }
}

ExactInstance empty_instance(std::size_t count) {
    ExactInstance x;
    x.size = count;
    x.above = x.below = x.apart = BitMatrix(x.size);
    x.live.assign(words_for(x.size), 0);
    for (std::uint32_t k = 0; k < x.size; ++k) {
        set_bit(x.live.data(), k);
        x.home.push_back(k);
        x.vertex_of.push_back(k);
    }
    return x;
}

ExactInstance build_instance(const FusionProblem& problem) {
    ExactInstance x = empty_instance(problem.graph.size());
    build_order(problem.graph, x);
    build_pairs(problem, x);
    build_nets(flat_nets(problem.nets, x.size), x);
    x.clean_nets();
    return x;
}

}  // namespace hassium
