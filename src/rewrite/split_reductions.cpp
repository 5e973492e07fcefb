// Splits reductions over a few lines of few elements each, as `a.sum(axis=1)` of shape (100000, 3,
// 3), into maps: one over all first lines, one over all second lines, and so on.
//
// A nest of such a reduction would move to the next line after three elements and pay the overhead
// of a tile for each. The maps run across the lines, fuse with the producers of the input and the
// readers of the result, and the arrays between them are contracted.
//
// Results are bit-identical: in the column form of a reduction (program/reduction_tree.hpp) so few
// elements combine in order, and a sum begins with a constant zero here as well.
#include <algorithm>
#include <bit>

#include "ops/dtype_rules.hpp"
#include "program/reduction_tree.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

// Measured on two cores: 2 to 20 times faster within these bounds, no gain beyond them.
constexpr std::int64_t kMostLines = 16, kLongLineElements = 32;

std::size_t reduced_axis(const Instruction& i) {
    return static_cast<std::size_t>(std::countr_zero(i.axes));
}

// Returns whether the row has inputs and output of `dtype`.
bool keeps_dtype(Op op, DType dtype) {
    const std::optional<Loop> loop = loop_of(op, dtype);
    return loop && loop->in[0] == dtype && loop->in[1] == dtype && loop->out[0] == dtype;
}

bool has_short_lines(const Program& p, const Instruction& i) {
    const ReductionTree tree = reduction_tree(p, i);
    if (tree.row_form) return false;
    const std::span<const std::int64_t> shape = p.iteration_shape(i);
    std::int64_t length = 1;
    for (std::size_t k = tree.order.size(); k-- > 0 && tree.order[k] != reduced_axis(i);) {
        length *= shape[tree.order[k]];
    }
    return length < kLongLineElements;
}

bool is_splittable(const Program& p, const Instruction& i, std::int64_t least_bytes) {
    if (i.method != Method::Reduce || i.masked || std::popcount(i.axes) != 1) return false;
    const Operand& in = p.inputs(i)[0];
    const std::int64_t lines = p.shape(in)[reduced_axis(i)];
    if (lines < 2 || lines > kMostLines) return false;
    if (element_count(p.shape(in)) * itemsize(in.dtype) < least_bytes) return false;
    // Reductions of float16 accumulate in a wider dtype.
    const bool same = in.dtype == i.compute && p.outputs(i)[0].dtype == i.compute;
    return same && i.compute != DType::F16 && keeps_dtype(i.op, i.compute) && has_short_lines(p, i);
}

class Splitter {
  public:
    Splitter(const Program& recorded, std::int64_t least_bytes)
        : in_(recorded), least_bytes_(least_bytes) {}

    std::optional<RewrittenProgram> split() {
        auto splittable = [&](const Instruction& i) { return is_splittable(in_, i, least_bytes_); };
        if (std::ranges::none_of(in_.instructions, splittable)) return std::nullopt;
        made_ = without_instructions(in_);
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
            const Instruction& instruction = in_.instructions[i];
            splittable(instruction) ? emit_lines(i) : void(made_.append(in_, i, instruction));
        }
        return std::move(made_);
    }

  private:
    const Program& in_;
    const std::int64_t least_bytes_;
    RewrittenProgram made_;
    Program& out_ = made_.program;

    // The lines at one index of the reduced axis: a view with the kept axes.
    struct Lines {
        Operand operand;
        Dims shape, strides;
    };
    Lines lines_of(const Instruction& i) const {
        const Operand& in = in_.inputs(i)[0];
        Lines lines{in, {}, {}};
        for (std::size_t k = 0; k < in.ndim; ++k) {
            if (k == reduced_axis(i)) continue;
            lines.shape.push_back(in_.shape(in)[k]);
            lines.strides.push_back(in_.strides(in)[k]);
        }
        return lines;
    }
    Lines result_of(const Instruction& i) const {
        const Operand& out = in_.outputs(i)[0];
        return {out, Dims(in_.shape(out)), Dims(in_.strides(out))};
    }
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

    // Emits the maps. A sum of inexact numbers begins with zero, any other reduction with the first
    // line.
    void emit_lines(std::uint32_t i) {
        const Instruction& reduction = in_.instructions[i];
        const Operand& in = in_.inputs(reduction)[0];
        const std::int64_t count = in_.shape(in)[reduced_axis(reduction)];
        const std::int64_t step = in_.strides(in)[reduced_axis(reduction)];
        const bool from_zero = begins_with_zero(reduction.op, reduction.compute);
        Lines lines = lines_of(reduction), before = lines;
        for (std::int64_t k = from_zero ? 0 : 1; k < count; ++k) {
            lines.operand.offset = in.offset + k * step;
            const bool last = k + 1 == count;
            const Lines to = last ? result_of(reduction) : new_result(in.dtype, lines.shape);
            Instruction map = reduction;
            map.method = Method::Call;
            map.axes = 0;
            map.nin = 2;
            map.operands = append_lines(to);
            k > 0 ? append_lines(before) : append_constant(out_, in.dtype, {});
            append_lines(lines);
            made_.append(in_, i, map);
            before = to;
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
