// The WSP graph of a program: dependency edges, and which views must not meet in one block.
//
// Fuse-preventing edges join quadratically many instructions, so they are not stored as pairs: two
// instructions are kept apart by two overlapping views that differ (`overlaps`) or by their loops
// (legal.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "fuse/guards.hpp"
#include "fuse/interner.hpp"
#include "fuse/modes.hpp"
#include "fuse/view_box.hpp"
#include "program/overlap.hpp"
#include "program/program.hpp"

namespace hassium {

inline constexpr std::uint32_t kNone = 0xffffffffu;

// A distinct view of a base. Equal views have one number: same base and dtype, and the same
// elements in the same order, whatever their shapes; in the paper's mode, with the same axes longer
// than 1. The views of one base have consecutive numbers.
struct View {
    BaseId base;
    DType dtype;
    std::uint32_t operand;     // an operand that is this view
    std::int64_t first, last;  // bytes of the base it lies between
    std::int64_t bytes;        // of distinct elements: broadcast axes count once
    ViewBox box{};             // in rows of a length that all views of the base share
};

// Remembers which pairs of views overlap: the exact test is asked once per pair, and only for the
// pairs that somebody looks at.
class OverlapMemo {
  public:
    // Both views of one base, and different.
    bool operator()(const Program& program, std::span<const View> views, std::uint32_t a,
                    std::uint32_t b, Questions& questions);

  private:
    // Pair and answer in one word; 0 is a free slot.
    std::vector<std::uint64_t> slots_;
    std::size_t used_ = 0;
};

// Remembers which views show a part of which complex views; asked of pairs that overlap.
class ComponentMemo {
  public:
    bool operator()(const Program& program, std::span<const View> views, std::uint32_t whole,
                    std::uint32_t part, Questions& questions);

  private:
    std::unordered_map<std::uint64_t, bool> known_;
};

enum AccessKind : std::uint8_t { kRead = 1, kWrite = 2 };

// All that one instruction does to one view.
struct Access {
    std::uint32_t view;
    std::uint8_t kinds;
};

// What happens to one base; kNone where nothing does.
struct BaseLife {
    std::uint32_t created = kNone;  // first instruction that touches a base that is no input
    std::uint32_t deleted = kNone;
    bool synced = false;
};

struct Graph {
    const Program* program;
    std::vector<View> views;
    std::vector<std::uint32_t> view_of;       // per operand; kNone for constants, del and sync
    std::vector<std::uint32_t> access_begin;  // per instruction, and one more
    std::vector<Access> accesses;
    std::vector<BaseLife> bases;
    std::vector<std::uint32_t> first_view;  // per base, and one more
    mutable OverlapMemo memo;
    mutable ComponentMemo component_memo;
    mutable Questions questions;  // asked of the program's numbers so far
    Lists predecessors;  // instruction -> instructions that must come before it; edges that follow
    Lists successors;    // from others are mostly left out

    std::size_t size() const { return program->instructions.size(); }
    std::span<const Access> accesses_of(std::size_t instruction) const {
        std::uint32_t begin = access_begin[instruction];
        return {accesses.data() + begin, access_begin[instruction + 1] - begin};
    }
    // Do two different views of one base share a byte?
    bool overlap(std::uint32_t a, std::uint32_t b) const {
        if (!questions.kept() && views[a].box.apart(views[b].box)) {
            questions.lose();
            return false;
        }
        return memo(*program, views, a, b, questions);
    }
    // Is `part` the view of the real or the imaginary parts of the elements of `whole`? Of views
    // that overlap.
    bool component(std::uint32_t whole, std::uint32_t part) const {
        if (kind(views[whole].dtype) != DTypeKind::Complex) return false;
        return component_memo(*program, views, whole, part, questions);
    }
    // Is every byte of `inner` plainly a byte of `outer`?
    bool contains(std::uint32_t outer, std::uint32_t inner) const {
        return questions.ask(*program, Question::Contains, views[outer].operand,
                             views[inner].operand);
    }
};

// `program` must outlive the graph. `questions`: how many are kept for guards at most.
Graph build_graph(const Program& program, LegalityMode mode = LegalityMode::Full,
                  std::size_t questions = 0);

// Extent of a view operand, for overlap tests.
Extent extent_of(const Program& program, const Operand& view);

}  // namespace hassium
