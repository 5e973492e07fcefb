// One eager map: no plan, no queue, no allocation. Operands that are contiguous (or single
// elements) in the loop's dtypes go to the kernel in place; others pass through small buffers.
#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.hpp"
#include "exec/executor.hpp"
#include "exec/flags.hpp"
#include "exec/single/moves_common.hpp"
#include "ops/dtype_rules.hpp"
#include "program/axes.hpp"
#include "simd/tables/kernels.hpp"
#include "simd/tables/transposes.hpp"

namespace hassium {
namespace {

constexpr int kMostOperands = 5;
constexpr std::int64_t kPiece = 256;
constexpr std::int64_t kPacked = 1024;  // bound of the elements of a packed input

// The kernel and dtypes of a loop, cached. Published by `table`: threads that fill an entry at the
// same time write the same values.
struct Entry {
    std::atomic<const KernelTable*> table{nullptr};
    MapFn map = nullptr;
    DType dtype[kMostOperands] = {};  // outputs, inputs
    std::uint8_t outs = 0, count = 0, raises = 0;
};

Entry entries[kOpCount][kDTypeCount];

const Entry& find_entry(Op op, DType compute) {
    const KernelTable& table = kernels();
    Entry& e = entries[static_cast<int>(op)][static_cast<int>(compute)];
    if (e.table.load(std::memory_order_acquire) == &table) return e;
    MapFn map = table.map[static_cast<int>(op)][static_cast<int>(compute)];
    std::optional<Loop> loop = loop_of(op, compute);
    HS_CHECK(map && loop, "a direct map has a kernel");
    e.map = map;
    e.outs = info(op).nout;
    e.count = static_cast<std::uint8_t>(info(op).nout + info(op).nin);
    for (int k = 0; k < e.count; ++k) {
        e.dtype[k] = k < e.outs ? loop->out[k] : loop->in[k - e.outs];
    }
    e.raises = raises(op, compute);
    e.table.store(&table, std::memory_order_release);
    return e;
}

struct Direct {
    const KernelTable& table;
    MapFn map;
    int outs, count;
    const DType* dtype;  // of the loop
    const DirectOperand* operands;
    std::uint8_t raises;

    // Runs elements [0, n) along one axis from the given addresses.
    void run_line(char* const* at, const std::int64_t* stride, std::int64_t n) const {
        bool plain = true;
        std::uint32_t scalars = 0;
        for (int k = 0; k < count; ++k) {
            bool same = operands[k].dtype == dtype[k];
            bool single = k >= outs && (stride[k] == 0 || n == 1);
            plain = plain && same && (single || n == 1 || stride[k] == itemsize(dtype[k]));
            if (single) scalars |= 1u << (k - outs);
        }
        if (plain) {
            bool all_single = scalars == (1u << (count - outs)) - 1 && n > 1;
            if (!all_single) return map(at, n == 1 ? 0 : scalars, n);
        }
        if (backwards(stride, scalars)) return run_backwards(at, scalars, n);
        for (std::int64_t done = 0; done < n; done += kPiece) {
            char* now[kMostOperands];
            for (int k = 0; k < count; ++k) now[k] = at[k] + done * stride[k];
            run_piece(now, stride, std::min(kPiece, n - done));
        }
    }

  private:
    // Returns whether all inputs are read backwards, and the result is written forwards.
    bool backwards(const std::int64_t* stride, std::uint32_t scalars) const {
        bool all = outs == 1 && scalars != (1u << (count - outs)) - 1;
        for (int k = 0; k < count && all; ++k) {
            const std::int64_t size = itemsize(dtype[k]);
            const bool single = k >= outs && (scalars >> (k - outs) & 1) != 0;
            all = operands[k].dtype == dtype[k] && (single || stride[k] == (k == 0 ? size : -size));
        }
        return all;
    }

    // Reverses the result only, instead of each input.
    void run_backwards(char* const* at, std::uint32_t scalars, std::int64_t n) const {
        alignas(64) char buffer[kPiece * 16];
        const std::int64_t size = itemsize(dtype[0]);
        for (std::int64_t done = 0; done < n; done += kPiece) {
            const std::int64_t m = std::min(kPiece, n - done), last = done + m - 1;
            char* now[kMostOperands] = {buffer};
            for (int k = 1; k < count; ++k) {
                const bool single = (scalars >> (k - 1) & 1) != 0;
                now[k] = single ? at[k] : at[k] - last * itemsize(dtype[k]);
            }
            map(now, scalars, m);
            table.store[item_log2(size)](at[0] + last * size, -size, buffer, m);
        }
    }

    // Runs at most kPiece elements; strided ones, or of another dtype, go through buffers.
    void run_piece(char* const* at, const std::int64_t* stride, std::int64_t n) const {
        alignas(64) char raw[kPiece * 16], buffer[kMostOperands][kPiece * 16];
        char* ready[kMostOperands];
        for (int k = outs; k < count; ++k) {
            ready[k] = fetch(operands[k].dtype, dtype[k], at[k], stride[k], n, raw, buffer[k]);
        }
        for (int k = 0; k < outs; ++k) {
            const DType stored = operands[k].dtype;
            ready[k] = stored == dtype[k] && stride[k] == itemsize(stored) ? at[k] : buffer[k];
        }
        map(ready, 0, n);
        for (int k = 0; k < outs; ++k) {
            if (ready[k] == at[k]) continue;
            const DType stored = operands[k].dtype;
            const char* from = buffer[k];
            if (stored != dtype[k]) {
                char* const to = stride[k] == itemsize(stored) ? at[k] : raw;
                table.cast[static_cast<int>(dtype[k])][static_cast<int>(stored)](to, from, n);
                if (to == at[k]) continue;
                from = raw;
            }
            table.store[item_log2(itemsize(stored))](at[k], stride[k], from, n);
        }
    }

    // Returns the address of contiguous elements in the wanted dtype.
    char* fetch(DType stored, DType wanted, char* from, std::int64_t stride, std::int64_t n,
                char* raw, char* to) const {
        char* loaded = from;
        if (stride != itemsize(stored)) {
            const int log = item_log2(itemsize(stored));
            loaded = stored == wanted ? to : raw;
            if (stride == 0) {
                table.fill[log](loaded, from, n);
            } else {
                table.load[log](loaded, from, stride, n);
            }
        }
        if (stored == wanted) return loaded;
        table.cast[static_cast<int>(stored)][static_cast<int>(wanted)](to, loaded, n);
        return to;
    }
};

Direct prepare(const Entry& e, std::span<const DirectOperand> operands) {
    Direct d{kernels(), e.map, e.outs, e.count, e.dtype, operands.data(), e.raises};
    for (int k = 0; k < d.count; ++k) {
        DType stored = operands[static_cast<std::size_t>(k)].dtype;
        if (stored == d.dtype[k]) continue;
        d.raises |= k < d.outs ? cast_raises(d.dtype[k], stored) : cast_raises(stored, d.dtype[k]);
    }
    return d;
}

// Runs one contiguous line in the loop's own dtypes, without any preparation. Inputs may be single
// elements, except for all of them. Returns false if the operands do not qualify.
bool run_plain(const Entry& e, std::int64_t n, std::span<const DirectOperand> operands) {
    char* at[kMostOperands];
    std::uint32_t scalars = 0;
    for (int k = 0; k < e.count; ++k) {
        const DirectOperand& o = operands[static_cast<std::size_t>(k)];
        if (o.dtype != e.dtype[k]) return false;
        at[k] = o.data;
        if (n == 1 || o.strides[0] == itemsize(o.dtype)) continue;
        if (o.strides[0] != 0 || k < e.outs) return false;
        scalars |= 1u << (k - e.outs);
    }
    if (scalars == (1u << (e.count - e.outs)) - 1) return false;
    e.map(at, scalars, n);
    return true;
}

// The lines of a map over the axes of its operands.
class Lines {
  public:
    Lines(const Direct& d, Axes<kMostOperands> axes) : d_(d), axes_(std::move(axes)) {
        for (int k = 0; k < d.count; ++k) data_[k] = d.operands[k].data;
    }
    // Runs the lines along the last axis.
    void run() const;
    // Copies the inputs with non-contiguous lines to `memory`, kPacked elements for each.
    void pack(char* memory);

  private:
    void pack_input(int k, char* to, const std::int64_t* inside);

    const Direct& d_;
    Axes<kMostOperands> axes_;
    char* data_[kMostOperands];
};

void Lines::run() const {
    const std::size_t outer = axes_.size() - 1;
    const auto& [extent, strides] = axes_[outer];
    char* at[kMostOperands];
    std::int64_t index[kMaxDims] = {};
    std::copy_n(data_, d_.count, at);
    for (;;) {
        d_.run_line(at, strides, extent);
        std::size_t k = outer;
        while (k-- > 0) {
            const Axis<kMostOperands>& axis = axes_[k];
            const bool wraps = ++index[k] == axis.extent;
            if (wraps) index[k] = 0;
            for (int o = 0; o < d_.count; ++o) {
                at[o] += wraps ? -axis.strides[o] * (axis.extent - 1) : axis.strides[o];
            }
            if (!wraps) break;
        }
        if (k == static_cast<std::size_t>(-1)) return;
    }
}

void Lines::pack(char* memory) {
    if (axes_.size() == 1) return;
    std::int64_t inside[kMaxDims], step = 1;  // elements inside each axis
    for (std::size_t axis = axes_.size(); axis-- > 0; step *= axes_[axis].extent) {
        inside[axis] = step;
    }
    std::uint32_t packed = 0;
    for (int k = d_.outs; k < d_.count; ++k) {
        const std::int64_t stride = axes_.back().strides[k];
        if (stride == 0 || stride == itemsize(d_.operands[k].dtype)) continue;
        pack_input(k, memory + (k - d_.outs) * kPacked * 16, inside);
        packed |= 1u << k;
    }
    if (!packed) return;
    Axes<kMostOperands> axes(d_.count);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        axes.append(axes_[axis].extent, [&](int k) {
            return packed >> k & 1 ? inside[axis] * itemsize(d_.operands[k].dtype)
                                   : axes_[axis].strides[k];
        });
    }
    axes_ = std::move(axes);
}

// Transposes rows of the source that are contiguous along another axis; loads others one by one.
void Lines::pack_input(int k, char* to, const std::int64_t* inside) {
    const std::int64_t size = itemsize(d_.operands[k].dtype);
    const std::size_t last = axes_.size() - 1;
    std::size_t along = last;
    for (std::size_t axis = last; axis-- > 0;) {
        if (axes_[axis].strides[k] == size) along = axis;
    }
    Odometer others;  // packed, source
    for (std::size_t axis = 0; axis < last; ++axis) {
        const auto& [extent, strides] = axes_[axis];
        if (axis != along) others.axis(extent, inside[axis] * size, strides[k]);
    }
    const auto &line = axes_[last], &rows = axes_[along];
    const int log = item_log2(size);
    others.seek(0);
    for (std::int64_t n = others.count(); n > 0; --n, others.next()) {
        char* const out = to + others.at(0);
        const char* const in = data_[k] + others.at(1);
        if (along == last) {
            d_.table.load[log](out, in, line.strides[k], line.extent);
        } else {
            transposes_of(d_.table).turn[log](
                {out, in, inside[along] * size, line.strides[k], rows.extent, line.extent});
        }
    }
    data_[k] = to;
}

// Not inlined, for its memory on the stack.
[[gnu::noinline]] void run_packed(Lines& lines) {
    alignas(64) char memory[(kMostOperands - 1) * kPacked * 16];
    lines.pack(memory);
    lines.run();
}

}  // namespace

std::uint8_t run_direct(Op op, DType compute, std::span<const std::int64_t> shape,
                        std::span<const DirectOperand> operands) {
    std::int64_t n = element_count(shape);
    if (n == 0) return 0;
    const Entry& e = find_entry(op, compute);
    HS_CHECK(operands.size() == e.count, "a direct map has the operands of its row");
    if (shape.size() <= 1) {
        if (e.raises) clear_fp_flags();
        if (run_plain(e, n, operands)) return e.raises ? read_fp_flags() & e.raises : 0;
    }
    Direct d = prepare(e, operands);
    if (d.raises) clear_fp_flags();
    auto stride = [&](int k, std::size_t axis) { return operands[k].strides[axis]; };
    if (n == 1 || is_one_axis(shape, stride, d.count)) {
        char* at[kMostOperands];
        std::int64_t strides[kMostOperands] = {};
        for (int k = 0; k < d.count; ++k) {
            at[k] = operands[k].data;
            if (n > 1) strides[k] = stride(k, shape.size() - 1);
        }
        d.run_line(at, strides, n);
    } else {
        const std::span<const std::int64_t> result(operands[0].strides, shape.size());
        Lines lines(d, coalesce<kMostOperands>(shape, stride_order(result), stride, d.count));
        n <= kPacked ? run_packed(lines) : lines.run();
    }
    return d.raises ? read_fp_flags() & d.raises : 0;
}

}  // namespace hassium
