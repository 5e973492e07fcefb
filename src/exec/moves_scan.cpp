// Accumulations along one axis: every line in order, as NumPy does, so the bits are NumPy's.
//
// Where the axis is not the one with the shortest stride, many lines that lie side by side advance
// together: the running values are a contiguous row, and each step is one map kernel over it.
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "exec/moves_common.hpp"

namespace hassium {
namespace {

// Fewer lines side by side than this are faster one after the other.
constexpr std::int64_t kSideBySide = 8;

struct Scan {
    const Instruction& i;
    const BoundView& out;
    const BoundView& in;
    const KernelTable& table;
    int axis;
    Port from, to;

    Scan(const Instruction& instruction, std::span<const BoundView> operands)
        : i(instruction),
          out(operands[0]),
          in(operands[1]),
          table(kernels()),
          axis(std::countr_zero(instruction.axes)),
          from{table, in.dtype, instruction.compute},
          to{table, out.dtype, instruction.compute} {}

    std::int64_t length() const { return in.shape[static_cast<std::size_t>(axis)]; }
    std::int64_t in_stride() const { return in.strides[static_cast<std::size_t>(axis)]; }
    std::int64_t out_stride() const { return out.strides[static_cast<std::size_t>(axis)]; }
    std::int64_t compute_bytes() const { return itemsize(i.compute); }

    int beside() const;
    void line(const char* source, char* target) const;
    void rows(const char* source, std::int64_t source_step, char* target, std::int64_t target_step,
              std::int64_t width) const;
};

// The axis whose lines advance together, or -1. Complex products are fused in map kernels where
// NumPy fuses them and plain in its accumulations, so complex lines run one by one.
int Scan::beside() const {
    if (kind(i.compute) == DTypeKind::Complex) return -1;
    int best = axis;
    for (int k = 0; k < static_cast<int>(in.shape.size()); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto before = static_cast<std::size_t>(best);
        if (in.shape[at] >= kSideBySide &&
            std::abs(in.strides[at]) < std::abs(in.strides[before])) {
            best = k;
        }
    }
    return best == axis ? -1 : best;
}

void Scan::line(const char* source, char* target) const {
    ScanFn scan = table.scan[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    LineBuffer loaded, cast, results;
    alignas(16) char running[16];
    std::int64_t done = 0;
    for (std::int64_t n = length(); done < n; done += kLineBlock) {
        const std::int64_t count = n - done < kLineBlock ? n - done : kLineBlock;
        const char* values =
            from.read(source + done * in_stride(), in_stride(), count, loaded, cast);
        std::int64_t first = 0;
        if (done == 0) {
            std::memcpy(running, values, static_cast<std::size_t>(compute_bytes()));
            std::memcpy(results.bytes, values, static_cast<std::size_t>(compute_bytes()));
            first = 1;
        }
        const std::int64_t skip = first * compute_bytes();
        scan(results.bytes + skip, values + skip, running, count - first);
        to.write(target + done * out_stride(), out_stride(), count, results.bytes, loaded);
    }
}

void Scan::rows(const char* source, std::int64_t source_step, char* target,
                std::int64_t target_step, std::int64_t width) const {
    MapFn map = table.map[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    LineBuffer loaded, cast, running;
    const char* values = from.read(source, source_step, width, loaded, cast);
    std::memcpy(running.bytes, values, static_cast<std::size_t>(width * compute_bytes()));
    to.write(target, target_step, width, running.bytes, cast);
    for (std::int64_t k = 1; k < length(); ++k) {
        values = from.read(source + k * in_stride(), source_step, width, loaded, cast);
        char* operands[3] = {running.bytes, running.bytes, const_cast<char*>(values)};
        map(operands, 0, width);
        to.write(target + k * out_stride(), target_step, width, running.bytes, cast);
    }
}

}  // namespace

void run_scan(const Instruction& i, std::span<const BoundView> operands, RunState& state) {
    const Scan scan(i, operands);
    HS_CHECK(scan.table.scan[static_cast<int>(i.op)][static_cast<int>(i.compute)],
             "an accumulated row has a scan kernel in its dtype");
    std::int64_t elements = 1;
    for (std::int64_t n : scan.in.shape) elements *= n;
    if (elements == 0) return;
    const int beside = scan.beside();
    Odometer lines;
    for (int k = 0; k < static_cast<int>(scan.in.shape.size()); ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (k == scan.axis || k == beside) continue;
        lines.axis(scan.in.shape[at], scan.in.strides[at], scan.out.strides[at]);
    }
    if (beside < 0) {
        spread(lines.count(), elements, state, [&](std::int64_t first, std::int64_t last) {
            Odometer walk = lines;
            walk.seek(first);
            for (std::int64_t k = first; k < last; ++k, walk.next()) {
                scan.line(scan.in.data + walk.at(0), scan.out.data + walk.at(1));
            }
        });
        return;
    }
    const auto at = static_cast<std::size_t>(beside);
    const std::int64_t width = scan.in.shape[at];
    const std::int64_t source_step = scan.in.strides[at];
    const std::int64_t target_step = scan.out.strides[at];
    const std::int64_t parts = (width + kLineBlock - 1) / kLineBlock;
    spread(lines.count() * parts, elements, state, [&](std::int64_t first, std::int64_t last) {
        Odometer walk = lines;
        for (std::int64_t k = first; k < last; ++k) {
            const std::int64_t begin = k % parts * kLineBlock;
            walk.seek(k / parts);
            scan.rows(scan.in.data + walk.at(0) + begin * source_step, source_step,
                      scan.out.data + walk.at(1) + begin * target_step, target_step,
                      width - begin < kLineBlock ? width - begin : kLineBlock);
        }
    });
}

}  // namespace hassium
