// Which instructions may share a block: the only place that knows.
//
// Paper: "Fusion of Array Operations at Runtime", Def. 11-12 (data parallelism) and Lemma 1. Order
// is not judged here: a partitioner keeps the block graph free of cycles.
//
//  1. Overlapping views in one block are identical, dtype included, unless both are only read.
//     Axes of one element do not count, here and below; nor do shapes (rule 10).
//     Nor do the views of a complex array's real or imaginary parts conflict with the array itself,
//     as long as they are only read: what they show lies in the element of the same iteration.
//  2. All members iterate over the same shape, but for rules 8, 9 and 10.
//  3. A reduction iterates over the shape of its input, so whatever computes the input may share
//     its block. Its result exists when the loop is over: no other member touches its view, but
//     for rules 8 and 9.
//  4. Reductions share a block when they have the same axes and the same tree, so that one nest
//     serves both.
//  5. Rows that run by a routine of their own stand alone: gather but for rule 12, opaque, the
//  class
//     Reduce (argmin), scatter and accumulate but for rule 11; so does an instruction that is not
//     data parallel in itself (its output meets another of its views, or itself, without being
//     identical).
//  6. `del` and `sync` join anything: they do no work. Members of rule 5 share a block with these
//     only.
//  7. A block has at most kMaxMembers members that work and kMaxViews distinct views: plans stay
//     bounded.
//  8. What iterates over the axes that a reduction keeps may share its block, and that of whatever
//     iterates over the reduction's own shape: it runs when the row that it belongs to is reduced.
//     It may touch the view of the result. Each shape has one such set of axes in a program: those
//     of its first reduction whose rows are short (rule 9), else of its first reduction that keeps
//     more than a single number. A program that is cut in pieces has them piece by piece: a block
//     is legal as well when its own reductions choose.
//  9. If those rows are contiguous runs of the loop and short enough to stay in a cache, the block
//     runs row by row. Then an element of the kept axes that is written (a result or what rule 8
//     makes of it) may be read for the whole row: by a view that repeats the written one along
//     the reduced axes and is it along the others.
//
// 10. Loops of different shapes but as many elements share a block where they have common axes: of
//     any two boundaries between axes that members cannot do without (program/loop_cuts.hpp), one
//     divides the other. So work on H x W x 3 elements and on H x 3W share a loop, and what merges
//     into a single axis goes with any shape. Two shapes with axes that a reduction keeps (rule 8)
//     do not, since a place of the kept axes must mean one thing; nor do shapes join when others
//     iterate over kept axes. Views are identical that show the same elements in the same order.
//
// 11. An accumulate whose views have the stride of one item along its axis shares a block with maps
//     over its own shape and with accumulates along the same axis. Each line is taken in order, so
//     an element of the input is computed before, and one of the result is used behind it, in the
//     same iteration. Rules 4, 8 and 10 let nothing join such a block. So does a scatter of a
//     vector of values into a vector, or a reduction of the segments of a vector
//     (program/lookup.hpp), along the axis of the values: they are taken in order, and no other
//     member touches any part of the vector that is written. A block has one scatter: the vectors
//     of two would share the caches.
//
// 12. A take from a contiguous vector (program/lookup.hpp) iterates over its result, as a map does.
//     It reads the vector anywhere, so no other member writes any part of that.
//
// In the words of "Fusing Gathers with Integer Linear Programming", all members of a block run in
// one order, that of its loop, and rule 1 says that an array is made in the order in which it is
// read: identical views are one order; views that show the same elements otherwise are two. The
// source of a gather has no order (rule 12) and is made in an earlier block. Loops that compute an
// array in the order of its readers come from passes, which change the views of the instructions
// before they are partitioned: rewrite/pull_gathers.cpp, rewrite/pull_views.cpp.
//
// Rules 1, 2, 3, 5 and 6 are Def. 12 plus equal shapes, as far as the paper goes:
// LegalityMode::Paper applies them alone, for the paper's figures. What it allows is not always
// planned, so only the command line asks for it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/small_vec.hpp"
#include "fuse/graph/graph.hpp"
#include "fuse/legal/grids.hpp"
#include "fuse/modes.hpp"
#include "fuse/partition.hpp"
#include "program/reduction_tree.hpp"

namespace hassium {

inline constexpr std::uint32_t kMaxMembers = 512;
inline constexpr std::uint32_t kMaxViews = 512;

// What matters about a set of instructions that shares, or may share, a block.
struct BlockState {
    // The loop, or the larger one of two (rule 8).
    struct Loop {
        std::uint32_t shape = kNone;  // number of the iteration shape; kNone: only del and sync
        std::uint32_t tree = kNone;   // number of the reduction's tree and axes; kNone: none
        std::uint32_t keeps = kNone;  // the shape that rule 8 lets in; kNone: none
        std::uint32_t host = kNone;   // the shape that has kept axes, of several (rule 10)
        std::uint32_t grid = kNone;   // number of the boundaries of rule 10; kNone: one shape only
        std::uint32_t scan = kNone;   // accumulated axis, of those longer than 1; kNone: none
        bool rows = false;            // the reduction is over the axes of rule 8
        bool kept = false;            // some members iterate over `keeps`
        bool alone = false;           // rule 5
        bool scatters = false;        // rule 11
        bool mixed = false;           // members have several shapes; `shape` is one of them
    };
    Loop loop;
    std::uint32_t members = 0;  // without del and sync
    SmallVec<ViewAccess, 6>
        accesses;  // by view, ascending; as many as most instructions have, in place

    void clear();
};

class Legality {
  public:
    // `among`: only reductions among these choose the axes of rule 8.
    explicit Legality(const Graph& graph, LegalityMode mode = LegalityMode::Full,
                      const std::vector<bool>* among = nullptr);

    // The state of one instruction alone, written over `state`.
    void load(std::uint32_t instruction, BlockState& state) const;
    // Whether the union may be a block, as far as these rules say. Both are legal in themselves.
    bool may_join(const BlockState& a, const BlockState& b) const;
    // Adds b to a.
    void join(BlockState& a, const BlockState& b) const;

    // A cheap necessary condition of may_join for single instructions: rules 2, 4, 5 and 8.
    bool same_loop(std::uint32_t a, std::uint32_t b) const;
    std::uint32_t shape(std::uint32_t instruction) const { return loops_[instruction].shape; }
    // Asks what the blocks of the result rest on by rule 10: legal_guards.cpp.
    void ask_for(const Partition& result) const;
    // Why two instructions may not share a block; empty when they may. For explanations and errors:
    // legal_reasons.cpp.
    const char* refusal(std::uint32_t a, std::uint32_t b) const;

  private:
    // Beside kRead and kWrite: the view is a reduction's result (rule 3); of one whose result rule
    // 8 lets others touch; each element may be read at any time (rule 12).
    static constexpr std::uint8_t kResult = 4, kRowResult = 8, kAnywhere = 16;
    using Loop = BlockState::Loop;
    // The axes of rule 8, of one shape.
    struct Rows {
        std::uint32_t keeps = kNone;
        std::uint64_t axes = 0;  // as bits of the axes longer than 1
        bool is_short = false;   // rule 9
    };
    using Shape = SmallVec<std::int64_t, 8>;
    Shape shape_of(std::span<const std::int64_t> extents) const;
    std::uint32_t number_of(const Shape& shape);
    void number_loops();
    void number_grids();
    void find_rows(const std::vector<bool>* among);
    void add_rows(std::uint32_t reduction);
    void note_looks();
    void ask_for_axes(std::vector<std::uint32_t>& members) const;
    bool stands_alone(const Instruction& i) const;
    std::uint32_t scan_axis(const Instruction& i) const;
    // For overlapping views: does one show a part of what the same iteration has in the other?
    bool shows_part(const ViewAccess& a, const ViewAccess& b) const;
    bool accesses_agree(const ViewAccess& a, const ViewAccess& b, std::uint32_t host) const;
    bool views_agree(const BlockState& few, const BlockState& many, std::uint32_t host) const;
    bool results_agree(std::uint8_t a, std::uint8_t b) const;
    const char* access_refusal(const ViewAccess& a, const ViewAccess& b) const;
    // The shape that has rows in a block of both.
    static std::uint32_t host_of(const Loop& a, const Loop& b);
    // `host`: the shape whose rows are meant; kNone: there are none.
    bool repeats_row(std::uint32_t host, const ViewAccess& one, const ViewAccess& other) const;
    bool ask_repeats(const Rows& rows, std::uint32_t row, std::uint32_t element) const;
    const char* loop_refusal(const Loop& a, const Loop& b) const;
    const char* shape_refusal(const Loop& a, const Loop& b) const;
    const char* scan_refusal(const Loop& a, const Loop& b) const;
    bool trees_agree(const Loop& a, const Loop& b) const;
    std::uint32_t unite(std::uint32_t a, std::uint32_t b) const;
    void join_loops(Loop& a, const Loop& b) const;

    const Graph& graph_;
    LegalityMode mode_;
    Interner shape_numbers_;
    std::vector<Shape> shapes_;
    std::vector<Loop> loops_;  // per instruction
    std::vector<Rows> rows_;   // per shape; empty without any
    mutable Grids grids_;
    // An operand that is a view as a loop over a shape sees it, by shape and view: of shapes with
    // short rows and of what these keep.
    std::unordered_map<std::uint64_t, std::uint32_t> looks_;
    mutable std::unordered_map<std::uint64_t, bool> repeats_;  // answers so far
};

}  // namespace hassium
