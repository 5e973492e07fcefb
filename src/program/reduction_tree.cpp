#include "program/reduction_tree.hpp"

#include <algorithm>

namespace hassium {
namespace {

std::int64_t chunks_of(std::int64_t elements, std::int64_t chunk, bool sequential) {
    if (elements == 0) return 0;
    return sequential ? 1 : (elements + chunk - 1) / chunk;
}

// Insertion sort: it is stable, which is the tie rule, and programs have a handful of axes.
void sort_axes(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
               SmallVec<std::uint8_t, 8>& order) {
    auto outside = [&](std::uint8_t a, std::uint8_t b) {
        bool unit_a = shape[a] == 1, unit_b = shape[b] == 1;
        if (unit_a != unit_b) return unit_a;
        if (unit_a) return false;
        std::int64_t sa = strides[a] < 0 ? -strides[a] : strides[a];
        std::int64_t sb = strides[b] < 0 ? -strides[b] : strides[b];
        return sa > sb;
    };
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        order.push_back(static_cast<std::uint8_t>(axis));
        for (std::size_t k = axis; k > 0 && outside(order[k], order[k - 1]); --k) {
            std::swap(order[k], order[k - 1]);
        }
    }
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
    sort_axes(shape, strides, tree.order);
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
