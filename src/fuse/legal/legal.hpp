// The rules which instructions may share a block, in one place.
//
// Paper: "Fusion of Array Operations at Runtime", Def. 11-12 (data parallelism) and Lemma 1. Order
// is checked elsewhere: a partitioner keeps the block graph acyclic.
//
//  1. Overlapping views in one block are identical, dtype included, unless both are only read.
//     Axes of one element do not count, here and below; nor do shapes (rule 10).
//     Views of a complex array's real or imaginary parts that are only read do not conflict with
//     the array itself: they show a part of the element of the same iteration.
//  2. All members iterate over the same shape, except by rules 8, 9 and 10.
//  3. A reduction iterates over the shape of its input, so producers of the input may share its
//     block. Its result exists only when the loop is complete: no other member touches its view,
//     except by rules 8 and 9.
//  4. Reductions share a block if they have the same axes and the same tree, so that one nest
//     serves both.
//  5. Rows that run by a routine of their own are alone in a block: gather (except by rule 12),
//     opaque, the class Reduce (argmin), scatter and accumulate (except by rule 11); so is an
//     instruction that is not data parallel in itself (its output overlaps another of its views, or
//     itself, without being identical).
//  6. `del` and `sync` join any block: they do no work. Members of rule 5 share a block with these
//     only.
//  7. A block has at most kMaxMembers members that work and kMaxViews distinct views: plans stay
//     bounded.
//  8. An instruction over the axes that a reduction keeps may share its block, and that of any
//     instruction over the reduction's own shape: it runs when its row is reduced. It may touch the
//     view of the result. Each shape has one such set of axes in a program: those of its first
//     reduction whose rows are short (rule 9), else of its first reduction that keeps more than a
//     single number. A program that is cut into parts has them per part: a block is legal as well
//     if its own reductions choose.
//  9. If those rows are contiguous runs of the loop and short enough to stay in a cache, the block
//     runs row by row. Then an element of the kept axes that is written (a result, or an output of
//     rule 8) may be read for the whole row: by a view that broadcasts the written one along the
//     reduced axes and equals it along the others.
//
// 10. Loops of different shapes but as many elements share a block if they have common axes: of
//     any two boundaries between axes that members need (program/loop_cuts.hpp), one divides the
//     other. So work on H x W x 3 elements and on H x 3W shares a loop, and what merges into a
//     single axis goes with any shape. Two shapes with axes that a reduction keeps (rule 8) do not,
//     since a position of the kept axes must have one meaning; nor do shapes join when others
//     iterate over kept axes. Views that show the same elements in the same order are identical.
//
// 11. An accumulate whose views have the stride of one item along its axis shares a block with maps
//     over its own shape and with accumulates along the same axis. Each line is processed in order,
//     so an element of the input is computed before it is accumulated and one of the result is used
//     after, in the same iteration. Rules 4, 8 and 10 let nothing join such a block. The same holds
//     for a scatter of a vector of values into a vector, or a segmented reduction of a vector
//     (program/lookup.hpp), along the axis of the values: they are processed in order, and no other
//     member touches any part of the vector that is written. A block has one scatter: the vectors
//     of two would compete for the caches.
//
// 12. A take from a contiguous vector (program/lookup.hpp) iterates over its result, as a map does.
//     It reads the vector at any position, so no other member writes any part of that.
//
// In the words of "Fusing Gathers with Integer Linear Programming", all members of a block run in
// one order, that of its loop, and rule 1 says that an array is produced in the order in which it
// is read: identical views are one order; views that show the same elements otherwise are two. The
// source of a gather has no order (rule 12) and is produced in an earlier block. Loops that compute
// an array in the order of its readers come from passes, which change the views of the instructions
// before they are partitioned: rewrite/pull_gathers.cpp, rewrite/pull_views.cpp.
//
// Rules 1, 2, 3, 5 and 6 are Def. 12 plus equal shapes, as far as the paper goes:
// LegalityMode::Paper applies them alone, for the paper's figures. Some blocks that it allows
// cannot be planned, so only the command line requests it.
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

// The state of a set of instructions that shares, or may share, a block.
struct BlockState {
    // The loop, or the larger one of two (rule 8).
    struct Loop {
        std::uint32_t shape = kNone;  // number of the iteration shape; kNone: only del and sync
        std::uint32_t tree = kNone;  // number of the reduction's tree and axes; kNone: no reduction
        std::uint32_t keeps = kNone;  // the shape of kept axes by rule 8; kNone: none
        std::uint32_t host = kNone;   // of several shapes, the one that has kept axes (rule 10)
        std::uint32_t grid = kNone;   // number of the boundaries of rule 10; kNone: one shape only
        std::uint32_t scan = kNone;   // accumulated axis, among those longer than 1; kNone: none
        bool rows = false;            // the reduction reduces the axes of rule 8
        bool kept = false;            // some members iterate over `keeps`
        bool alone = false;           // rule 5
        bool scatters = false;        // rule 11
        bool mixed = false;           // members have several shapes; `shape` is one of them
    };
    Loop loop;
    std::uint32_t members = 0;  // without del and sync
    SmallVec<ViewAccess, 6>
        accesses;  // by view, ascending; in-place capacity for most instructions

    void clear();
};

class Legality {
  public:
    // `among`: if given, only reductions among these choose the axes of rule 8.
    explicit Legality(const Graph& graph, LegalityMode mode = LegalityMode::Full,
                      const std::vector<bool>* among = nullptr);

    // Overwrites `state` with that of one instruction alone.
    void load(std::uint32_t instruction, BlockState& state) const;
    // Returns whether the union may be a block by these rules. Both must be legal in themselves.
    bool may_join(const BlockState& a, const BlockState& b) const;
    // Adds b to a.
    void join(BlockState& a, const BlockState& b) const;

    // A cheap necessary condition of may_join for single instructions: rules 2, 4, 5 and 8.
    bool same_loop(std::uint32_t a, std::uint32_t b) const;
    std::uint32_t shape(std::uint32_t instruction) const { return loops_[instruction].shape; }
    // Asks the questions that the blocks of the result depend on by rule 10: legal_guards.cpp.
    void ask_for(const Partition& result) const;
    // Returns why two instructions may not share a block; empty if they may. For explanations and
    // errors: legal_reasons.cpp.
    const char* refusal(std::uint32_t a, std::uint32_t b) const;

  private:
    // Further access flags: the view is a reduction's result (rule 3); it is one that rule 8 lets
    // others touch; each element may be read at any time (rule 12).
    static constexpr std::uint8_t kResult = 4, kRowResult = 8, kAnywhere = 16;
    using Loop = BlockState::Loop;
    // The axes of rule 8 of one shape.
    struct Rows {
        std::uint32_t keeps = kNone;
        std::uint64_t axes = 0;  // bit mask of the reduced axes, counting axes longer than 1
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
    // For overlapping views: returns whether one shows a part of the element of the same iteration
    // in the other.
    bool shows_part(const ViewAccess& a, const ViewAccess& b) const;
    bool accesses_agree(const ViewAccess& a, const ViewAccess& b, std::uint32_t host) const;
    bool views_agree(const BlockState& few, const BlockState& many, std::uint32_t host) const;
    bool results_agree(std::uint8_t a, std::uint8_t b) const;
    const char* access_refusal(const ViewAccess& a, const ViewAccess& b) const;
    // Returns the shape that has rows in a block of both.
    static std::uint32_t host_of(const Loop& a, const Loop& b);
    // `host`: the shape whose rows are tested; kNone: there are none.
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
    // An operand that shows a view in a loop over a shape, by shape and view; for shapes with short
    // rows and the shapes of their kept axes.
    std::unordered_map<std::uint64_t, std::uint32_t> looks_;
    mutable std::unordered_map<std::uint64_t, bool> repeats_;  // answers so far
};

}  // namespace hassium
