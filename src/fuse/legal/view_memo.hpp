// The views of a program, and what is known of pairs of them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/small_vec.hpp"
#include "fuse/legal/guards.hpp"
#include "fuse/legal/view_box.hpp"
#include "program/program.hpp"

namespace hassium {

inline constexpr std::uint32_t kNone = 0xffffffffu;

// A distinct view of a base. Equal views have one number: same base and dtype, and the same
// elements in the same order, whatever their shapes; in the paper's mode, with the same axes longer
// than 1. The views of one base have consecutive numbers.
struct DistinctView {
    BaseId base;
    DType dtype;
    std::uint32_t operand;     // an operand that is this view
    std::int64_t first, last;  // bytes of the base it lies between
    std::int64_t bytes;        // of distinct elements: broadcast axes count once
    ViewBox box{};             // by rows of lengths that all views of the base share
    std::uint32_t lines = 0;   // the first view that is of the same lines of memory
};

// Remembers which pairs of views overlap: the exact test is asked once per pair, and only for the
// pairs that are compared. Once a view was looked at with all others of its base, the few that
// it overlaps are known without a look at the rest: of the columns of a matrix there is none.
class OverlapMemo {
  public:
    static constexpr std::uint32_t kFew = 8;
    using Few = SmallVec<std::uint32_t, kFew>;

    OverlapMemo() = default;
    // `others`: of every view, how many it may be asked about with; kNone: overlapping() is not
    // wanted.
    explicit OverlapMemo(std::vector<std::uint32_t> others);

    // Both views of one base, different, and one of them written.
    bool operator()(const Program& program, std::span<const DistinctView> views, std::uint32_t a,
                    std::uint32_t b, Questions& questions);
    // The others that the view overlaps; nullptr: not all are known, or they are more than kFew.
    const Few* overlapping(std::uint32_t view) const {
        return unknown_[view] == 0 ? &met_[view] : nullptr;
    }

  private:
    void keep(std::uint32_t view, std::uint32_t other, bool overlap);

    // Pair and answer in one word; 0 is a free slot.
    std::vector<std::uint64_t> slots_;
    std::size_t used_ = 0;
    std::vector<std::uint32_t> unknown_;  // per view: others without an answer; kNone: never mind
    std::vector<Few> met_;                // per view: those that it overlaps
};

// Remembers which views show a part of which complex views; asked of pairs that overlap.
class ComponentMemo {
  public:
    bool operator()(const Program& program, std::span<const DistinctView> views,
                    std::uint32_t whole, std::uint32_t part, Questions& questions);

  private:
    std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace hassium
