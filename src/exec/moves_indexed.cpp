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

// One element per index, nothing behind the axis and no cast: the plain case, a[index].
template <class T>
void pick_elements(const Indexed& x, const Odometer& outer, std::int64_t first, std::int64_t last) {
    Odometer rows = outer;
    rows.seek(first);
    for (std::int64_t k = first; k < last; ++k, rows.next()) {
        char* whole_at = x.whole.data + rows.at(0) + x.position(rows.at(2));
        char* part_at = x.part.data + rows.at(1);
        if (x.gathers) {
            std::memcpy(part_at, whole_at, sizeof(T));
        } else {
            std::memcpy(whole_at, part_at, sizeof(T));
        }
    }
}

struct Bytes16 {
    std::uint64_t low, high;
};

void pick_elements(const Indexed& x, const Odometer& outer, std::int64_t first, std::int64_t last) {
    switch (itemsize(x.whole.dtype)) {
        case 1:
            return pick_elements<std::uint8_t>(x, outer, first, last);
        case 2:
            return pick_elements<std::uint16_t>(x, outer, first, last);
        case 4:
            return pick_elements<std::uint32_t>(x, outer, first, last);
        case 8:
            return pick_elements<std::uint64_t>(x, outer, first, last);
        default:
            return pick_elements<Bytes16>(x, outer, first, last);
    }
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
    std::int64_t elements = 1;
    for (std::size_t k = 0; k < axis; ++k) {
        outer.axis(whole.shape[k], whole.strides[k], x.part_strides[k]);
        elements *= whole.shape[k];
    }
    const std::int64_t before = outer.count();
    for (std::size_t k = 0; k < index_rank; ++k) {
        outer.axis(index.shape[k], 0, x.part_strides[axis + k], index.strides[k]);
        elements *= index.shape[k];
    }
    // The last axis behind the indexed one is the line.
    std::int64_t width = 1, whole_step = 0, part_step = 0;
    for (std::size_t k = axis + 1; k < rank; ++k) {
        const std::int64_t stride = x.part_strides[k - 1 + index_rank];
        elements *= whole.shape[k];
        if (k + 1 == rank) {
            width = whole.shape[k];
            whole_step = whole.strides[k];
            part_step = stride;
        } else {
            inner.axis(whole.shape[k], whole.strides[k], stride);
        }
    }
    if (elements == 0) return;
    // Two entries of an index may be equal: a put is cut before the axis only.
    const std::int64_t rows = outer.count();
    const std::int64_t jobs = gathers ? rows : before;
    const std::int64_t each = rows / jobs;
    const bool plain = width == 1 && inner.count() == 1 && source == target && source == i.compute;
    spread(jobs, elements, state, [&](std::int64_t first, std::int64_t last) {
        if (plain) {
            pick_elements(x, outer, first * each, last * each);
        } else {
            x.run_rows(outer, first * each, last * each, inner, width, whole_step, part_step);
        }
    });
}

}  // namespace hassium
