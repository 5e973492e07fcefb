#include "program/reduction_tree.hpp"

namespace hassium {
namespace {

std::int64_t chunks_of(std::int64_t elements, std::int64_t chunk, bool sequential) {
    if (elements == 0) return 0;
    return sequential ? 1 : (elements + chunk - 1) / chunk;
}

AxisOrder tree_order(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
    return sort_axes(shape.size(), [=](std::size_t axis, std::size_t other) {
        const bool is_one = shape[axis] == 1, other_is_one = shape[other] == 1;
        if (is_one != other_is_one) return is_one ? 1 : -1;
        if (is_one) return -1;
        const std::int64_t a = strides[axis], b = strides[other];
        return (a < 0 ? -a : a) > (b < 0 ? -b : b) ? 1 : -1;
    });
}

}  // namespace

ReductionTree reduction_tree(std::span<const std::int64_t> shape,
                             std::span<const std::int64_t> strides, std::uint64_t axes,
                             bool parts) {
    ReductionTree tree{};
    tree.sequential = !parts;
    tree.outputs = 1;
    tree.outer_reduced = 1;
    tree.row_elements = 1;
    tree.order = tree_order(shape, strides);
    std::int64_t reduced = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        (axes >> axis & 1 ? reduced : tree.outputs) *= shape[axis];
    }
    auto is_reduced = [&](std::size_t k) { return (axes >> tree.order[k] & 1) != 0; };
    std::size_t rank = shape.size();
    tree.row_form = rank > 0 && is_reduced(rank - 1);
    if (!tree.row_form) {
        tree.chunks = chunks_of(reduced, ReductionTree::kColumnChunk, tree.sequential);
        return tree;
    }
    std::size_t outside = rank;
    while (outside > 0 && is_reduced(outside - 1) &&
           (tree.sequential || tree.row_elements < ReductionTree::kRowElements)) {
        tree.row_elements *= shape[tree.order[--outside]];
    }
    tree.row_axes = static_cast<std::uint8_t>(rank - outside);
    for (std::size_t k = 0; k < outside; ++k) {
        if (is_reduced(k)) tree.outer_reduced *= shape[tree.order[k]];
    }
    tree.chunks = chunks_of(tree.row_elements, ReductionTree::kChunk, tree.sequential);
    return tree;
}

ReductionTree reduction_tree(const Program& program, const Instruction& reduction) {
    const Operand& in = program.inputs(reduction)[0];
    return reduction_tree(program.shape(in), program.strides(in), reduction.axes,
                          combines_parts(reduction.op, reduction.compute));
}

}  // namespace hassium
