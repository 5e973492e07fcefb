#include "fuse/guards.hpp"

#include <algorithm>

#include "base/counters.hpp"
#include "fuse/graph.hpp"
#include "fuse/legal.hpp"
#include "program/component.hpp"
#include "program/merged_axes.hpp"

namespace hassium {
namespace {

// Of distinct elements: broadcast axes count once.
std::int64_t distinct_bytes(const Program& p, const Operand& view) {
    auto shape = p.shape(view), strides = p.strides(view);
    std::int64_t bytes = itemsize(view.dtype);
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (strides[k] != 0 || shape[k] == 0) bytes *= shape[k];
    }
    return bytes;
}

// Is every byte of u a byte of v? Only says yes when that is plain: v is a solid run of bytes, or u
// takes steps of v's own strides.
bool contains(const Program& p, const Operand& v, const Operand& u) {
    std::int64_t first_v, last_v, first_u, last_u;
    byte_bounds(extent_of(p, v), first_v, last_v);
    byte_bounds(extent_of(p, u), first_u, last_u);
    if (first_v > first_u || last_v < last_u) return false;
    if (distinct_bytes(p, v) == last_v - first_v) return true;
    if (itemsize(v.dtype) != itemsize(u.dtype)) return false;
    auto v_shape = p.shape(v), v_strides = p.strides(v);
    auto u_shape = p.shape(u), u_strides = p.strides(u);
    std::int64_t distance = u.offset - v.offset;
    std::size_t next = 0;
    for (std::size_t k = 0; k < v_shape.size(); ++k) {
        std::int64_t stride = v_strides[k], extent = 1;
        if (stride <= 0) return false;
        if (k > 0 && v_strides[k - 1] < stride) return false;
        while (next < u_shape.size() && (u_shape[next] == 1 || u_strides[next] == 0)) ++next;
        if (next < u_shape.size() && u_strides[next] == stride) extent = u_shape[next++];
        std::int64_t slack = v_shape[k] - extent;
        if (slack < 0 || distance < 0) return false;
        distance -= std::min(distance / stride, slack) * stride;
    }
    while (next < u_shape.size() && (u_shape[next] == 1 || u_strides[next] == 0)) ++next;
    return next == u_shape.size() && distance == 0;
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

std::vector<Guard> Questions::guards() && {
    // A view is the same as itself.
    if (lost_) guards_.push_back({Question::SameView, false, 0, 0});
    return std::move(guards_);
}

bool were_lost(const std::vector<Guard>& guards) {
    if (guards.empty()) return false;
    const Guard& last = guards.back();
    return last.question == Question::SameView && !last.answer && last.a == last.b;
}

namespace {

// Question::Overlap, for guard after guard: most are told apart by the bytes that views lie
// between, and guards that follow each other mostly ask about one view and several others.
class Overlaps {
  public:
    explicit Overlaps(const Program& program) : program_(program) {}

    bool ask(std::uint32_t a, std::uint32_t b) {
        const Bounds &one = of(first_, a), &other = of(second_, b);
        if (one.begin == one.end || other.begin == other.end) return false;
        if (one.end <= other.begin || other.end <= one.begin) return false;
        // Both ends of a view are bytes of it.
        if (one.begin == other.begin || one.end == other.end) return true;
        return answer_to(program_, Question::Overlap, a, b);
    }

  private:
    struct Bounds {
        std::uint32_t operand = kNone;
        std::int64_t begin = 0, end = 0;
    };
    const Bounds& of(Bounds& known, std::uint32_t operand) {
        if (known.operand == operand) return known;
        known.operand = operand;
        byte_bounds(extent_of(program_, program_.operands[operand]), known.begin, known.end);
        return known;
    }
    const Program& program_;
    Bounds first_, second_;
};

}  // namespace

bool guards_hold(const Program& program, const std::vector<Guard>& guards) {
    Overlaps overlaps(program);
    auto failed = std::find_if(guards.begin(), guards.end(), [&](const Guard& g) {
        bool answer = g.question == Question::Overlap ? overlaps.ask(g.a, g.b)
                                                      : answer_to(program, g.question, g.a, g.b);
        return answer != g.answer;
    });
    counters().add(Counter::guards_asked, failed - guards.begin());
    return failed == guards.end();
}

}  // namespace hassium
