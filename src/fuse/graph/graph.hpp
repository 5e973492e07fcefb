// The WSP graph of a program: dependency edges, and which views must not be in one block.
//
// Fuse-preventing edges join quadratically many instructions, so they are not stored as pairs: two
// instructions are kept apart by two overlapping but different views (`overlaps`) or by their loops
// (legal.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fuse/graph/interner.hpp"
#include "fuse/legal/guards.hpp"
#include "fuse/legal/view_memo.hpp"
#include "fuse/modes.hpp"
#include "program/overlap.hpp"
#include "program/program.hpp"

namespace hassium {

enum AccessKind : std::uint8_t { kRead = 1, kWrite = 2 };

// All accesses of one instruction to one view.
struct ViewAccess {
    std::uint32_t view;
    std::uint8_t kinds;
};

// Events in the life of one base; kNone if absent.
struct BaseLife {
    std::uint32_t created = kNone;  // first instruction that touches a base that is no input
    std::uint32_t deleted = kNone;
    bool synced = false;
};

struct Graph {
    const Program* program;
    std::vector<DistinctView> views;
    std::vector<std::uint32_t> view_of;       // per operand; kNone for constants, del and sync
    std::vector<std::uint32_t> access_begin;  // per instruction, plus an end
    std::vector<ViewAccess> accesses;
    std::vector<BaseLife> bases;
    std::vector<std::uint32_t> first_view;  // per base, plus an end
    mutable OverlapMemo memo;
    mutable ComponentMemo component_memo;
    mutable Questions questions;          // on the program's numbers so far
    mutable std::int64_t view_pairs = 0;  // tested for overlap so far
    Lists predecessors;                   // instruction -> instructions that must come before it;
    Lists successors;                     // transitive edges are mostly left out

    std::size_t size() const { return program->instructions.size(); }
    std::span<const ViewAccess> accesses_of(std::size_t instruction) const {
        std::uint32_t begin = access_begin[instruction];
        return {accesses.data() + begin, access_begin[instruction + 1] - begin};
    }
    // Returns whether two different views of one base, at least one of them written, share a byte.
    bool overlap(std::uint32_t a, std::uint32_t b) const {
        ++view_pairs;
        if (!questions.kept() && views[a].box.apart(views[b].box)) {
            questions.lose();
            return false;
        }
        return memo(*program, views, a, b, questions);
    }
    // Returns the views that overlap a view, counting pairs of which one is written, if they are
    // known and few; else nullptr.
    const OverlapMemo::Few* overlapping(std::uint32_t view) const { return memo.overlapping(view); }
    // Returns whether `part` shows the real or the imaginary parts of the elements of `whole`. The
    // views must overlap.
    bool component(std::uint32_t whole, std::uint32_t part) const {
        if (kind(views[whole].dtype) != DTypeKind::Complex) return false;
        return component_memo(*program, views, whole, part, questions);
    }
    // Returns whether every byte of `inner` is provably a byte of `outer`.
    bool contains(std::uint32_t outer, std::uint32_t inner) const {
        return questions.ask(*program, Question::Contains, views[outer].operand,
                             views[inner].operand);
    }
};

// `program` must outlive the graph. `questions`: most questions that are kept for guards.
Graph build_graph(const Program& program, LegalityMode mode = LegalityMode::Full,
                  std::size_t questions = 0);

// Returns the extent of a view operand, for overlap tests.
Extent extent_of(const Program& program, const Operand& view);

}  // namespace hassium
