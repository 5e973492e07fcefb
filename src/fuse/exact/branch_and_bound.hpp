// Branch and bound: the proven least cost of an instance, or a bound on the distance to it.
//
// A node of the search is an instance. It is reduced (reductions.hpp), bounded by packing cores in
// a few orders of its vertices (packing.hpp), and the partition of every packing is offered to the
// caller, who knows the least cost so far. A node whose bound reaches that cost is closed.
// Otherwise
//   fixing   a net whose cut would raise the bound to the best cost is uncut in any better
//            partition: its pins are merged into one vertex, and the node starts over;
//   branch   on two pins of the net that most cores compete for: first together, then apart.
// Array programs are rarely as hard as the general problem: most are closed at the root.
//
// Legality is more than forbidden pairs: a block may have too many members (legal.hpp). So bounds
// hold for a relaxation. A node whose partition costs no more than its bound, though the caller
// could not use it unchanged, is closed and its bound is kept.
//
// Nets may not be the whole cost: what a model charges beyond them can rise when blocks merge. Then
// nets bound the cost from below, but the best partition by nets need not be optimal: only nets are
// split, and a node is closed by its bound or when all pairs are decided.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <random>

#include "fuse/exact/exact_instance.hpp"

namespace hassium {

struct SearchResult {
    double bound;
    std::uint64_t nodes;
};

class BranchAndBound {
  public:
    using Time = std::chrono::steady_clock::time_point;
    // Receives the block of each vertex of the instance, a legal partition as far as the instance
    // knows; returns the least cost known so far.
    using Offer =
        std::function<double(const ExactInstance& x, const std::vector<std::uint32_t>& blocks)>;

    // `whole`: the nets are the whole cost.
    BranchAndBound(Offer offer, double best, Time deadline, bool whole = true)
        : offer_(std::move(offer)), best_(best), deadline_(deadline), whole_(whole) {}

    SearchResult run(ExactInstance root, double bound);

  private:
    struct Node {
        ExactInstance instance;
        double bound;
    };
    // Results of a node's packings for each net.
    struct Verdict {
        std::vector<bool> fixed;
        std::vector<double> fought;
    };

    bool late() const;
    void expand(Node& node);
    bool try_packings(Node& node, Verdict& verdict);
    bool decided(const Node& node, const std::vector<std::uint32_t>& blocks);
    bool contract_fixed(ExactInstance& x, const std::vector<bool>& fixed, bool& any) const;
    void branch(Node& node, const Verdict& verdict);
    void push(ExactInstance&& instance, double bound);

    Offer offer_;
    double best_;
    Time deadline_;
    bool whole_;
    std::vector<std::unique_ptr<Node>> open_;
    std::mt19937 random_{1};
    double unresolved_ = 0;
    std::uint64_t nodes_ = 0;
};

}  // namespace hassium
