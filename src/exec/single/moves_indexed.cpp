// take and put along one axis. The whole has the axis; the part has the index's axes in its place.
//
// Indices were checked and made non-negative when the instruction was recorded. A put goes through
// the index in C order for each element behind the axis, so the last of equal indices counts.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "exec/single/index_lookups.hpp"
#include "exec/single/moves_common.hpp"

namespace hassium {
namespace {

struct Indexed {
    const BoundView& whole;
    const BoundView& part;
    const BoundView& index;
    bool gathers;
    std::size_t axis;
    Dims part_strides;  // zeros for a constant
    Port from, to;      // of the values, through the compute dtype
    std::int64_t axis_stride;
    bool casts;

    std::size_t index_rank() const { return index.shape.size(); }
    std::int64_t position(std::int64_t offset) const {
        std::int64_t p;
        std::memcpy(&p, index.data + offset, sizeof(p));
        return p * axis_stride;
    }
    // Moves n elements between the two, with any strides.
    void move(char* whole_at, std::int64_t whole_step, char* part_at, std::int64_t part_step,
              std::int64_t n) const;
};

void Indexed::move(char* whole_at, std::int64_t whole_step, char* part_at, std::int64_t part_step,
                   std::int64_t n) const {
    LineBuffer loaded, cast;
    char* source = gathers ? whole_at : part_at;
    char* target = gathers ? part_at : whole_at;
    const std::int64_t source_step = gathers ? whole_step : part_step;
    const std::int64_t target_step = gathers ? part_step : whole_step;
    for (std::int64_t done = 0; done < n; done += kLineBlock) {
        const std::int64_t count = n - done < kLineBlock ? n - done : kLineBlock;
        const char* values =
            from.read(source + done * source_step, source_step, count, loaded, cast);
        to.write(target + done * target_step, target_step, count, values, loaded);
    }
}

// Runs of contiguous bytes on both sides (elements, if they are cast): `n` of them along the
// index's last axes and, for each of these, `inner.n` along another axis.
struct Line {
    std::int64_t n = 1, part_step = 0, index_step = 0;
    std::int64_t bytes = 1;
    struct {
        std::int64_t n = 1, whole_step = 0, part_step = 0;
    } inner;
};

// Moves the `inner.n` runs of one position; fills more than kFewFilled by a kernel.
constexpr std::int64_t kFewFilled = 4;

void pick_row(const Indexed& x, char* whole, char* part, const Line& line) {
    const auto& [n, whole_step, part_step] = line.inner;
    if (x.casts) return x.move(whole, whole_step, part, part_step, n);
    if (line.bytes == itemsize(x.whole.dtype)) {
        const KernelTable& table = x.from.table;
        const int log2 = item_log2(line.bytes);
        const bool whole_lies = whole_step == line.bytes, part_lies = part_step == line.bytes;
        if (part_lies && x.gathers) return table.load[log2](part, whole, whole_step, n);
        if (part_lies) return table.store[log2](whole, whole_step, part, n);
        // One value for a whole row; for a shorter row the call would cost more.
        if (part_step == 0 && whole_lies && !x.gathers && n > kFewFilled) {
            return table.fill[log2](whole, part, n);
        }
    }
    char* const to = x.gathers ? part : whole;
    const char* const from = x.gathers ? whole : part;
    const std::int64_t to_step = x.gathers ? part_step : whole_step;
    const std::int64_t from_step = x.gathers ? whole_step : part_step;
    with_length(line.bytes, [&](auto length) {
        for (std::int64_t j = 0; j < n; ++j) {
            if constexpr (length > 0) {
                copy_fixed<length>(to + j * to_step, from + j * from_step);
            } else {
                copy_run(to + j * to_step, from + j * from_step, line.bytes);
            }
        }
    });
}

void pick(const Indexed& x, char* whole_at, char* part_at, std::int64_t index_at,
          const Line& line) {
    if (line.inner.n == 1 && !x.casts) {
        const IndexedLine runs = {
            whole_at,        part_at,       x.index.data + index_at,
            line.n,          x.axis_stride, line.part_step,
            line.index_step, line.bytes,    is_far(x.whole.shape[x.axis], x.axis_stride)};
        return x.gathers ? gather_line(runs) : scatter_line(runs);
    }
    for (std::int64_t k = 0; k < line.n; ++k) {
        pick_row(x, whole_at + x.position(index_at + k * line.index_step),
                 part_at + k * line.part_step, line);
    }
}

// Takes the last of the index's axes, which is the line, out of `axes` of part and index.
void take_line(Axes<2>& axes, Line& line) {
    if (axes.empty()) return;
    line.n = axes.back().extent;
    line.part_step = axes.back().strides[0];
    line.index_step = axes.back().strides[1];
    axes.pop_back();
}

// Takes the axes of a run out of `axes` of whole and part, behind the indexed one: the last one if
// it is contiguous on both sides, as the bytes of a run; the one before, which is walked for each
// index. The others are walked outside.
void take_run(const Indexed& x, Axes<2>& axes, Line& line) {
    line.bytes = itemsize(x.whole.dtype);
    auto lie_together = [&](const Axis<2>& axis) {
        return axis.strides[0] == line.bytes && axis.strides[1] == line.bytes;
    };
    if (!axes.empty() && !x.casts && lie_together(axes.back())) {
        line.bytes *= axes.back().extent;
        axes.pop_back();
    }
    if (axes.empty()) return;
    line.inner = {axes.back().extent, axes.back().strides[0], axes.back().strides[1]};
    axes.pop_back();
}

// Returns how much of a row is moved before the next row: all of it, unless its stride exceeds that
// from row to row, as other rows are then closer. A gather fills a cache line of the part at once,
// or more while the lines of all positions fit the first-level cache; a put, which must follow the
// index, goes column by column.
std::int64_t row_block(const Indexed& x, const Line& line) {
    constexpr std::int64_t kLine = 64, kCache = 16384;
    if (std::abs(line.inner.whole_step) < std::abs(x.axis_stride)) return line.inner.n;
    if (!x.gathers) return 1;
    const std::int64_t reach = x.whole.shape[x.axis] * std::abs(x.axis_stride);
    const std::int64_t touched = std::max<std::int64_t>(std::min(reach, line.n * kLine), 1);
    const std::int64_t filled = std::max<std::int64_t>(kLine / line.bytes, 1);
    return std::min(std::max(kCache / touched, filled), line.inner.n);
}

// If an index finds little in a row, the longest axis before it takes the place of the one behind,
// so that each position is a column of many rows and the cost of a row's start is shared. Returns
// whether it did so.
bool take_rows(Odometer& lines, Odometer& columns, Line& line) {
    constexpr std::int64_t kFew = 32, kFewBytes = 512;
    const std::int64_t runs = line.n * line.inner.n;
    if (runs > kFew || runs * line.bytes > kFewBytes) return false;
    const auto rows = lines.take_longest(runs);
    if (rows.extent == 1) return false;
    columns.axis(line.inner.n, line.inner.whole_step, line.inner.part_step);
    line.inner = {rows.extent, rows.strides[0], rows.strides[1]};
    return true;
}

// Returns how many rows stay in the first-level cache from one position to the next.
std::int64_t rows_at_once(const Line& line) {
    constexpr std::int64_t kLine = 64, kCache = 16384;
    auto touched = [=](std::int64_t step) { return std::min(std::abs(step), kLine); };
    return kCache / std::max<std::int64_t>(
                        touched(line.inner.whole_step) + touched(line.inner.part_step), 1);
}

// Index entries may be equal, so only a gather is cut along the index.
void run_index_lookups(const Indexed& x, std::int64_t elements, RunState& state) {
    Line line;
    auto indexed = coalesce<2>(x.index.shape, [&](int k, std::size_t axis) {
        return k == 0 ? x.part_strides[x.axis + axis] : x.index.strides[axis];
    });
    const std::size_t first = x.axis + 1;
    auto behind = coalesce<2>(x.whole.shape.subspan(first), [&](int k, std::size_t axis) {
        return k == 0 ? x.whole.strides[first + axis]
                      : x.part_strides[x.axis + x.index_rank() + axis];
    });
    take_line(indexed, line);
    take_run(x, behind, line);
    Odometer lines, columns;
    for (std::size_t k = 0; k < x.axis; ++k) {
        lines.axis(x.whole.shape[k], x.whole.strides[k], x.part_strides[k]);
    }
    for (const auto& [extent, strides] : behind) columns.axis(extent, strides[0], strides[1]);
    const bool by_rows = take_rows(lines, columns, line);
    const std::int64_t before = lines.count();
    for (const auto& [extent, strides] : indexed) lines.axis(extent, 0, strides[0], strides[1]);
    constexpr std::int64_t kSegmentBytes = 32768;
    const std::int64_t block = by_rows ? rows_at_once(line) : row_block(x, line);
    const std::int64_t outside = columns.count();
    const std::int64_t length =
        x.gathers && !by_rows ? std::max<std::int64_t>(kSegmentBytes / (line.bytes * block), 1)
                              : line.n;
    const std::int64_t segments = (line.n + length - 1) / length;
    // A job of short lines has several blocks of rows.
    const std::int64_t block_bytes = std::min(line.n, length) * block * line.bytes;
    const std::int64_t width = std::max<std::int64_t>(kSegmentBytes / block_bytes, 1) * block;
    const std::int64_t pieces = (line.inner.n + width - 1) / width;
    const std::int64_t all = lines.count() * segments * outside * pieces;
    const std::int64_t jobs = x.gathers || lines.count() == before ? all : before;
    const std::int64_t each = all / jobs;
    // Moves `width` elements of each row, from `first` on, block by block.
    auto move = [&](char* whole_at, char* part_at, std::int64_t index_at, Line piece,
                    std::int64_t first) {
        const std::int64_t end = std::min(first + width, line.inner.n);
        for (; first < end; first += block) {
            piece.inner.n = std::min(end - first, block);
            pick(x, whole_at + first * line.inner.whole_step,
                 part_at + first * line.inner.part_step, index_at, piece);
        }
    };
    spread(jobs, elements, state, [&](std::int64_t first, std::int64_t last) {
        Odometer walk = lines, column = columns;
        if (segments * outside * pieces == 1) {  // whole lines, one after another
            walk.seek(first * each);
            for (std::int64_t k = first * each; k < last * each; ++k, walk.next()) {
                char *const whole = x.whole.data + walk.at(0), *const part =
                                                                   x.part.data + walk.at(1);
                if (block >= line.inner.n) {
                    pick(x, whole, part, walk.at(2), line);
                } else {
                    move(whole, part, walk.at(2), line, 0);
                }
            }
            return;
        }
        for (std::int64_t k = first * each; k < last * each; ++k) {
            std::int64_t left = k;
            auto digit = [&left](std::int64_t base) {
                const std::int64_t value = left % base;
                left /= base;
                return value;
            };
            const std::int64_t at = digit(pieces) * width;
            column.seek(digit(outside));
            const std::int64_t begin = digit(segments) * length;
            walk.seek(left);
            Line piece = line;
            piece.n = std::min(line.n - begin, length);
            move(x.whole.data + walk.at(0) + column.at(0),
                 x.part.data + walk.at(1) + column.at(1) + begin * line.part_step,
                 walk.at(2) + begin * line.index_step, piece, at);
        }
    });
}

}  // namespace

Dims strides_of_part(const BoundView& part, bool constant, std::size_t rank) {
    Dims strides(rank, 0);
    for (std::size_t k = 0; !constant && k < rank; ++k) strides[k] = part.strides[k];
    return strides;
}

void run_indexed(const Instruction& i, std::span<const BoundView> operands, bool part_is_constant,
                 RunState& state) {
    const bool gathers = info(i.op).is_gather();
    const BoundView& whole = operands[gathers ? 1 : 0];
    const BoundView& part = operands[gathers ? 0 : 1];
    const BoundView& index = operands[2];
    HS_CHECK(index.dtype == DType::I64, "an index is int64");
    const KernelTable& table = kernels();
    const auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    const std::size_t rank = whole.shape.size() - 1 + index.shape.size();
    const DType source = gathers ? whole.dtype : part.dtype;
    const DType target = gathers ? part.dtype : whole.dtype;
    const Indexed x{whole,
                    part,
                    index,
                    gathers,
                    axis,
                    strides_of_part(part, part_is_constant, rank),
                    {table, source, i.compute},
                    {table, target, i.compute},
                    whole.strides[axis],
                    source != target || source != i.compute};
    std::int64_t elements = element_count(index.shape);
    for (std::size_t k = 0; k < whole.shape.size(); ++k) {
        if (k != axis) elements *= whole.shape[k];
    }
    if (elements == 0) return;
    run_index_lookups(x, elements, state);
}

}  // namespace hassium
