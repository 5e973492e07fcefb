// The order in which a reduction combines its elements.
//
// It depends on the instruction alone (extents, axes and stride order of the input), never on
// block, flush point, tile, threads or instruction set, so a program gives the same bits however it
// is cut.
//
// Axes are taken in stride order (outermost first, by decreasing absolute stride of the input, ties
// by position). Axes of extent 1 come before all others: their strides mean nothing and must not
// decide the form. Two forms:
//
// Row form - the innermost axis is reduced. The innermost reduced axes are collapsed into a row
// until it has at least kRowElements elements or no reduced axis is left outside. A row is cut into
// chunks of kChunk elements. Within a chunk element k goes to lane k mod kLanes; lanes accumulate
// in order and are folded in halves (lane l takes lane l + h, h = 32, 16, .. 1, if that lane has an
// element). A chunk of fewer than in_order() elements combines them in order, so that short sums,
// as of coordinates, are bit-identical to NumPy's. Each chunk gives one value, a partial.
//
// Column form - the innermost axis is kept. The reduced axes, in stride order, form one linear
// index that is cut into chunks of kColumnChunk; within a chunk each output element accumulates in
// order.
//
// In both forms a sum starts from +0, so that the sum of negative zeros is +0. The partials of an
// output, in order, are combined by a balanced binary tree: pairs (0,1), (2,3), .. then pairs of
// those; an odd last one moves up unchanged.
//
// Rows whose parts cannot be combined (subtract.reduce, products of inexact numbers) have one lane
// and one chunk: the row is all reduced axes inside the kept ones, and elements combine in order.
// With kept axes in between there is a partial for each position of the reduced axes outside.
//
// A reduction over nothing (a reduced extent of 0) has no partials: its outputs are the identity. A
// reduction of no axis is the column form with one partial of one element.
#pragma once

#include <cstdint>
#include <span>

#include "program/axes.hpp"
#include "program/program.hpp"

namespace hassium {

struct ReductionTree {
    static constexpr std::int64_t kLanes = 64;
    static constexpr std::int64_t kChunk = 1024;
    static constexpr std::int64_t in_order(DType accumulator) {
        return kind(accumulator) == DTypeKind::Complex ? 4 : 8;
    }
    static constexpr std::int64_t kRowElements = 512;
    static constexpr std::int64_t kColumnChunk = 256;
    // A longer row does not stay in a cache until it is read again, with other operands.
    static constexpr std::int64_t kCachedRowBytes = std::int64_t{1} << 17;

    bool row_form;
    bool sequential;             // one lane, one chunk
    AxisOrder order;             // input axes, outermost first
    std::uint8_t row_axes;       // row form: how many trailing entries of `order` make the row
    std::int64_t row_elements;   // row form: elements of one row
    std::int64_t chunks;         // partials per row (row form) or per output (column form)
    std::int64_t outer_reduced;  // row form: product of the reduced extents outside the row
    std::int64_t outputs;        // product of the kept extents

    // Returns the index of an input axis in `order`.
    std::size_t place(std::size_t axis) const {
        std::size_t at = 0;
        while (order[at] != axis) ++at;
        return at;
    }
    // Returns the role of axis order[at] when `axes` are reduced: 0 kept, 1 reduced, 2 in the row.
    std::uint8_t role(std::size_t at, std::uint64_t axes) const {
        if (row_form && at >= order.size() - row_axes) return 2;
        return (axes >> order[at] & 1) != 0 ? 1 : 0;
    }

    // Returns the partials of one output, in tree order: (outer reduced index, chunk).
    std::int64_t partials() const { return row_form ? outer_reduced * chunks : chunks; }
    // Returns whether maps over whole rows may follow their reduction row by row.
    bool rows_stay_cached(std::int64_t itemsize) const {
        return row_form && outer_reduced == 1 && row_elements * itemsize <= kCachedRowBytes;
    }
    friend bool operator==(const ReductionTree&, const ReductionTree&) = default;
};

// Returns whether the initial zero of a sum can show in its result. Only floating-point zeros have
// signs.
constexpr bool begins_with_zero(Op op, DType accumulator) {
    return info(op).is_sum() && is_inexact(accumulator);
}

ReductionTree reduction_tree(std::span<const std::int64_t> shape,
                             std::span<const std::int64_t> strides, std::uint64_t axes, bool parts);
// Returns the tree of a reduction instruction.
ReductionTree reduction_tree(const Program& program, const Instruction& reduction);

}  // namespace hassium
