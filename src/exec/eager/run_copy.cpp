// Copies at the call. What is moved needs no arithmetic, and so no buffers either: lines are
// filled, moved, loaded, stored or cast straight from where they lie to where they go, and two axes
// that change places are turned. What is not as simple goes the way of every map (run_map.cpp).
#include <cstring>

#include "exec/eager/current_kernels.hpp"
#include "exec/executor.hpp"
#include "exec/flags.hpp"
#include "ops/dtype_rules.hpp"
#include "simd/tables/kernels.hpp"
#include "simd/tables/transposes.hpp"

namespace hassium {
namespace {

constexpr int kOperands = 3;  // out, in, mask
constexpr std::size_t kRank = 2;

// The axes that are left when those of one element are dropped and those that all operands step
// through evenly are one; innermost last.
struct FewAxes {
    std::size_t rank = 0;
    std::int64_t extent[kRank] = {1, 1}, stride[kRank][kOperands] = {};

    // False: there are more.
    bool gather(std::span<const std::int64_t> shape, std::span<const DirectOperand> operands);
};

bool FewAxes::gather(std::span<const std::int64_t> shape, std::span<const DirectOperand> operands) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        bool merges = rank > 0;
        for (std::size_t k = 0; k < operands.size() && merges; ++k) {
            merges = stride[rank - 1][k] == operands[k].strides[axis] * shape[axis];
        }
        if (!merges && rank == kRank) return false;
        if (!merges) ++rank;
        extent[rank - 1] *= shape[axis];
        for (std::size_t k = 0; k < operands.size(); ++k) {
            stride[rank - 1][k] = operands[k].strides[axis];
        }
    }
    return true;
}

enum class Line : std::uint8_t { Move, Fill, Load, Store, Cast, None };

struct Copy {
    const KernelTable& table;
    DType to, from;
    std::int64_t out_step, in_step;  // of the line

    Line kind() const;
    void run(Line line, char* out, const char* in, std::int64_t n) const;
};

Line Copy::kind() const {
    const bool packed = out_step == itemsize(to), lies = in_step == itemsize(from);
    if (to != from) return packed && lies ? Line::Cast : Line::None;
    if (packed && lies) return Line::Move;
    if (packed) return in_step == 0 ? Line::Fill : Line::Load;
    return lies ? Line::Store : Line::None;
}

void Copy::run(Line line, char* out, const char* in, std::int64_t n) const {
    const int log2 = item_log2(itemsize(to));
    switch (line) {
        case Line::Move:
            std::memcpy(out, in, static_cast<std::size_t>(n * itemsize(to)));
            return;
        case Line::Fill:
            return table.fill[log2](out, in, n);
        case Line::Load:
            return table.load[log2](out, in, in_step, n);
        case Line::Store:
            return table.store[log2](out, out_step, in, n);
        case Line::Cast:
            return table.cast[static_cast<int>(from)][static_cast<int>(to)](out, in, n);
        case Line::None:
            return;
    }
}

// Rows of the result are contiguous, and so are columns of the source; or the other way round.
bool turn(const KernelTable& table, FewAxes& axes, const DirectOperand& out,
          const DirectOperand& in) {
    const std::int64_t size = itemsize(out.dtype);
    if (out.dtype != in.dtype || axes.rank != 2) return false;
    auto turned = [&](std::size_t rows, std::size_t columns) {
        return axes.stride[columns][0] == size && axes.stride[rows][1] == size &&
               axes.stride[columns][1] != 0;
    };
    const std::size_t rows = turned(1, 0) ? 1 : 0, columns = 1 - rows;
    if (!turned(rows, columns)) return false;
    transposes_of(table).turn[item_log2(size)]({out.data, in.data, axes.stride[rows][0],
                                                axes.stride[columns][1], axes.extent[rows],
                                                axes.extent[columns]});
    return true;
}

}  // namespace

std::optional<std::uint8_t> run_direct_copy(std::span<const std::int64_t> shape,
                                            const DirectOperand& out, const DirectOperand& in) {
    if (out.data == in.data) return std::nullopt;
    const KernelTable& table = current_kernels();
    FewAxes axes;
    const DirectOperand operands[] = {out, in};
    if (!axes.gather(shape, operands)) return std::nullopt;
    if (turn(table, axes, out, in)) return std::uint8_t{0};
    Copy copy = {table, out.dtype, in.dtype, itemsize(out.dtype), itemsize(in.dtype)};
    if (axes.rank > 0) {
        copy.out_step = axes.stride[axes.rank - 1][0];
        copy.in_step = axes.stride[axes.rank - 1][1];
    }
    const Line line = copy.kind();
    if (line == Line::None) return std::nullopt;
    const std::uint8_t may_raise = line == Line::Cast ? cast_raises(in.dtype, out.dtype) : 0;
    if (may_raise) clear_fp_flags();
    const bool rows = axes.rank == 2;
    const std::int64_t n = axes.rank == 0 ? 1 : axes.extent[axes.rank - 1];
    for (std::int64_t row = 0; row < (rows ? axes.extent[0] : 1); ++row) {
        copy.run(line, out.data + row * axes.stride[0][0] * rows,
                 in.data + row * axes.stride[0][1] * rows, n);
    }
    return may_raise ? static_cast<std::uint8_t>(read_fp_flags() & may_raise) : std::uint8_t{0};
}

bool run_direct_blend(std::span<const std::int64_t> shape, const DirectOperand& out,
                      const DirectOperand& in, const DirectOperand& mask) {
    FewAxes axes;
    const DirectOperand operands[] = {out, in, mask};
    if (out.dtype != in.dtype || !axes.gather(shape, operands)) return false;
    const std::int64_t size = itemsize(out.dtype);
    const std::size_t last = axes.rank == 2 ? 1 : 0;
    const std::int64_t n = axes.extent[last], *step = axes.stride[last];
    const bool one = step[1] == 0;
    if (n > 1 && (step[2] != 1 || (!one && step[1] != size))) return false;
    const KernelTable& table = current_kernels();
    const BlendFn blend = (one ? table.blend_one : table.blend)[item_log2(size)];
    const std::int64_t rows = last == 1 ? axes.extent[0] : 1, *pitch = axes.stride[0];
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at = last == 1 ? row : 0;
        blend(out.data + at * pitch[0], n > 1 ? step[0] : size, in.data + at * pitch[1],
              mask.data + at * pitch[2], n);
    }
    return true;
}

}  // namespace hassium
