// Splits reductions over a few lines of few elements each into maps: one over all first lines, one
// over all second lines, and so on.
//
// Column form (program/reduction_tree.hpp), as `a.sum(axis=1)` of shape (100000, 3, 3), or along
// two axes of blocks of pixels: a nest would move to the next line after three elements and pay the
// overhead of a tile for each. The maps run across the lines, fuse with the producers of the input
// and the readers of the result, and the arrays between them are contracted. So few elements
// combine in order, and a sum begins with a constant zero here as well.
//
// Row form, as `a.max(axis=(1, 3))` of shape (1000, 2, 1000, 2): the results of a row are complete
// only after all rows that lie apart. The rows are reduced alone, and maps combine the lines of
// their results as the tree combines partials.
//
// Results are bit-identical.
#include <algorithm>

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

// How a reduction is split: the axes whose lines the maps combine, outermost in memory first, and
// the axes of the reduction that makes the lines, none in the column form.
struct Split {
    SmallVec<std::uint8_t, 8> axes;
    std::uint64_t row_axes = 0;
};

// Finds the axes of role 1, and those of the row. Returns the elements of the kept axes inside the
// innermost of them, outside the row.
std::int64_t find_axes(std::span<const std::int64_t> shape, const ReductionTree& tree,
                       std::uint64_t reduced, Split& split) {
    std::int64_t inside = 1;
    for (std::size_t at = 0; at < tree.order.size(); ++at) {
        const std::uint8_t axis = tree.order[at];
        const std::uint8_t role = tree.role(at, reduced);
        if (role == 0) inside *= shape[axis];
        if (role == 2) split.row_axes |= std::uint64_t{1} << axis;
        if (role != 1) continue;
        split.axes.push_back(axis);
        inside = 1;
    }
    return inside;
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
    Split split;
    const std::int64_t inside = find_axes(p.shape(in), tree, i.axes, split);
    const bool few = tree.row_form ? !tree.sequential && tree.row_elements <= kLongRow &&
                                         inside >= kLongLineElements
                                   : inside < kLongLineElements;
    std::int64_t lines = 1;
    for (const std::uint8_t axis : split.axes) lines *= p.shape(in)[axis];
    if (!few || lines < 2 || lines > kMostLines) return {};
    return split;
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

    // A view, or its lines at one index of some axes, without these.
    struct Lines {
        Operand operand;
        Dims shape, strides;
    };
    // Returns the lines at each index of the axes, the last of which varies fastest.
    static std::vector<Lines> lines_of(const Lines& all, std::span<const std::uint8_t> axes) {
        std::vector<Lines> lines{all};
        std::uint64_t left_out = 0;
        for (const std::uint8_t axis : axes) {
            left_out |= std::uint64_t{1} << axis;
            std::vector<Lines> parts;
            for (const Lines& whole : lines) {
                for (std::int64_t k = 0; k < all.shape[axis]; ++k) {
                    parts.push_back(whole);
                    parts.back().operand.offset += k * all.strides[axis];
                }
            }
            lines = std::move(parts);
        }
        for (Lines& one : lines) {
            for (std::size_t axis = all.shape.size(); axis-- > 0;) {
                if ((left_out >> axis & 1) == 0) continue;
                one.shape.erase(axis);
                one.strides.erase(axis);
            }
        }
        return lines;
    }
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
        const std::vector<Lines> lines = lines_of(whole(in_.inputs(reduction)[0]), split.axes);
        const bool from_zero = begins_with_zero(reduction.op, reduction.compute);
        Lines before = lines[0];
        for (std::size_t k = from_zero ? 0 : 1; k < lines.size(); ++k) {
            const bool last = k + 1 == lines.size();
            const Lines to = last ? whole(in_.outputs(reduction)[0])
                                  : new_result(before.operand.dtype, before.shape);
            emit_map(i, to, k > 0 ? &before : nullptr, lines[k]);
            before = to;
        }
    }

    // Emits the reduction of the rows, and maps that combine neighbouring lines of its results,
    // then neighbours of those.
    void emit_rows(std::uint32_t i, const Split& split) {
        Instruction rows = in_.instructions[i];
        const Lines in = whole(in_.inputs(rows)[0]);
        Dims shape;
        SmallVec<std::uint8_t, 8> axes = split.axes;  // of the results
        for (std::size_t k = 0; k < in.shape.size(); ++k) {
            const auto combined = std::ranges::find(split.axes, k);
            const bool kept = (rows.axes >> k & 1) == 0;
            if (combined != split.axes.end()) {
                axes[static_cast<std::size_t>(combined - split.axes.begin())] =
                    static_cast<std::uint8_t>(shape.size());
                rows.axes &= ~(std::uint64_t{1} << k);
            }
            if (kept || combined != split.axes.end()) shape.push_back(in.shape[k]);
        }
        const Lines results = new_result(in.operand.dtype, shape);
        const Lines last = whole(in_.outputs(rows)[0]);
        rows.operands = append_lines(results);
        append_lines(in);
        made_.append(in_, i, rows);
        std::vector<Lines> lines = lines_of(results, axes);
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
