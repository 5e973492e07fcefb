// The least cost of a small WSP by exhaustion: the reference of the exact partitioner.
//
// In execution order the blocks of a legal partition add up to a chain of down-sets of the order,
// each step a block free of conflicts, and every such chain is a legal partition. With costs that
// are sums over blocks the cheapest chain is found by dynamic programming over all down-sets.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "fuse/exact/exact_instance.hpp"
#include "support/check.hpp"

namespace wsp {

using Mask = std::uint32_t;

struct Problem {
    std::size_t count = 0;
    std::vector<Mask> above;    // per vertex
    std::vector<bool> legal;    // per set of vertices: may it be a block?
    std::vector<double> extra;  // per set, beyond the nets; may be left empty
    double constant = 0;
    std::vector<std::pair<double, Mask>> nets;
};

inline Mask mask_of(const hassium::Word* row) { return static_cast<Mask>(row[0]); }

inline double optimum(const Problem& p) {
    std::size_t sets = std::size_t{1} << p.count;
    std::vector<Mask> above(sets, 0);
    std::vector<double> pays(sets, 0), best(sets, std::numeric_limits<double>::infinity());
    for (Mask set = 1; set < sets; ++set) {
        above[set] =
            above[set & (set - 1)] | p.above[static_cast<std::size_t>(std::countr_zero(set))];
        if (!p.extra.empty()) pays[set] = p.extra[set];
        for (auto [weight, pins] : p.nets) pays[set] += (set & pins) ? weight : 0;
    }
    best[0] = p.constant;
    for (auto [weight, pins] : p.nets) best[0] -= weight;
    Mask all = static_cast<Mask>(sets - 1);
    for (Mask done = 0; done < all; ++done) {
        if (best[done] == std::numeric_limits<double>::infinity()) continue;
        Mask rest = all & ~done;
        for (Mask block = rest; block != 0; block = (block - 1) & rest) {
            if (!p.legal[block] || (above[block] & ~(done | block))) continue;
            best[done | block] = std::min(best[done | block], best[done] + pays[block]);
        }
    }
    return best[all];
}

// The relaxation that an instance is: blocks are sets without a forbidden pair. Dropped vertices
// are in no relation and no net, and stand alone.
inline Problem problem_of(const hassium::ExactInstance& x) {
    Problem p;
    p.count = x.size;
    CHECK(x.size <= 20);
    p.constant = x.constant;
    for (std::uint32_t v = 0; v < x.size; ++v) p.above.push_back(mask_of(x.above[v]));
    p.legal.assign(std::size_t{1} << x.size, true);
    for (Mask set = 1; set < p.legal.size(); ++set) {
        auto last = static_cast<std::uint32_t>(31 - std::countl_zero(set));
        Mask others = set & ~(Mask{1} << last);
        p.legal[set] = p.legal[others] && !(mask_of(x.apart[last]) & others);
    }
    for (const hassium::ExactNet& net : x.nets) {
        Mask pins = 0;
        for (std::uint32_t pin : net.pins) pins |= Mask{1} << pin;
        p.nets.emplace_back(net.weight, pins);
    }
    return p;
}

}  // namespace wsp
