// What the exact partitioner works on: vertices under a full order, forbidden pairs, and nets.
//
// A vertex stands for one or more instructions of the program; vertices are numbered in a
// topological order, and the three relations are full bit matrices. Three operations change an
// instance: two vertices become one (with everything on the paths between them), a pair is
// forbidden, a vertex that decides nothing more is dropped.
//
// Closure: a legal block that holds u < v holds the hull of all x with u < x < v (paper, Def. 5.2).
// So (u, v) is forbidden as soon as its hull holds a forbidden pair. This is the theta of Def. 18
// made pairwise, and the strongest of the reductions: all others and the bound rest on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fuse/graph/bit_rows.hpp"
#include "fuse/partitioners/partitioners.hpp"

namespace hassium {

// Pays `weight` for every block it touches but the first.
struct ExactNet {
    double weight;
    std::vector<std::uint32_t> pins;  // ascending
};

struct ExactInstance {
    std::size_t size = 0;  // vertices, those dropped included
    BitMatrix above, below, apart;
    BitRow live;
    std::vector<ExactNet> nets;
    double constant = 0;
    std::vector<std::uint32_t> home;  // per vertex: what it joined, or itself
    // Per instruction its vertex, or a number from kSettled on that it shares with those that had
    // the same vertex when that was dropped.
    std::vector<std::uint32_t> vertex_of;
    std::uint32_t settled = kSettled;  // the next such number
    static constexpr std::uint32_t kSettled = 0x80000000u;

    std::size_t words() const { return live.size(); }
    // What a vertex has become part of.
    std::uint32_t home_of(std::uint32_t v) const;
    bool is_live(std::uint32_t v) const { return has_bit(live.data(), v); }
    bool may_share(std::uint32_t u, std::uint32_t v) const { return !apart.has(u, v); }

    // Merges u and v (live, different) and the hull between them into one vertex. False: they hold
    // a forbidden pair, and the instance is of no use any more.
    bool contract(std::uint32_t u, std::uint32_t v);
    void forbid(std::uint32_t u, std::uint32_t v);
    // Takes u out of order and pairs. Whatever was ordered through u stays ordered.
    void drop(std::uint32_t u);
    // The same when u joins v, whose relations hold those of u.
    void drop_into(std::uint32_t u, std::uint32_t v);
    // Makes forbidden what is forbidden by its hull. Wants topological numbers: after compact().
    void close();
    // Renumbers the live vertices in a topological order and cleans the nets.
    void compact();
    // What blocks per vertex cost.
    double cost_of(const std::vector<std::uint32_t>& blocks) const;
    // Block numbers per instruction, from 0, for blocks per vertex of a compact instance.
    std::vector<std::uint32_t> spread(const std::vector<std::uint32_t>& blocks) const;
    // Equal nets are added up; nets of one pin and of no weight go.
    void clean_nets();
};

// `count` vertices that nothing relates yet.
ExactInstance empty_instance(std::size_t count);
// All pairs of a program: quadratic in its instructions.
ExactInstance build_instance(const FusionProblem& problem);

}  // namespace hassium
