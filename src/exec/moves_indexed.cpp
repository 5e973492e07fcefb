// take and put along one axis. The whole has the axis; the part has the index's axes in its place.
//
// Indices are whole numbers that were checked and made non-negative when the instruction was
// recorded. A put writes in C order of the part, so of equal indices the last one counts.
#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "exec/moves_common.hpp"

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

    std::size_t index_rank() const { return index.shape.size(); }
    std::int64_t position(std::int64_t offset) const {
        std::int64_t p;
        std::memcpy(&p, index.data + offset, sizeof(p));
        return p * axis_stride;
    }
    // n elements between the two, with any strides.
    void move(char* whole_at, std::int64_t whole_step, char* part_at, std::int64_t part_step,
              std::int64_t n) const;
    void run_rows(const Odometer& outer, std::int64_t first, std::int64_t last,
                  const Odometer& inner, std::int64_t width, std::int64_t whole_step,
                  std::int64_t part_step) const;
};

void Indexed::move(char* whole_at, std::int64_t whole_step, char* part_at, std::int64_t part_step,
                   std::int64_t n) const {
    LineBuffer loaded, cast;
    char* source = gathers ? whole_at : part_at;
    char* target = gathers ? part_at : whole_at;
    const std::int64_t source_step = gathers ? whole_step : part_step;
    const std::int64_t target_step = gathers ? part_step : whole_step;
    const bool casts = from.stored != from.computed || to.stored != to.computed;
    const std::int64_t size = itemsize(from.stored);
    if (n == 1 && !casts) {
        std::memcpy(target, source, static_cast<std::size_t>(size));
        return;
    }
    for (std::int64_t done = 0; done < n; done += kLineBlock) {
        const std::int64_t count = n - done < kLineBlock ? n - done : kLineBlock;
        const char* values =
            from.read(source + done * source_step, source_step, count, loaded, cast);
        to.write(target + done * target_step, target_step, count, values, loaded);
    }
}

// outer: whole, part and index offsets of what stands before and at the axis; inner: the rest.
void Indexed::run_rows(const Odometer& outer, std::int64_t first, std::int64_t last,
                       const Odometer& inner, std::int64_t width, std::int64_t whole_step,
                       std::int64_t part_step) const {
    Odometer rows = outer;
    rows.seek(first);
    const std::int64_t lines = inner.count();
    for (std::int64_t k = first; k < last; ++k, rows.next()) {
        char* whole_at = whole.data + rows.at(0) + position(rows.at(2));
        char* part_at = part.data + rows.at(1);
        Odometer walk = inner;
        walk.seek(0);
        for (std::int64_t l = 0; l < lines; ++l, walk.next()) {
            move(whole_at + walk.at(0), whole_step, part_at + walk.at(1), part_step, width);
        }
    }
}

// One element per index and no cast: the plain case, a[index]. The index's last axis is the line.
struct Line {
    std::int64_t n, part_step, index_step;
};

// A gather waits for memory more than for anything: with steps known at compile time the loop is
// short enough for the processor to have dozens of elements under way.
template <class T, bool kGathers, bool kPacked>
void pick_steps(const char* index, char* whole_at, char* part_at, std::int64_t axis_stride,
                const Line& line) {
    const std::int64_t index_step = kPacked ? std::int64_t{sizeof(std::int64_t)} : line.index_step;
    const std::int64_t part_step = kPacked ? std::int64_t{sizeof(T)} : line.part_step;
    const std::int64_t unit = kPacked ? std::int64_t{sizeof(T)} : axis_stride;
    for (std::int64_t k = 0; k < line.n; ++k) {
        std::int64_t position;
        std::memcpy(&position, index + k * index_step, sizeof(position));
        T value;
        if constexpr (kGathers) {
            std::memcpy(&value, whole_at + position * unit, sizeof(T));
            std::memcpy(part_at + k * part_step, &value, sizeof(T));
        } else {
            std::memcpy(&value, part_at + k * part_step, sizeof(T));
            std::memcpy(whole_at + position * unit, &value, sizeof(T));
        }
    }
}

template <class T>
void pick_line(const Indexed& x, char* whole_at, char* part_at, std::int64_t index_at,
               const Line& line) {
    const char* index = x.index.data + index_at;
    constexpr std::int64_t kSize = sizeof(T);
    const bool packed = line.index_step == 8 && line.part_step == kSize && x.axis_stride == kSize;
    if (x.gathers && packed) {
        pick_steps<T, true, true>(index, whole_at, part_at, x.axis_stride, line);
    } else if (x.gathers) {
        pick_steps<T, true, false>(index, whole_at, part_at, x.axis_stride, line);
    } else {
        pick_steps<T, false, false>(index, whole_at, part_at, x.axis_stride, line);
    }
}

struct Bytes16 {
    std::uint64_t low, high;
};

void pick(const Indexed& x, char* whole_at, char* part_at, std::int64_t index_at,
          const Line& line) {
    switch (itemsize(x.whole.dtype)) {
        case 1:
            return pick_line<std::uint8_t>(x, whole_at, part_at, index_at, line);
        case 2:
            return pick_line<std::uint16_t>(x, whole_at, part_at, index_at, line);
        case 4:
            return pick_line<std::uint32_t>(x, whole_at, part_at, index_at, line);
        case 8:
            return pick_line<std::uint64_t>(x, whole_at, part_at, index_at, line);
        default:
            return pick_line<Bytes16>(x, whole_at, part_at, index_at, line);
    }
}

// `before`: lines outside the axis. Entries of an index may be equal, so only a gather is cut
// finer.
void run_picks(const Indexed& x, const Odometer& lines, const Line& line, std::int64_t before,
               std::int64_t elements, RunState& state) {
    constexpr std::int64_t kSegment = 4096;
    const std::int64_t segments = x.gathers ? (line.n + kSegment - 1) / kSegment : 1;
    const std::int64_t length = x.gathers ? kSegment : line.n;
    const std::int64_t jobs = x.gathers ? lines.count() * segments : before;
    const std::int64_t each = lines.count() * segments / jobs;
    spread(jobs, elements, state, [&](std::int64_t first, std::int64_t last) {
        Odometer walk = lines;
        for (std::int64_t k = first * each; k < last * each; ++k) {
            const std::int64_t begin = k % segments * length;
            const std::int64_t left = line.n - begin;
            walk.seek(k / segments);
            pick(x, x.whole.data + walk.at(0), x.part.data + walk.at(1) + begin * line.part_step,
                 walk.at(2) + begin * line.index_step,
                 {left < length ? left : length, line.part_step, line.index_step});
        }
    });
}

// Strides of the part, whose shape is derived: a constant has none of its own.
Dims strides_of_part(const BoundView& part, bool constant, std::size_t rank) {
    Dims strides(rank, 0);
    for (std::size_t k = 0; !constant && k < rank; ++k) strides[k] = part.strides[k];
    return strides;
}

}  // namespace

void run_indexed(const Instruction& i, std::span<const BoundView> operands, bool part_is_constant,
                 RunState& state) {
    const bool gathers = info(i.op).cls == OpClass::Gather;
    const BoundView& whole = operands[gathers ? 1 : 0];
    const BoundView& part = operands[gathers ? 0 : 1];
    const BoundView& index = operands[2];
    HS_CHECK(index.dtype == DType::I64, "an index is int64");
    const KernelTable& table = kernels();
    const auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    const std::size_t rank = whole.shape.size();
    const std::size_t index_rank = index.shape.size();
    const DType source = gathers ? whole.dtype : part.dtype;
    const DType target = gathers ? part.dtype : whole.dtype;
    const Indexed x{whole,
                    part,
                    index,
                    gathers,
                    axis,
                    strides_of_part(part, part_is_constant, rank - 1 + index_rank),
                    {table, source, i.compute},
                    {table, target, i.compute},
                    whole.strides[axis]};
    Odometer outer;  // whole, part, index
    Odometer inner;  // whole, part
    std::int64_t elements = 1, behind = 1;
    for (std::size_t k = 0; k < axis; ++k) {
        outer.axis(whole.shape[k], whole.strides[k], x.part_strides[k]);
        elements *= whole.shape[k];
    }
    const std::int64_t before = outer.count();
    Odometer lines = outer;
    Line line{1, 0, 0};
    for (std::size_t k = 0; k < index_rank; ++k) {
        const std::int64_t stride = x.part_strides[axis + k];
        outer.axis(index.shape[k], 0, stride, index.strides[k]);
        elements *= index.shape[k];
        if (k + 1 < index_rank) {
            lines.axis(index.shape[k], 0, stride, index.strides[k]);
        } else {
            line = {index.shape[k], stride, index.strides[k]};
        }
    }
    // The last axis behind the indexed one is the run.
    std::int64_t width = 1, whole_step = 0, part_step = 0;
    for (std::size_t k = axis + 1; k < rank; ++k) {
        const std::int64_t stride = x.part_strides[k - 1 + index_rank];
        elements *= whole.shape[k];
        behind *= whole.shape[k];
        if (k + 1 == rank) {
            width = whole.shape[k];
            whole_step = whole.strides[k];
            part_step = stride;
        } else {
            inner.axis(whole.shape[k], whole.strides[k], stride);
        }
    }
    if (elements == 0) return;
    if (behind == 1 && source == target && source == i.compute) {
        return run_picks(x, lines, line, before, elements, state);
    }
    // Two entries of an index may be equal: a put is cut before the axis only.
    const std::int64_t rows = outer.count();
    const std::int64_t jobs = gathers ? rows : before;
    const std::int64_t each = rows / jobs;
    spread(jobs, elements, state, [&](std::int64_t first, std::int64_t last) {
        x.run_rows(outer, first * each, last * each, inner, width, whole_step, part_step);
    });
}

}  // namespace hassium
