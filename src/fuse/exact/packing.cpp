#include "fuse/exact/packing.hpp"

#include <algorithm>
#include <limits>

namespace hassium {
namespace {

constexpr std::uint32_t kFar = kNone - 1;

void close_list(Lists& lists) {
    lists.begin.push_back(static_cast<std::uint32_t>(lists.items.size()));
}

// Strongly connected components (Tarjan, "Depth-first search and linear graph algorithms", 1972)
// without recursion. `each_edge(node, k)` returns the k-th edge of a node, kNone past the last.
template <class Edge>
std::vector<std::uint32_t> strong_components(std::size_t nodes, Edge each_edge) {
    std::vector<std::uint32_t> component(nodes, kNone), low(nodes), index(nodes, kNone),
        edge(nodes);
    std::vector<std::uint32_t> open, path;
    std::uint32_t time = 0, count = 0;
    for (std::uint32_t root = 0; root < nodes; ++root) {
        if (index[root] != kNone) continue;
        path.push_back(root);
        while (!path.empty()) {
            std::uint32_t v = path.back();
            if (index[v] == kNone) {
                index[v] = low[v] = time++;
                open.push_back(v);
            }
            std::uint32_t w = each_edge(v, edge[v]);
            if (w != kNone) {
                ++edge[v];
                if (index[w] == kNone) {
                    path.push_back(w);
                } else if (component[w] == kNone) {
                    low[v] = std::min(low[v], index[w]);
                }
                continue;
            }
            path.pop_back();
            if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
            if (low[v] != index[v]) continue;
            for (std::uint32_t member = kNone; member != v; open.pop_back()) {
                member = open.back();
                component[member] = count;
            }
            ++count;
        }
    }
    return component;
}

}  // namespace

Packing::Packing(const ExactInstance& x) : x_(x) {
    extend_nets();
    link_order();
    for (std::size_t k = 0; k < x.nets.size(); ++k) surely_.push_back(surely_cut(k));
    for (Search* s : {&forwards_, &backwards_}) {
        s->mark.assign(x.size, 0);
        s->distance.resize(x.size);
        s->net.resize(x.size);
        s->from.resize(x.size);
    }
    net_mark_.assign(x.nets.size(), 0);
}

void Packing::extend_nets() {
    std::size_t words = x_.words();
    BitRow over(words), under(words);
    std::vector<std::uint32_t> count(x_.size + 1, 0);
    for (const ExactNet& net : x_.nets) {
        close_list(pins_);
        std::fill(over.begin(), over.end(), 0);
        std::fill(under.begin(), under.end(), 0);
        for (std::uint32_t pin : net.pins) {
            add_bits(over.data(), x_.above[pin], words);
            add_bits(under.data(), x_.below[pin], words);
        }
        for (std::size_t w = 0; w < words; ++w) over[w] &= under[w];
        for (std::uint32_t pin : net.pins) set_bit(over.data(), pin);
        each_bit(over.data(), words, [&](std::uint32_t v) {
            pins_.items.push_back(v);
            ++count[v + 1];
        });
    }
    close_list(pins_);
    for (std::size_t v = 0; v < x_.size; ++v) count[v + 1] += count[v];
    nets_of_.begin = count;
    nets_of_.items.resize(pins_.items.size());
    for (std::uint32_t k = 0; k < x_.nets.size(); ++k) {
        for (std::uint32_t v : pins_[k]) nets_of_.items[count[v]++] = k;
    }
}

void Packing::link_order() {
    std::size_t words = x_.words();
    BitRow rest(words);
    std::vector<std::vector<std::uint32_t>> before(x_.size);
    for (std::uint32_t u = 0; u < x_.size; ++u) {
        close_list(after_);
        std::copy_n(x_.below[u], words, rest.begin());
        each_bit_of(
            words, [&](std::size_t w) { return rest[w]; },
            [&](std::uint32_t s) {
                if (!has_bit(rest.data(), s)) return;
                after_.items.push_back(s);
                before[s].push_back(u);
                for (std::size_t w = 0; w < words; ++w) rest[w] &= ~x_.below[s][w];
            });
    }
    close_list(after_);
    for (const auto& list : before) {
        close_list(before_);
        before_.items.insert(before_.items.end(), list.begin(), list.end());
    }
    close_list(before_);
}

// Returns what a net pays in any partition: a clique of forbidden pairs among its pins, found
// greedily, occupies as many blocks; and a net whose hull contains a conflict is cut.
double Packing::surely_cut(std::size_t net) const {
    std::size_t best = 1;
    const auto& pins = x_.nets[net].pins;
    if (pins.size() > 2) {
        std::vector<std::uint32_t> clique;
        for (std::size_t first = 0; first < pins.size(); ++first) {
            clique.assign(1, pins[first]);
            for (std::uint32_t pin : pins) {
                if (std::all_of(clique.begin(), clique.end(),
                                [&](std::uint32_t c) { return x_.apart.has(c, pin); })) {
                    clique.push_back(pin);
                }
            }
            best = std::max(best, clique.size());
        }
    }
    auto hull = pins_[net];
    for (std::size_t k = 1; k < hull.size() && best == 1; ++k) {
        for (std::size_t m = 0; m < k && best == 1; ++m) {
            if (x_.apart.has(hull[m], hull[k])) best = 2;
        }
    }
    return x_.nets[net].weight * static_cast<double>(best - 1);
}

void Packing::find_components(bool with_order) {
    auto count = static_cast<std::uint32_t>(x_.size);
    auto edge = [&](std::uint32_t node, std::uint32_t k) {
        if (node >= count) {
            auto pins = pins_[node - count];
            return k < pins.size() && residual_[node - count] > 0 ? pins[k] : kNone;
        }
        auto nets = nets_of_[node];
        // A net without residual has no edges: a component by itself.
        if (k < nets.size()) return count + nets[k];
        auto after = after_[node];
        std::size_t rest = k - nets.size();
        return with_order && rest < after.size() ? after[rest] : kNone;
    };
    component_ = strong_components(x_.size + x_.nets.size(), edge);
    component_.resize(x_.size);
}

// Sets which components contain a forbidden pair; returns whether any does.
bool Packing::mark_conflicts() {
    conflict_.assign(x_.size + x_.nets.size(), false);
    std::vector<std::vector<std::uint32_t>> members(conflict_.size());
    for (std::uint32_t v = 0; v < x_.size; ++v) members[component_[v]].push_back(v);
    bool any = false;
    BitRow row(x_.words());
    for (std::size_t c = 0; c < members.size(); ++c) {
        if (members[c].size() < 2) continue;
        for (std::uint32_t v : members[c]) set_bit(row.data(), v);
        for (std::uint32_t v : members[c]) {
            if (!meets(row.data(), x_.apart[v], x_.words())) continue;
            conflict_[c] = any = true;
            break;
        }
        for (std::uint32_t v : members[c]) drop_bit(row.data(), v);
    }
    return any;
}

void Packing::take(const Core& core) {
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t net : core) least = std::min(least, residual_[net]);
    bound_ += least;
    for (std::uint32_t net : core) residual_[net] -= least;
    cores_.push_back(core);
}

void Packing::trace(const Search& search, std::uint32_t to, Core& core) const {
    for (std::uint32_t v = to; search.from[v] != kNone; v = search.from[v]) {
        std::uint32_t net = search.net[v];
        if (net != kNone && std::find(core.begin(), core.end(), net) == core.end()) {
            core.push_back(net);
        }
    }
}

// Finds the shortest path by nets alone from u to a vertex that it may not share a block with.
// Returns its length, or kFar if it is longer than `longest`.
std::uint32_t Packing::find_path(std::uint32_t u, std::uint32_t longest, Core& core) {
    Search& s = forwards_;
    ++s.now;
    ++net_now_;
    s.mark[u] = s.now;
    s.from[u] = kNone;
    s.distance[u] = 0;
    s.queue.assign(1, u);
    for (std::size_t at = 0; at < s.queue.size(); ++at) {
        std::uint32_t v = s.queue[at];
        if (s.distance[v] == longest) break;
        for (std::uint32_t net : nets_of_[v]) {
            if (net_mark_[net] == net_now_ || residual_[net] <= 0) continue;
            net_mark_[net] = net_now_;
            for (std::uint32_t w : pins_[net]) {
                if (s.mark[w] == s.now) continue;
                s.mark[w] = s.now;
                s.from[w] = v;
                s.net[w] = net;
                s.distance[w] = s.distance[v] + 1;
                if (x_.apart.has(u, w)) {
                    core.clear();
                    trace(s, w, core);
                    return s.distance[w];
                }
                s.queue.push_back(w);
            }
        }
    }
    return kFar;
}

// Computes the fewest nets on a path from u (or to u) within its component; arcs are free.
void Packing::explore(std::uint32_t u, std::uint32_t longest, bool forwards, Search& s) {
    const Lists& arcs = forwards ? after_ : before_;
    ++s.now;
    ++net_now_;
    auto visit = [&](std::uint32_t w, std::uint32_t from, std::uint32_t net, std::uint32_t far) {
        if (s.mark[w] == s.now || component_[w] != component_[u]) return;
        s.mark[w] = s.now;
        s.from[w] = from;
        s.net[w] = net;
        s.distance[w] = far;
        s.queue.push_back(w);
    };
    s.queue.clear();
    visit(u, kNone, kNone, 0);
    // The queue holds vertices of one distance, and grows along arcs while it is walked.
    for (std::uint32_t far = 0;; ++far) {
        for (std::size_t at = 0; at < s.queue.size(); ++at) {
            for (std::uint32_t w : arcs[s.queue[at]]) visit(w, s.queue[at], kNone, far);
        }
        if (far == longest || s.queue.empty()) return;
        s.next.clear();
        s.next.swap(s.queue);
        for (std::uint32_t v : s.next) {
            for (std::uint32_t net : nets_of_[v]) {
                if (net_mark_[net] == net_now_ || residual_[net] <= 0) continue;
                net_mark_[net] = net_now_;
                for (std::uint32_t w : pins_[net]) visit(w, v, net, far + 1);
            }
        }
    }
}

std::uint32_t Packing::find_cycle(std::uint32_t u, std::uint32_t longest, Core& core) {
    explore(u, longest, true, forwards_);
    explore(u, longest, false, backwards_);
    std::uint32_t best = longest + 1, partner = kNone;
    each_bit(x_.apart[u], x_.words(), [&](std::uint32_t w) {
        if (forwards_.mark[w] != forwards_.now || backwards_.mark[w] != backwards_.now) return;
        std::uint32_t length = forwards_.distance[w] + backwards_.distance[w];
        if (length >= best) return;
        best = length;
        partner = w;
    });
    if (partner == kNone) return kFar;
    core.clear();
    trace(forwards_, partner, core);
    trace(backwards_, partner, core);
    return best;
}

bool Packing::take_all(const std::vector<std::uint32_t>& order, bool with_order, Time deadline) {
    Core core;
    auto most = static_cast<std::uint32_t>(2 * x_.nets.size() + 2);
    for (std::uint32_t longest = 1; longest <= most; ++longest) {
        find_components(with_order);
        if (!mark_conflicts()) return true;
        if (std::chrono::steady_clock::now() >= deadline) return false;
        for (std::uint32_t u : order) {
            if (!conflict_[component_[u]]) continue;
            for (;;) {
                std::uint32_t length =
                    with_order ? find_cycle(u, longest, core) : find_path(u, longest, core);
                if (length == kFar) break;
                take(core);
            }
        }
    }
    return true;
}

bool Packing::run(const std::vector<std::uint32_t>& order, Time deadline) {
    bound_ = x_.constant;
    cores_.clear();
    residual_.resize(x_.nets.size());
    for (std::size_t k = 0; k < x_.nets.size(); ++k) {
        bound_ += surely_[k];
        residual_[k] = surely_[k] > 0 ? 0 : x_.nets[k].weight;
    }
    if (!take_all(order, false, deadline) || !take_all(order, true, deadline)) return false;
    find_components(true);
    std::vector<std::uint32_t> number(x_.size + x_.nets.size(), kNone);
    std::uint32_t count = 0;
    for (std::uint32_t& block : component_) {
        if (number[block] == kNone) number[block] = count++;
        block = number[block];
    }
    return true;
}

}  // namespace hassium
