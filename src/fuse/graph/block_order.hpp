// The blocks of a growing partition, kept in a valid execution order while they merge.
//
// Blocks form a linked list with 64-bit labels (program order at first). Merging a and b, a before
// b, is legal if no path of length two or more leads from a to b (Lemma 1). Only blocks with labels
// between the two can be on such a path, so a forward search from a and a backward search from b
// alternate inside that window. When one side is exhausted without meeting the other there is no
// path, and its visited blocks move out of the way: successors of a after b, or predecessors of b
// before a. That keeps the order valid, as in dynamic topological ordering (Pearce and Kelly, "A
// dynamic topological sort algorithm for directed acyclic graphs", 2006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/small_vec.hpp"
#include "fuse/graph/graph.hpp"

namespace hassium {

class BlockOrder {
  public:
    explicit BlockOrder(const Graph& graph);

    // Returns the block that a block or instruction has been merged into.
    std::uint32_t find(std::uint32_t block);
    bool before(std::uint32_t a, std::uint32_t b) const { return label_[a] < label_[b]; }

    // Merges `gone` into `kept` unless a path of length two or more connects them.
    bool try_merge(std::uint32_t kept, std::uint32_t gone);
    // Sets `hull` to the blocks on all paths from a to b, in execution order, without a and b. Call
    // right after try_merge refused them: it continues that search. Returns false if there are more
    // than `most`.
    bool between(std::uint32_t a, std::uint32_t b, std::size_t most,
                 std::vector<std::uint32_t>& hull);
    // Returns the number of neighbours visited by path searches so far.
    std::int64_t steps() const { return steps_; }
    // First and next block in execution order; kNone at the end.
    std::uint32_t first() const { return next_[head_]; }
    std::uint32_t next(std::uint32_t block) const { return next_[block]; }

  private:
    struct Side {
        std::vector<std::uint32_t> visited;
        std::size_t done = 0;  // visited blocks whose neighbours were visited

        bool exhausted() const { return done == visited.size(); }
    };
    using Neighbours = SmallVec<std::uint32_t, 6>;
    Neighbours& neighbours(std::uint32_t block, bool forwards);
    void open_window(std::uint32_t a, std::uint32_t b);
    bool begin_search(std::uint32_t a, std::uint32_t b);
    // Searches from both ends until one side is exhausted; returns false if the two have met at
    // more than `most` blocks.
    bool search(std::size_t most);
    void look(Side& side, std::uint32_t from, bool forwards);
    void visit(Side& side, std::uint32_t block, bool forwards);
    bool any_in_window(std::span<const std::uint32_t> blocks);
    void sort(std::vector<std::uint32_t>& blocks) const;
    void unlink(std::uint32_t block);
    void insert_after(std::uint32_t place, std::uint32_t block);
    void take_place(std::uint32_t block, std::uint32_t of);
    void relabel();

    std::vector<std::uint32_t> parent_;
    std::vector<std::uint64_t> label_;
    std::vector<std::uint32_t> next_, previous_;
    std::vector<Neighbours> after_, before_;  // cleaned when visited
    std::vector<std::uint32_t> forwards_mark_, backwards_mark_, clean_mark_;
    Side forwards_, backwards_;
    bool forwards_ended_ = false;       // whether the forward side is the exhausted one
    std::uint64_t low_ = 0, high_ = 0;  // the window, exclusive
    std::size_t met_ = 0;               // blocks in it that both sides have visited
    std::int64_t steps_ = 0;
    std::uint32_t mark_ = 0, clean_ = 0;
    std::uint32_t head_;
};

}  // namespace hassium
