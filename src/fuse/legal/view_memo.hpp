// The distinct views of a program, and cached facts about pairs of them.
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
// elements in the same order, whatever their shapes; in LegalityMode::Paper, with the same axes
// longer than 1. The views of one base have consecutive numbers.
struct DistinctView {
    BaseId base;
    DType dtype;
    std::uint32_t operand;     // an operand that shows the view
    std::int64_t first, last;  // byte range in the base
    std::int64_t bytes;        // of distinct elements: broadcast axes count once
    ViewBox box{};             // with row lengths that all views of the base share
    std::uint32_t lines = 0;   // the first view that covers the same cache lines
};

// Caches which pairs of views overlap: the exact test runs once per pair, and only for pairs that
// are compared. Once a view was compared with all others of its base, its few overlapping views are
// known without a further scan: columns of a matrix have none.
class OverlapMemo {
  public:
    static constexpr std::uint32_t kFew = 8;
    using Few = SmallVec<std::uint32_t, kFew>;

    OverlapMemo() = default;
    // `others`: number of views that each view may be compared with; kNone: overlapping() is not
    // needed for it.
    explicit OverlapMemo(std::vector<std::uint32_t> others);

    // Both must be different views of one base, one of them written.
    bool operator()(const Program& program, std::span<const DistinctView> views, std::uint32_t a,
                    std::uint32_t b, Questions& questions);
    // Returns the other views that the view overlaps; nullptr if not all are known, or more than
    // kFew.
    const Few* overlapping(std::uint32_t view) const {
        return unknown_[view] == 0 ? &met_[view] : nullptr;
    }

  private:
    void keep(std::uint32_t view, std::uint32_t other, bool overlap);

    // Pair and answer in one word; 0 is a free slot.
    std::vector<std::uint64_t> slots_;
    std::size_t used_ = 0;
    std::vector<std::uint32_t> unknown_;  // per view: others without an answer; kNone: not counted
    std::vector<Few> met_;                // per view: those that it overlaps
};

// Caches which views show a part of which complex views; call for pairs that overlap.
class ComponentMemo {
  public:
    bool operator()(const Program& program, std::span<const DistinctView> views,
                    std::uint32_t whole, std::uint32_t part, Questions& questions);

  private:
    std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace hassium
