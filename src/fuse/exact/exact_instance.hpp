// The input of the exact partitioner: vertices under a partial order in closed form, forbidden
// pairs, and nets.
//
// A vertex stands for one or more instructions of the program; vertices are numbered in a
// topological order, and the three relations are full bit matrices. Three operations change an
// instance: two vertices are merged (with everything on the paths between them), a pair is
// forbidden, a vertex that no longer affects the result is dropped.
//
// Closure: a legal block with u < v contains the hull of all x with u < x < v (paper, Def. 5.2). So
// (u, v) is forbidden as soon as its hull contains a forbidden pair. This is the theta of Def. 18
// made pairwise, and the strongest of the reductions: all others and the bound depend on it.
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
    std::size_t size = 0;  // number of vertices, including dropped ones
    BitMatrix above, below, apart;
    BitRow live;
    std::vector<ExactNet> nets;
    double constant = 0;
    std::vector<std::uint32_t> home;  // per vertex: the one that it was merged into, or itself
    // Per instruction its vertex, or, once that was dropped, a number from kSettled on, equal for
    // all instructions of the vertex.
    std::vector<std::uint32_t> vertex_of;
    std::uint32_t settled = kSettled;  // the next such number
    static constexpr std::uint32_t kSettled = 0x80000000u;

    std::size_t words() const { return live.size(); }
    // Returns the vertex that v has become part of.
    std::uint32_t home_of(std::uint32_t v) const;
    bool is_live(std::uint32_t v) const { return has_bit(live.data(), v); }
    bool may_share(std::uint32_t u, std::uint32_t v) const { return !apart.has(u, v); }

    // Merges u and v (live, different) and the hull between them into one vertex. Returns false if
    // they contain a forbidden pair; the instance is then unusable.
    bool contract(std::uint32_t u, std::uint32_t v);
    void forbid(std::uint32_t u, std::uint32_t v);
    // Removes u from the order and from pairs. Whatever was ordered through u stays ordered.
    void drop(std::uint32_t u);
    // The same when u joins v, whose relations include those of u.
    void drop_into(std::uint32_t u, std::uint32_t v);
    // Forbids all pairs that their hulls forbid. Requires topological numbers: call after
    // compact().
    void close();
    // Renumbers the live vertices in a topological order and cleans the nets.
    void compact();
    // Returns the cost of a partition, given the block of each vertex.
    double cost_of(const std::vector<std::uint32_t>& blocks) const;
    // Returns block numbers per instruction, from 0, given blocks per vertex of a compact instance.
    std::vector<std::uint32_t> spread(const std::vector<std::uint32_t>& blocks) const;
    // Adds up equal nets; removes nets of one pin or of no weight.
    void clean_nets();
};

// Returns `count` unrelated vertices.
ExactInstance empty_instance(std::size_t count);
// Builds all pairs of a program: quadratic in its instructions.
ExactInstance build_instance(const FusionProblem& problem);

}  // namespace hassium
