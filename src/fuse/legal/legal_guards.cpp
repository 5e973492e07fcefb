// The guards that a result depends on by rule 10.
//
// Partitioners test the boundaries of many pairs of loops while they search, and most answers go
// unused; a "no" needs no guard at all, because keeping instructions apart is always legal. So only
// the blocks of the result are asked about. A few members of a block together have all boundaries
// of the others: each other member is compared with one of these, and these pairwise.
#include <algorithm>

#include "fuse/legal/legal.hpp"

namespace hassium {

void Legality::ask_for(const Partition& result) const {
    std::vector<std::uint32_t> members;
    for (const Block& block : result.blocks) {
        members.clear();
        bool mixed = false;
        for (std::uint32_t m : block.members) {
            if (loops_[m].grid == kNone) continue;
            members.push_back(m);
            const Loop &first = loops_[members[0]], &loop = loops_[m];
            mixed = mixed || (loop.shape != first.shape &&
                              grids_.cuts(loop.grid).back() == grids_.cuts(first.grid).back());
        }
        if (mixed) ask_for_axes(members);
    }
}

void Legality::ask_for_axes(std::vector<std::uint32_t>& members) const {
    auto cuts = [&](std::uint32_t k) -> const LoopCuts& { return grids_.cuts(loops_[k].grid); };
    std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
        return cuts(a).size() > cuts(b).size();
    });
    const Program& p = *graph_.program;
    std::vector<std::uint32_t> finest;
    for (std::uint32_t k : members) {
        auto within = [&](std::uint32_t f) { return cuts_within(cuts(k), cuts(f)); };
        auto known = std::find_if(finest.begin(), finest.end(), within);
        if (known != finest.end()) {
            graph_.questions.ask(p, Question::Coarser, k, *known);
            continue;
        }
        for (std::uint32_t f : finest) graph_.questions.ask(p, Question::CommonAxes, k, f);
        finest.push_back(k);
    }
}

}  // namespace hassium
