// Three reductions. None is from the paper: its own preconditioner (Thm. 3, Fig. 6) loses optima.
//
// Split nets. Connect two pins of a net if they may share a block. A block contains pins of only
// one connected component of the net, so the net is the sum of its components, plus a constant for
// the blocks that they can never save.
//
// Weightless vertices. A vertex in no net can be placed anywhere that the order allows. It can be
// dropped, keeping its order, unless its presence in a block forbids something: a block that holds
// an ancestor a and a descendant d of u holds u, and so nothing that u is forbidden with. If every
// such vertex is forbidden with a or d already, u adds nothing. To put it back: into the one block
// that holds an ancestor and a descendant (two such blocks would form a cycle), else into a block
// of its own (any cycle through it exists without it).
//
// Domination. Move u into the block of v if
//   (a) what is above u, except v, is above v, and what is below u is below v;
//   (b) what is forbidden with u is forbidden with v, and u and v may share a block;
//   (c) the nets of u in which v is its only partner weigh at least as much as its nets without v.
// Take an optimal partition with u in A and v in B. In an order of the blocks everything above u is
// at or before B and everything below at or after it by (a), so the order stays valid; (b) keeps B
// free of forbidden pairs; a net that contains v gains no block, one whose only partner of u is v
// loses one (u was alone in A for it), and the others gain at most one each, so by (c) the cost
// does not rise. This covers a deletion or a last consumer with one accessor, temporaries that
// outweigh what their producer reads, twins, chains.
#include "fuse/exact/reductions.hpp"

#include <algorithm>

namespace hassium {
namespace {

// Removes and returns the pins that are connected with the first; the others stay.
std::vector<std::uint32_t> take_component(const ExactInstance& x,
                                          std::vector<std::uint32_t>& pins) {
    std::vector<std::uint32_t> taken{pins.front()};
    pins.erase(pins.begin());
    for (std::size_t next = 0; next < taken.size() && !pins.empty(); ++next) {
        std::erase_if(pins, [&](std::uint32_t pin) {
            if (!x.may_share(taken[next], pin)) return false;
            taken.push_back(pin);
            return true;
        });
    }
    return taken;
}

bool adds_nothing(const ExactInstance& x, std::uint32_t u) {
    std::size_t words = x.words();
    if (count_bits(x.apart[u], words) == 0) return true;
    bool nothing = true;
    each_bit(x.above[u], words, [&](std::uint32_t a) {
        if (!nothing || is_subset(x.apart[u], x.apart[a], words)) return;
        each_bit_of(
            words, [&](std::size_t w) { return x.below[u][w] & ~x.apart[a][w]; },
            [&](std::uint32_t d) {
                for (std::size_t w = 0; w < words && nothing; ++w) {
                    nothing = (x.apart[u][w] & ~x.apart[a][w] & ~x.apart[d][w]) == 0;
                }
            });
    });
    return nothing;
}

class Domination {
  public:
    explicit Domination(ExactInstance& x)
        : x_(x), nets_of_(x.size), shared_(x.size), only_(x.size) {
        for (std::uint32_t k = 0; k < x.nets.size(); ++k) {
            for (std::uint32_t pin : x.nets[k].pins) nets_of_[pin].push_back(k);
        }
    }

    bool run() {
        bool any = false;
        for (bool changed = true; changed; any = any || changed) {
            changed = false;
            for (auto u = static_cast<std::uint32_t>(x_.size); u-- > 0;) {
                if (!x_.is_live(u) || nets_of_[u].empty()) continue;
                std::uint32_t v = dominator(u);
                if (v == kNone) continue;
                merge(u, v);
                changed = true;
            }
        }
        return any;
    }

  private:
    std::uint32_t dominator(std::uint32_t u) {
        double total = 0;
        partners_.clear();
        for (std::uint32_t k : nets_of_[u]) {
            const ExactNet& net = x_.nets[k];
            total += net.weight;
            std::uint32_t partner = kNone, count = 0;
            for (std::uint32_t pin : net.pins) {
                if (pin == u || !x_.may_share(u, pin)) continue;
                partner = pin;
                ++count;
                if (shared_[pin] == 0) partners_.push_back(pin);
                shared_[pin] += net.weight;
            }
            if (count == 1) only_[partner] += net.weight;
        }
        std::uint32_t found = kNone;
        for (std::uint32_t v : partners_) {
            if (found == kNone && only_[v] >= total - shared_[v] && moves(u, v)) found = v;
            shared_[v] = only_[v] = 0;
        }
        return found;
    }
    // Returns whether conditions (a) and (b) hold.
    bool moves(std::uint32_t u, std::uint32_t v) const {
        std::size_t words = x_.words();
        auto within = [&](const Word* few, const Word* many) {
            for (std::size_t w = 0; w < words; ++w) {
                Word rest = few[w] & ~many[w];
                if (w == v >> 6) rest &= ~(Word{1} << (v & 63));
                if (rest) return false;
            }
            return true;
        };
        return is_subset(x_.apart[u], x_.apart[v], words) && within(x_.above[u], x_.above[v]) &&
               within(x_.below[u], x_.below[v]);
    }
    void merge(std::uint32_t u, std::uint32_t v) {
        x_.drop_into(u, v);
        for (std::uint32_t k : nets_of_[u]) {
            auto& pins = x_.nets[k].pins;
            bool known = std::find(pins.begin(), pins.end(), v) != pins.end();
            std::erase(pins, u);
            if (!known) {
                pins.push_back(v);
                nets_of_[v].push_back(k);
            } else if (pins.size() == 1) {
                std::erase(nets_of_[v], k);
            }
        }
        nets_of_[u].clear();
    }

    ExactInstance& x_;
    std::vector<std::vector<std::uint32_t>> nets_of_;
    std::vector<double> shared_, only_;  // with the current vertex; zero between calls
    std::vector<std::uint32_t> partners_;
};

}  // namespace

bool split_nets(ExactInstance& x) {
    bool changed = false;
    std::vector<ExactNet> parts;
    for (ExactNet& net : x.nets) {
        auto first = take_component(x, net.pins);
        while (!net.pins.empty()) {
            x.constant += net.weight;
            parts.push_back({net.weight, take_component(x, net.pins)});
            changed = true;
        }
        net.pins.swap(first);
    }
    if (!changed) return false;
    for (ExactNet& part : parts) x.nets.push_back(std::move(part));
    x.clean_nets();
    return true;
}

bool drop_weightless(ExactInstance& x) {
    BitRow idle = x.live;
    for (const ExactNet& net : x.nets) {
        for (std::uint32_t pin : net.pins) drop_bit(idle.data(), pin);
    }
    bool changed = false;
    each_bit(idle.data(), x.words(), [&](std::uint32_t u) {
        if (!adds_nothing(x, u)) return;
        x.drop(u);
        changed = true;
    });
    return changed;
}

bool merge_dominated(ExactInstance& x) {
    if (!Domination(x).run()) return false;
    x.clean_nets();
    return true;
}

void split_alone(ExactInstance& x) {
    split_nets(x);
    x.compact();
}

void reduce(ExactInstance& x) {
    for (bool changed = true; changed;) {
        changed = split_nets(x);
        changed = drop_weightless(x) || changed;
        changed = merge_dominated(x) || changed;
    }
    x.compact();
}

}  // namespace hassium
