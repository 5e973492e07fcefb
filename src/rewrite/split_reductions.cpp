// Splits reductions over a few lines of few elements each into maps: one over all first lines, one
// over all second lines, and so on.
//
// Column form (program/reduction_tree.hpp), as `a.sum(axis=1)` of shape (100000, 3, 3): a nest
// would move to the next line after three elements and pay the overhead of a tile for each. The
// maps run across the lines, fuse with the producers of the input and the readers of the result,
// and the arrays between them are contracted. So few elements combine in order, and a sum begins
// with a constant zero here as well.
//
// Row form, as `a.max(axis=(1, 3))` of shape (1000, 2, 1000, 2): the results of a row are complete
// only after all rows that lie apart. The rows are reduced alone, and maps combine the lines of
// their results as the tree combines partials.
//
// Results are bit-identical.
#include <algorithm>
#include <bit>

#include "ops/dtype_rules.hpp"
#include "program/reduction_tree.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

// Measured on two cores: 2 to 20 times faster within these bounds, no gain beyond them.
constexpr std::int64_t kMostLines = 16, kLongLineElements = 32;
constexpr std::int64_t kLongRow = 64;

// Returns whether the row has inputs and output of `dtype`.
bool keeps_dtype(Op op, DType dtype) {
    const std::optional<Loop> loop = loop_of(op, dtype);
    return loop && loop->in[0] == dtype && loop->in[1] == dtype && loop->out[0] == dtype;
}

// How a reduction is split: the axis whose lines the maps combine, and the axes of the reduction
// that makes the lines, none in the column form.
struct Split {
    std::size_t axis;
    std::uint64_t row_axes = 0;
};

std::optional<Split> lines_of_columns(const Program& p, const Instruction& i,
                                      const ReductionTree& tree) {
    const auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    if (std::popcount(i.axes) != 1) return {};
    const std::span<const std::int64_t> shape = p.iteration_shape(i);
    std::int64_t length = 1;
    for (std::size_t k = tree.order.size(); k-- > 0 && tree.order[k] != axis;) {
        length *= shape[tree.order[k]];
    }
    if (length >= kLongLineElements) return {};
    return Split{axis};
}

std::optional<Split> lines_of_rows(const Program& p, const Instruction& i,
                                   const ReductionTree& tree) {
    if (tree.sequential || tree.row_elements > kLongRow) return {};
    const std::span<const std::int64_t> shape = p.iteration_shape(i);
    Split split = {shape.size()};
    std::int64_t inside = 1;  // elements of the kept axes between a line's rows
    for (std::size_t at = tree.order.size(); at-- > 0;) {
        const std::size_t axis = tree.order[at];
        const std::uint8_t role = tree.role(at, i.axes);
        if (role == 2) split.row_axes |= std::uint64_t{1} << axis;
        if (role == 0 && split.axis == shape.size()) inside *= shape[axis];
        if (role != 1 || shape[axis] == 1) continue;
        if (split.axis != shape.size()) return {};
        split.axis = axis;
    }
    if (split.axis == shape.size() || inside < kLongLineElements) return {};
    return split;
}

// Returns how the reduction is split; none if it is not.
std::optional<Split> split_of(const Program& p, const Instruction& i, std::int64_t least_bytes) {
    if (i.method != Method::Reduce || i.masked) return {};
    const Operand& in = p.inputs(i)[0];
    if (element_count(p.shape(in)) * itemsize(in.dtype) < least_bytes) return {};
    // Reductions of float16 accumulate in a wider dtype.
    const bool same = in.dtype == i.compute && p.outputs(i)[0].dtype == i.compute;
    if (!same || i.compute == DType::F16 || !keeps_dtype(i.op, i.compute)) return {};
    const ReductionTree tree = reduction_tree(p, i);
    const auto split = tree.row_form ? lines_of_rows(p, i, tree) : lines_of_columns(p, i, tree);
    if (!split) return {};
    const std::int64_t lines = p.shape(in)[split->axis];
    return lines < 2 || lines > kMostLines ? std::nullopt : split;
}

class Splitter {
  public:
    Splitter(const Program& recorded, std::int64_t least_bytes)
        : in_(recorded), least_bytes_(least_bytes) {}

    std::optional<RewrittenProgram> split() {
        auto how = [&](const Instruction& i) { return split_of(in_, i, least_bytes_); };
        if (std::ranges::none_of(in_.instructions,
                                 [&](const Instruction& i) { return how(i).has_value(); })) {
            return std::nullopt;
        }
        made_ = without_instructions(in_);
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
            const Instruction& instruction = in_.instructions[i];
            const std::optional<Split> split = how(instruction);
            if (!split) {
                made_.append(in_, i, instruction);
            } else if (split->row_axes == 0) {
                emit_lines(i, *split);
            } else {
                emit_rows(i, *split);
            }
        }
        return std::move(made_);
    }

  private:
    const Program& in_;
    const std::int64_t least_bytes_;
    RewrittenProgram made_;
    Program& out_ = made_.program;

    // The lines at one index of the reduced axis: a view without that axis.
    struct Lines {
        Operand operand;
        Dims shape, strides;

        Lines at(std::size_t axis, std::int64_t index) const {
            Lines lines = *this;
            lines.operand.offset += index * strides[axis];
            lines.shape.erase(axis);
            lines.strides.erase(axis);
            return lines;
        }
    };
    Lines whole(const Operand& o) const { return {o, Dims(in_.shape(o)), Dims(in_.strides(o))}; }
    // Makes a new array in C order.
    Lines new_result(DType dtype, const Dims& shape) {
        Lines made{{}, shape, Dims(shape.size(), 0)};
        std::int64_t bytes = itemsize(dtype);
        for (std::size_t k = shape.size(); k-- > 0; bytes *= shape[k]) made.strides[k] = bytes;
        made.operand.base = static_cast<BaseId>(out_.bases.size());
        made.operand.dtype = dtype;
        out_.bases.push_back({.bytes = bytes, .dtype = dtype, .input = 0, .dies = 1});
        return made;
    }
    std::uint32_t append_lines(const Lines& lines) {
        const Operand& o = lines.operand;
        return append_view(out_, o.base, o.dtype, o.offset, lines.shape, lines.strides);
    }

    void emit_map(std::uint32_t i, const Lines& to, const Lines* left, const Lines& right) {
        Instruction map = in_.instructions[i];
        map.method = Method::Call;
        map.axes = 0;
        map.nin = 2;
        map.operands = append_lines(to);
        left ? append_lines(*left) : append_constant(out_, right.operand.dtype, {});
        append_lines(right);
        made_.append(in_, i, map);
    }

    // Emits maps that combine the lines in order. A sum of inexact numbers begins with zero, any
    // other reduction with the first line.
    void emit_lines(std::uint32_t i, const Split& split) {
        const Instruction& reduction = in_.instructions[i];
        const Lines in = whole(in_.inputs(reduction)[0]);
        const std::int64_t count = in.shape[split.axis];
        const bool from_zero = begins_with_zero(reduction.op, reduction.compute);
        Lines before = in.at(split.axis, 0);
        for (std::int64_t k = from_zero ? 0 : 1; k < count; ++k) {
            const Lines line = in.at(split.axis, k);
            const bool last = k + 1 == count;
            const Lines to =
                last ? whole(in_.outputs(reduction)[0]) : new_result(in.operand.dtype, line.shape);
            emit_map(i, to, k > 0 ? &before : nullptr, line);
            before = to;
        }
    }

    // Emits the reduction of the rows, and maps that combine neighbouring lines of its results,
    // then neighbours of those.
    void emit_rows(std::uint32_t i, const Split& split) {
        Instruction rows = in_.instructions[i];
        const Lines in = whole(in_.inputs(rows)[0]);
        Dims shape;
        std::size_t axis = 0;  // of the results
        for (std::size_t k = 0; k < in.shape.size(); ++k) {
            if ((split.row_axes >> k & 1) != 0) continue;
            const bool combined = k == split.axis, kept = (rows.axes >> k & 1) == 0;
            if (combined) axis = shape.size();
            if (combined || kept) shape.push_back(in.shape[k]);
        }
        const Lines results = new_result(in.operand.dtype, shape);
        const Lines last = whole(in_.outputs(rows)[0]);
        rows.axes &= ~(std::uint64_t{1} << split.axis);
        rows.operands = append_lines(results);
        append_lines(in);
        made_.append(in_, i, rows);
        std::vector<Lines> lines;
        for (std::int64_t k = 0; k < shape[axis]; ++k) lines.push_back(results.at(axis, k));
        while (lines.size() > 1) {
            std::vector<Lines> combined;
            for (std::size_t k = 0; k + 1 < lines.size(); k += 2) {
                const bool only = lines.size() == 2;
                const Lines to = only ? last : new_result(in.operand.dtype, lines[k].shape);
                emit_map(i, to, &lines[k], lines[k + 1]);
                combined.push_back(to);
            }
            if (lines.size() % 2 != 0) combined.push_back(lines.back());
            lines = std::move(combined);
        }
    }
};

}  // namespace

// Returns the program with short-line reductions of at least `least_bytes` of input split; none if
// it has none.
std::optional<RewrittenProgram> split_reductions(const Program& recorded,
                                                 std::int64_t least_bytes) {
    return Splitter(recorded, least_bytes).split();
}

}  // namespace hassium
