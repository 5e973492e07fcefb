// Writes the stable text form of a plan.
#include <string>

#include "plan/loop_plan.hpp"

namespace hassium {
namespace {

std::string list(const Dims& values) {
    std::string text = "(";
    for (std::size_t k = 0; k < values.size(); ++k) {
        text += (k ? "," : "") + std::to_string(values[k]);
    }
    return text + ")";
}

std::string list(const std::vector<std::uint32_t>& values, const char* prefix) {
    std::string text;
    for (std::uint32_t v : values) text += " " + (prefix + std::to_string(v));
    return text;
}

std::string operand_text(const PlanOperand& o) {
    std::string dtype(info(o.dtype).name);
    switch (o.home) {
        case Home::Constant:
            return "c" + std::to_string(o.index) + ":" + dtype;
        case Home::Tile:
            return "t" + std::to_string(o.index) + ":" + dtype;
        case Home::Position:
            return "position" + list(o.strides);
        case Home::Base:
            break;
    }
    return "b" + std::to_string(o.index) + ":" + dtype + "@" + std::to_string(o.offset) +
           list(o.strides);
}

std::string statement_text(const LoopPlan& plan, const Statement& s) {
    std::string text = "  " + std::string(info(s.op).name);
    if (s.method == Method::Reduce) text += ".reduce";
    if (s.method == Method::Accumulate) text += ".accumulate";
    if (s.method == Method::At) text += ".at";
    if (s.method == Method::Reduceat) text += ".reduceat";
    text += "[" + std::string(info(s.compute).name) + "]";
    for (std::size_t k = 0; k < s.operands.size(); ++k) {
        bool mask = s.masked && k == std::size_t{s.nout} + s.nin;
        text += (k == s.nout ? " <- " : k ? ", " : " ");
        text += (mask ? "where " : "") + operand_text(plan.operands[s.operands[k]]);
    }
    return text + "\n";
}

std::string reduction_text(const PlanReduction& r) {
    std::string text = "  tree ";
    text += r.tree.row_form ? "row " + std::to_string(r.tree.row_elements) : "column";
    text += " chunks " + std::to_string(r.tree.chunks);
    text += " outer " + std::to_string(r.tree.outer_reduced);
    if (r.tree.sequential) text += " sequential";
    text += " roles ";
    for (std::uint8_t role : r.role) text += std::to_string(role);
    return text + " in " + std::string(info(r.accumulator).name) + "\n";
}

std::string rows_text(const LoopPlan& plan) {
    const Panels& panels = plan.panels;
    std::string text = "rows";
    if (!panels.extents.empty()) {
        text += " " + std::to_string(panels.rows) + " in panels " + list(panels.extents) + " of " +
                std::to_string(panels.height) + (panels.in_order ? " in order" : "");
    }
    text += list(plan.instructions, "i") + "\n";
    for (const PanelBase& b : panels.bases) {
        text += "  panel b" + std::to_string(b.base) + " bytes " + std::to_string(b.bytes) + "\n";
    }
    if (!plan.acquires.empty()) text += "  acquires" + list(plan.acquires, "b") + "\n";
    if (!plan.releases.empty()) text += "  releases" + list(plan.releases, "b") + "\n";
    text += "  bytes " + std::to_string(plan.bytes) + "\n";
    for (const LoopPlan& phase : plan.phases) text += "phase " + phase.dump();
    return text;
}

}  // namespace

std::string LoopPlan::dump() const {
    if (kind == BlockKind::System) return "system" + list(instructions, "i") + "\n";
    if (kind == BlockKind::Rows) return rows_text(*this);
    std::string text = kind == BlockKind::Single    ? "single"
                       : kind == BlockKind::Ordered ? "ordered " + list(extents)
                                                    : "nest " + list(extents);
    if (kind == BlockKind::Nest) {
        text += " span " + std::to_string(span) + " swept " + std::to_string(swept) + " tile " +
                std::to_string(tile) + " unit " + std::to_string(unit);
    }
    text += list(instructions, "i") + "\n";
    for (const Statement& s : statements) text += statement_text(*this, s);
    for (const PlanReduction& r : reductions) text += reduction_text(r);
    if (!acquires.empty()) text += "  acquires" + list(acquires, "b") + "\n";
    if (!contracted.empty()) text += "  contracted" + list(contracted, "b") + "\n";
    if (!releases.empty()) text += "  releases" + list(releases, "b") + "\n";
    if (sweep.nests > 0) {
        text += "  sweeps " + std::to_string(sweep.nests) + " nests, panel " +
                std::to_string(sweep.panel);
        if (sweep.head > 0) text += ", head " + std::to_string(sweep.head);
        for (const SweepRing& ring : sweep.rings) text += " ring b" + std::to_string(ring.base);
        text += "\n";
    }
    if (sweep.unit > 0) text += "  rows of " + std::to_string(sweep.unit) + " elements\n";
    if (sweep.lag > 0) {
        text += "  lag " + std::to_string(sweep.lag) + " lead " + std::to_string(sweep.lead) + "\n";
    }
    return text + "  bytes " + std::to_string(bytes) + (stream ? " stream" : "") +
           (ahead ? " ahead" : "") + "\n";
}

}  // namespace hassium
