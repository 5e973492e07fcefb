// The invariants of every plan; a violation names the statement.
#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "plan/loop_plan.hpp"
#include "program/lookup.hpp"

namespace hassium {
namespace {

void verify_operand(const LoopPlan& plan, const PlanOperand& o, const std::string& where) {
    HS_CHECK(o.strides.size() == plan.extents.size(), where + ": a stride for every axis");
    switch (o.home) {
        case Home::Tile:
            HS_CHECK(o.index < plan.slots.size(), where + ": the slot exists");
            HS_CHECK(itemsize(o.dtype) <= itemsize(plan.slots[o.index]),
                     where + ": the slot is wide enough");
            break;
        case Home::Base:
            HS_CHECK(std::find(plan.contracted.begin(), plan.contracted.end(), o.index) ==
                         plan.contracted.end(),
                     where + ": a contracted base is not in memory");
            break;
        case Home::Constant:
        case Home::Position:
            break;
    }
}

void verify_statement(const LoopPlan& plan, const Statement& s) {
    std::string where = "i" + std::to_string(s.instruction) + " " + std::string(info(s.op).name);
    const OpInfo& row = info(s.op);
    std::size_t positions = row.is_generator();
    HS_CHECK(s.operands.size() == std::size_t{s.nout} + s.nin + s.masked + positions,
             where + ": as many operands as announced");
    for (std::size_t k = 0; k < s.operands.size(); ++k) {
        HS_CHECK(s.operands[k] < plan.operands.size(), where + ": the operand exists");
        const PlanOperand& o = plan.operands[s.operands[k]];
        verify_operand(plan, o, where);
        const bool anywhere = operands_off_loop(s.op, s.method) >> k & 1;
        HS_CHECK(o.anywhere == anywhere,
                 where + ": vectors are read or written anywhere, and nothing else");
    }
    for (std::size_t k = 0; k < s.nout; ++k) {
        const PlanOperand& out = plan.operands[s.operands[k]];
        HS_CHECK(out.home == Home::Base || out.home == Home::Tile, where + ": outputs are stored");
        for (std::size_t j = s.nout; j < s.operands.size() && out.home == Home::Tile; ++j) {
            const PlanOperand& in = plan.operands[s.operands[j]];
            const bool same = in.home == Home::Tile && in.index == out.index;
            HS_CHECK(!same || itemsize(in.dtype) == itemsize(out.dtype),
                     where + ": what is read from a slot is as wide as what is written there");
        }
    }
    HS_CHECK((s.method == Method::Reduce) == (s.reduction >= 0),
             where + ": reductions and nothing else have a tree");
}

// Units and tiles respect the boundaries of the trees.
void verify_reduction(const LoopPlan& plan, const PlanReduction& r) {
    HS_CHECK(r.role.size() == plan.extents.size(), "a reduction knows every axis of its nest");
    HS_CHECK(r.result < plan.operands.size(), "a reduction has a result");
    if (element_count(plan.extents) == 0) return;
    std::int64_t kept = 1;
    for (std::size_t k = 0; k < r.role.size(); ++k) kept *= r.role[k] == 0 ? plan.extents[k] : 1;
    // The last panels of rows may be short.
    HS_CHECK(kept == element_count(r.extents) &&
                 (plan.fixed > 0 ? kept >= r.tree.outputs : kept == r.tree.outputs),
             "a reduction keeps as many elements as its tree says");
    constexpr std::int64_t chunk = ReductionTree::kChunk;
    if (r.tree.row_form && !r.tree.sequential) {
        bool whole_rows = r.tree.row_elements <= chunk && plan.tile % r.tree.row_elements == 0;
        HS_CHECK(plan.tile % chunk == 0 || whole_rows, "tiles hold whole chunks or whole rows");
    }
    if (!r.tree.row_form && plan.swept == 0 && plan.span > 1) {
        HS_CHECK(plan.tile % plan.extents.back() == 0 && plan.unit % plan.tile == 0,
                 "tiles hold whole steps of the reduced index");
    }
}

void verify_rows(const LoopPlan& plan) {
    const Panels& panels = plan.panels;
    HS_CHECK(plan.statements.empty() && !plan.phases.empty(), "rows have phases");
    HS_CHECK(plan.phases.size() > 1 || plan.phases[0].kind == BlockKind::Ordered,
             "a single phase takes its elements in order");
    HS_CHECK(panels.count == element_count(panels.extents) && panels.height > 0,
             "panels are as many as the fixed axes say");
    for (const LoopPlan& phase : plan.phases) {
        const bool ordered = phase.kind == BlockKind::Ordered;
        HS_CHECK((ordered || phase.kind == BlockKind::Nest) && phase.fixed == panels.extents.size(),
                 "phases are nests, or ordered, under the fixed axes");
        HS_CHECK(!ordered || phase.fixed > 0, "ordered phases run in panels");
        for (std::size_t k = 0; k < phase.fixed; ++k) {
            HS_CHECK(phase.extents[k] == panels.extents[k], "phases share the fixed axes");
        }
        phase.verify();
    }
    for (const PanelBase& b : panels.bases) {
        HS_CHECK(b.bytes > 0 && b.strides.size() == panels.extents.size(),
                 "a base of panels has a place for each");
    }
}

}  // namespace

void LoopPlan::verify() const {
    HS_CHECK(!instructions.empty(), "a plan runs something");
    if (kind == BlockKind::Rows) return verify_rows(*this);
    if (kind == BlockKind::Ordered) {
        HS_CHECK(!extents.empty() && !statements.empty(),
                 "an ordered phase has an axis and a statement");
        for (const Statement& s : statements) {
            verify_statement(*this, s);
            for (std::uint32_t k : s.operands) {
                if (s.method != Method::Accumulate) continue;
                HS_CHECK(operands[k].strides.back() == itemsize(operands[k].dtype),
                         "lines that a phase accumulates are contiguous");
            }
        }
        return;
    }
    if (kind != BlockKind::Nest) {
        HS_CHECK(statements.empty(), "only nests have statements");
        return;
    }
    HS_CHECK(!extents.empty() && !statements.empty(), "a nest has an axis and a statement");
    HS_CHECK(span >= 1 && std::size_t{span} + swept + fixed <= extents.size(),
             "span and swept axes are axes of the nest");
    HS_CHECK(tile > 0 && unit > 0 && run > 0, "tiles, units and runs are not empty");
    for (const Statement& s : statements) verify_statement(*this, s);
    for (const PlanReduction& r : reductions) verify_reduction(*this, r);
    HS_CHECK(reductions.empty() || unit % tile == 0, "units are whole tiles");
    HS_CHECK(sweep.lag >= 0 && sweep.lag + sweep.lead >= 0, "a nest of a sweep runs each row once");
    HS_CHECK(sweep.nests == 0 || (sweep.nests > 1 && sweep.panel > 0 && sweep.lag == 0),
             "a sweep has nests, and others follow the first");
    HS_CHECK(sweep.head == 0 || (sweep.nests > 1 && sweep.rings.empty()),
             "a sweep with a head keeps all that its bands write");
}

}  // namespace hassium
