// A lower bound on the cost of an instance, together with a legal partition.
//
// A core is a set of nets that cannot all stay uncut. Regard dependencies as arcs and uncut nets as
// two-way links; if all those nets are uncut, the blocks are unions of the strongly connected
// components. So a forbidden pair (u, w) inside one component gives a core: the nets on a path from
// u to w and those on a path back. Some net of every core is cut, so disjoint cores add up; a net
// may also be divided among cores, as long as the parts do not exceed its weight.
//
// Packing: the residual of every net starts as its weight. Cores are taken shortest first; each
// adds the smallest residual of its nets to the bound, and all of them are reduced by it. When no
// component of the nets with a positive residual contains a forbidden pair, those components are
// legal blocks: each run gives a partition as well.
//
// An uncut net also holds the hull of its pins together, so a path may enter and leave it there.
#pragma once

#include <chrono>
#include <vector>

#include "fuse/exact/exact_instance.hpp"

namespace hassium {

class Packing {
  public:
    // `x` must be compact and closed, and outlive the packing.
    explicit Packing(const ExactInstance& x);

    using Time = std::chrono::steady_clock::time_point;
    // Packs anew; `order` decides which of equally short cores come first. Returns false if the
    // deadline passed; the bound is valid then too, but there are no blocks.
    bool run(const std::vector<std::uint32_t>& order, Time deadline = Time::max());

    double bound() const { return bound_; }
    double residual(std::size_t net) const { return residual_[net]; }
    // Returns the block of each vertex, numbered from 0.
    const std::vector<std::uint32_t>& blocks() const { return component_; }
    using Core = std::vector<std::uint32_t>;
    const std::vector<Core>& cores() const { return cores_; }

  private:
    struct Search {
        std::vector<std::uint32_t> mark, distance, net, from;
        std::vector<std::uint32_t> queue, next;
        std::uint32_t now = 0;
    };
    void extend_nets();
    void link_order();
    double surely_cut(std::size_t net) const;
    // Finds components of the residual nets, with the order or by nets alone.
    void find_components(bool with_order);
    bool mark_conflicts();
    bool take_all(const std::vector<std::uint32_t>& order, bool with_order, Time deadline);
    void take(const Core& core);
    std::uint32_t find_path(std::uint32_t u, std::uint32_t longest, Core& core);
    std::uint32_t find_cycle(std::uint32_t u, std::uint32_t longest, Core& core);
    void explore(std::uint32_t u, std::uint32_t longest, bool forwards, Search& search);
    void trace(const Search& search, std::uint32_t to, Core& core) const;

    const ExactInstance& x_;
    Lists pins_, nets_of_, after_, before_;  // pins with their hull; immediate neighbours
    std::vector<double> surely_;             // per net: what it pays in any partition
    std::vector<double> residual_;
    std::vector<std::uint32_t> component_;
    std::vector<bool> conflict_;  // per component
    std::vector<Core> cores_;
    Search forwards_, backwards_;
    std::vector<std::uint32_t> net_mark_;
    std::uint32_t net_now_ = 0;
    double bound_ = 0;
};

}  // namespace hassium
