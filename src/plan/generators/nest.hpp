// The nest that generators are merged into: a tree of intervals with periods, as data.
//
// A node is one axis of a nest; equal nodes have one number (hash-consing), so equal rows are
// stored once, and two subtrees are equal exactly if their numbers are. Positions are relative to
// the lower corner of the segment: tiles with the same contents share all nodes. The nodes of the
// last axis are row programs, whose blocks name operations.
//
// An executor walks the intervals of the root in order and the periods of an interval one after
// another; threads may divide an axis at bounds of periods. Positions between blocks are holes. In
// a fitted nest every interval holds whole periods.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/generators/generators.hpp"

namespace hassium {

// The positions offset <= x < offset + width of each period.
struct NestBlock {
    std::int64_t offset, width;
    std::uint32_t child;  // a node of the next axis; on the last axis the operation
    friend bool operator==(const NestBlock&, const NestBlock&) = default;
};

struct NestInterval {
    std::int64_t lower, upper, period;
    std::vector<NestBlock> blocks;  // ascending, disjoint, none empty
    bool has_whole_periods() const { return (upper - lower) % period == 0; }
};
using NestIntervals = std::vector<NestInterval>;  // ascending, disjoint

struct NestSegment {
    IndexBox box;
    std::uint32_t root;  // a node of axis 0; the operation if there are no axes
};

class GeneratorNest {
  public:
    explicit GeneratorNest(std::size_t rank) : rank_(rank) {}

    // Returns the node of an axis with these intervals. Children must be added first.
    std::uint32_t add(std::size_t axis, NestIntervals intervals);
    void add(NestSegment segment) { segments_.push_back(std::move(segment)); }

    // Segments in execution order: where they overlap, the last one writes.
    const std::vector<NestSegment>& segments() const { return segments_; }
    const NestIntervals& intervals(std::uint32_t node) const { return nodes_[node].intervals; }
    std::size_t rank() const { return rank_; }
    // Returns the blocks of all nodes, plus the segments: the size of the nest.
    std::size_t block_count() const { return blocks_ + segments_.size(); }

    // Returns the nest with `change` applied to the intervals of every node, from the last axis
    // outwards.
    GeneratorNest map(const std::function<NestIntervals(NestIntervals)>& change) const;

    std::string dump(std::span<const std::string> ops) const;
    // Throws InternalError with the node; `ops` is the number of operations.
    void verify(std::size_t ops, bool fitted) const;

  private:
    struct Node {
        std::size_t axis;
        NestIntervals intervals;
    };
    struct Hash {
        std::size_t operator()(const std::vector<std::int64_t>& words) const;
    };
    void verify_interval(const Node& node, const NestInterval& interval, std::size_t ops) const;
    // Returns the nodes reachable from the segments, by axis, in order of first appearance.
    std::vector<std::vector<std::uint32_t>> nodes_by_axis() const;

    std::size_t rank_;
    std::vector<Node> nodes_;
    std::vector<NestSegment> segments_;
    std::unordered_map<std::vector<std::int64_t>, std::uint32_t, Hash> numbers_;  // by contents
    std::size_t blocks_ = 0;
};

}  // namespace hassium
