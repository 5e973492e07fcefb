// Reductions over a few lines of a few elements each, as `a.sum(axis=1)` of shape (100000, 3, 3): a
// nest would go from one line to the next after three elements, and pays for each what a tile
// costs. Recorded as so many maps on whole arrays of lines they run across them. The bits are the
// same: in the column form of a reduction (program/reduction_tree.hpp) so few elements combine in
// order.
#include <bit>

#include "engine/engine.hpp"
#include "ops/dtype_rules.hpp"
#include "program/reduction_tree.hpp"
#include "record/queue.hpp"
#include "record/thresholds.hpp"

namespace hassium {
namespace {

// Does the row compute in that dtype alone, whatever it is given?
bool keeps_dtype(Op op, DType dtype) {
    const std::optional<Loop> loop = loop_of(op, dtype);
    return loop && loop->in[0] == dtype && loop->in[1] == dtype && loop->out[0] == dtype;
}

bool short_lines(const View& in, std::size_t axis, bool parts) {
    const ReductionTree tree =
        reduction_tree(in.shape, in.strides, std::uint64_t{1} << axis, parts);
    if (tree.row_form) return false;
    std::int64_t length = 1;
    for (std::size_t k = tree.order.size(); k-- > 0 && tree.order[k] != axis;) {
        length *= in.shape[tree.order[k]];
    }
    return length < threshold(Threshold::short_line);
}

View line_of(const View& in, std::size_t axis, std::int64_t index) {
    View line;
    line.base = in.base;
    line.dtype = in.dtype;
    line.offset = in.offset + index * in.strides[axis];
    for (std::size_t k = 0; k < in.ndim(); ++k) {
        if (k == axis) continue;
        line.shape.push_back(in.shape[k]);
        line.strides.push_back(in.strides[k]);
    }
    return line;
}

}  // namespace

bool Engine::submit_by_lines(const Request& r) {
    if (r.mask || std::popcount(r.axes) != 1) return false;
    const View& in = *r.in[0].view;
    const auto axis = static_cast<std::size_t>(std::countr_zero(r.axes));
    const std::int64_t lines = in.shape[axis];
    if (lines < 2 || lines > threshold(Threshold::short_lines)) return false;
    if (in.size() < threshold(Threshold::short_line_elements)) return false;
    // Half floats are accumulated in wider ones.
    const bool same = in.dtype == r.compute && r.out[0]->dtype == r.compute;
    if (!same || r.compute == DType::F16 || !keeps_dtype(r.op, r.compute)) return false;
    if (!short_lines(in, axis, combines_parts(r.op, r.compute))) return false;
    // From 0 on, or from the first line.
    const bool from_zero = begins_with_zero(r.op, r.compute);
    View sofar;
    if (!from_zero) sofar = line_of(in, axis, 0);
    for (std::int64_t k = from_zero ? 0 : 1; k < lines; ++k) {
        const View line = line_of(in, axis, k);
        const View to = k + 1 < lines ? fresh_view(r.compute, line.shape) : *r.out[0];
        Request step = r;
        step.method = Method::Call;
        step.axes = 0;
        step.nin = 2;
        step.step_of = StepOf::Reduction;
        step.out[0] = &to;
        step.in[0] = {k > 0 ? &sofar : nullptr, r.compute, {}};
        step.in[1] = {&line, r.compute, {}};
        submit(step);
        sofar = to;
    }
    return true;
}

}  // namespace hassium
