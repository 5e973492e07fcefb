#include "fuse/legal/guards.hpp"

#include "fuse/graph/graph.hpp"
#include "fuse/legal/legal.hpp"
#include "program/axes.hpp"
#include "program/component.hpp"
#include "program/loop_cuts.hpp"

namespace hassium {
namespace {

bool contains(const Program& p, const Operand& v, const Operand& u) {
    std::int64_t first_v, last_v, first_u, last_u;
    byte_bounds(extent_of(p, v), first_v, last_v);
    byte_bounds(extent_of(p, u), first_u, last_u);
    if (first_v > first_u || last_v < last_u) return false;
    return plainly_within(extent_of(p, u), extent_of(p, v), last_v - first_v);
}

bool short_rows(const Program& p, const Instruction& reduction) {
    return reduction_tree(p, reduction).rows_stay_cached(itemsize(p.inputs(reduction)[0].dtype));
}

bool repeats(const Program& p, const Operand& element, const Operand& row) {
    if (element.offset != row.offset || element.dtype != row.dtype) return false;
    auto shape = p.shape(element), strides = p.strides(element);
    auto row_shape = p.shape(row), row_strides = p.strides(row);
    std::size_t at = 0;
    for (std::size_t k = 0; k < row_shape.size(); ++k) {
        if (row_shape[k] == 1 || row_strides[k] == 0) continue;
        while (at < shape.size() && shape[at] == 1) ++at;
        if (at == shape.size() || shape[at] != row_shape[k] || strides[at] != row_strides[k]) {
            return false;
        }
        ++at;
    }
    while (at < shape.size() && shape[at] == 1) ++at;
    return at == shape.size();
}

}  // namespace

Extent extent_of(const Program& p, const Operand& view) {
    return {view.offset, itemsize(view.dtype), p.shape(view), p.strides(view)};
}

bool answer_to(const Program& p, Question question, std::uint32_t a, std::uint32_t b) {
    switch (question) {
        case Question::SameView:
            return same_elements(extent_of(p, p.operands[a]), extent_of(p, p.operands[b]));
        case Question::Overlap:
            return may_overlap(extent_of(p, p.operands[a]), extent_of(p, p.operands[b]));
        case Question::Contains:
            return contains(p, p.operands[a], p.operands[b]);
        case Question::OverlapsItself:
            return overlaps_itself(extent_of(p, p.operands[a]));
        case Question::RealPart:
            return component_of(p, p.operands[a], p.operands[b]) == 0;
        case Question::ImagPart:
            return component_of(p, p.operands[a], p.operands[b]) == 1;
        case Question::SameTree:
            return p.instructions[a].axes == p.instructions[b].axes &&
                   reduction_tree(p, p.instructions[a]) == reduction_tree(p, p.instructions[b]);
        case Question::ShortRows:
            return short_rows(p, p.instructions[a]);
        case Question::CommonAxes:
            return !common_cuts(loop_cuts(p, p.instructions[a]), loop_cuts(p, p.instructions[b]))
                        .empty();
        case Question::Coarser:
            return cuts_within(loop_cuts(p, p.instructions[a]), loop_cuts(p, p.instructions[b]));
        case Question::Repeats:
            return repeats(p, p.operands[a], p.operands[b]);
    }
    return false;
}

namespace {

bool of_instructions(Question question) {
    switch (question) {
        case Question::SameTree:
        case Question::ShortRows:
        case Question::CommonAxes:
        case Question::Coarser:
            return true;
        default:
            return false;
    }
}

}  // namespace

void without_deaths(std::vector<Guard>& guards, const Program& finished) {
    std::vector<std::uint32_t> number;  // of each instruction, without dels
    std::uint32_t next = 0;
    for (const Instruction& i : finished.instructions) {
        number.push_back(next);
        next += !finished.is_del(i);
    }
    for (Guard& guard : guards) {
        if (!of_instructions(guard.question)) continue;
        guard.a = number[guard.a];
        guard.b = number[guard.b];
    }
}

std::vector<Guard> Questions::guards() && {
    // Never holds: a view is always the same as itself.
    if (lost_) guards_.push_back({Question::SameView, false, 0, 0});
    return std::move(guards_);
}

bool were_lost(const std::vector<Guard>& guards) {
    if (guards.empty()) return false;
    const Guard& last = guards.back();
    return last.question == Question::SameView && !last.answer && last.a == last.b;
}

}  // namespace hassium
