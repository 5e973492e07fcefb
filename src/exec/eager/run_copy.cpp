// Eager copies. They need no arithmetic and no buffers: lines are filled, moved, loaded, stored or
// cast directly, and a swap of two axes is transposed. Other copies run as maps (run_map.cpp).
#include <cstring>

#include "exec/executor.hpp"
#include "exec/flags.hpp"
#include "ops/dtype_rules.hpp"
#include "program/axes.hpp"
#include "simd/tables/kernels.hpp"
#include "simd/tables/transposes.hpp"

namespace hassium {
namespace {

constexpr int kOperands = 3;  // out, in, mask
constexpr std::size_t kRank = 2;

// Returns the coalesced axes of the operands, if there are at most two.
std::optional<Axes<kOperands>> rows_of(std::span<const std::int64_t> shape,
                                       std::span<const DirectOperand> operands) {
    auto stride = [&](int k, std::size_t axis) {
        return operands[static_cast<std::size_t>(k)].strides[axis];
    };
    auto axes = coalesce<kOperands>(shape, stride, static_cast<int>(operands.size()));
    if (axes.size() > kRank) return std::nullopt;
    return axes;
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
        case Line::Fill:
            return run_direct_line(to, out, in, line == Line::Fill, n);
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

// Transposes if rows of the result and columns of the source are contiguous, or the other way
// round.
bool turn(const KernelTable& table, const Axes<kOperands>& axes, const DirectOperand& out,
          const DirectOperand& in) {
    const std::int64_t size = itemsize(out.dtype);
    if (out.dtype != in.dtype || axes.size() != 2) return false;
    auto turned = [&](const auto& rows, const auto& columns) {
        return columns.strides[0] == size && rows.strides[1] == size && columns.strides[1] != 0;
    };
    const std::size_t last = turned(axes[1], axes[0]) ? 0 : 1;
    const auto &rows = axes[1 - last], &columns = axes[last];
    if (!turned(rows, columns)) return false;
    transposes_of(table).turn[item_log2(size)](
        {out.data, in.data, rows.strides[0], columns.strides[1], rows.extent, columns.extent});
    return true;
}

// Returns nothing if the operands have no such lines.
std::optional<std::uint8_t> copy_lines(std::span<const std::int64_t> shape,
                                       std::span<const DirectOperand> operands) {
    const DirectOperand &out = operands[0], &in = operands[1];
    if (out.data == in.data) return std::nullopt;
    const KernelTable& table = kernels();
    const auto axes = rows_of(shape, operands);
    if (!axes) return std::nullopt;
    if (turn(table, *axes, out, in)) return std::uint8_t{0};
    const Axis<kOperands> one = {1, {itemsize(out.dtype), itemsize(in.dtype)}};
    const Axis<kOperands>& line = axes->empty() ? one : axes->back();
    const Axis<kOperands>& rows = axes->size() == kRank ? (*axes)[0] : Axis<kOperands>{1, {}};
    const Copy copy = {table, out.dtype, in.dtype, line.strides[0], line.strides[1]};
    const Line kind = copy.kind();
    if (kind == Line::None) return std::nullopt;
    const std::uint8_t may_raise = kind == Line::Cast ? cast_raises(in.dtype, out.dtype) : 0;
    if (may_raise) clear_fp_flags();
    for (std::int64_t row = 0; row < rows.extent; ++row) {
        copy.run(kind, out.data + row * rows.strides[0], in.data + row * rows.strides[1],
                 line.extent);
    }
    return may_raise ? static_cast<std::uint8_t>(read_fp_flags() & may_raise) : std::uint8_t{0};
}

}  // namespace

void run_direct_line(DType dtype, char* out, const char* in, bool fills, std::int64_t n) {
    const std::int64_t size = itemsize(dtype);
    if (fills) return kernels().fill[item_log2(size)](out, in, n);
    std::memcpy(out, in, static_cast<std::size_t>(n * size));
}

std::uint8_t run_direct_copy(std::span<const std::int64_t> shape, const DirectOperand& out,
                             const DirectOperand& in) {
    const DirectOperand operands[] = {out, in};
    const std::optional<std::uint8_t> raised = copy_lines(shape, operands);
    return raised ? *raised : run_direct(Op::Copy, out.dtype, shape, operands);
}

bool run_direct_blend(std::span<const std::int64_t> shape, const DirectOperand& out,
                      const DirectOperand& in, const DirectOperand& mask) {
    const DirectOperand operands[] = {out, in, mask};
    if (out.dtype != in.dtype) return false;
    const auto axes = rows_of(shape, operands);
    if (!axes) return false;
    const std::int64_t size = itemsize(out.dtype);
    const Axis<kOperands> one = {1, {size, 0, 0}};
    const Axis<kOperands>& line = axes->empty() ? one : axes->back();
    const Axis<kOperands>& rows = axes->size() == kRank ? (*axes)[0] : one;
    const std::int64_t n = line.extent;
    const auto& step = line.strides;
    const bool single = step[1] == 0;
    if (n > 1 && (step[2] != 1 || (!single && step[1] != size))) return false;
    const KernelTable& table = kernels();
    const BlendFn blend = (single ? table.blend_one : table.blend)[item_log2(size)];
    for (std::int64_t row = 0; row < rows.extent; ++row) {
        blend(out.data + row * rows.strides[0], step[0], in.data + row * rows.strides[1],
              mask.data + row * rows.strides[2], n);
    }
    return true;
}

}  // namespace hassium
