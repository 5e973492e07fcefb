// Accumulations along one axis, as blocks of their own.
//
// Lines run one by one or a few together (exec/single/line_scan.hpp); a few long ones are cut among
// the threads. If another axis has a shorter stride, many adjacent lines advance together: the
// running values are a contiguous row, and each step is one map kernel over it, or one kernel call
// does many rows. Lines of a few elements advance together at any stride.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "exec/compile/code.hpp"
#include "exec/single/line_scan.hpp"
#include "simd/tables/tiles.hpp"

namespace hassium {
namespace {

// Fewer adjacent lines are faster one after the other, unless there is a kernel for rows.
constexpr std::int64_t kSideBySide = 8;
// Shorter lines advance together even if their elements are strided. The second bound is for lines
// without copy or cast, of elements of at least four bytes.
constexpr std::int64_t kShortLine = 16;
constexpr std::int64_t kShortPlainLine = 7;
// Bytes of the rows of one kernel call, which stay in the first-level cache.
constexpr std::int64_t kDownBytes = std::int64_t{1} << 14;
// Fewer lines than this are cut among the threads.
constexpr std::int64_t kManyLines = 8;

struct Scan {
    Op op;
    DType compute;
    std::size_t axis;
    const BoundView &out, &in;
    const KernelTable& table;
    Port from, to;
    LineScan one;
    // The other axes, of input and output, in the order of the shape.
    Axes<2> across;

    Scan(const Accumulation& a, const BoundView& result, const BoundView& input)
        : op(a.op),
          compute(a.compute),
          axis(a.axis),
          out(result),
          in(input),
          table(kernels()),
          from{table, in.dtype, compute},
          to{table, out.dtype, compute},
          one(op, compute, {in.dtype, out.dtype, in_stride(), out_stride(), length()}) {
        for (std::size_t k = 0; k < in.shape.size(); ++k) {
            if (k == axis) continue;
            across.append(in.shape[k],
                          [&](int o) { return (o == 0 ? in.strides : out.strides)[k]; });
        }
    }

    std::int64_t length() const { return in.shape[axis]; }
    std::int64_t in_stride() const { return in.strides[axis]; }
    std::int64_t out_stride() const { return out.strides[axis]; }
    std::int64_t compute_bytes() const { return itemsize(compute); }

    // Returns the kernel for rows stored in the compute dtype; null if there is none.
    ScanColumnsFn down() const {
        const bool plain = in.dtype == compute && out.dtype == compute;
        if (plain && one.has_blocks()) return blocks();
        return plain ? table.scan_columns[static_cast<int>(op)][static_cast<int>(compute)]
                     : nullptr;
    }
    // The same for blocks of rows.
    ScanColumnsFn blocks() const {
        return running_sums_of(table).columns[static_cast<int>(compute)];
    }
    int beside() const;
    std::int64_t runs() const { return one.one_piece() ? 1 : (length() - 1) / LineScan::kRun + 1; }
    void some_lines(Odometer& walk, std::int64_t count, char* scratch) const;
    void cut_line(const char* source, char* target, bool stream, RunState& state) const;
    void rows(const char* source, std::int64_t source_step, char* target, std::int64_t target_step,
              std::int64_t width) const;
    void rows_of_blocks(const char* source, std::int64_t source_step, char* target,
                        std::int64_t target_step, std::int64_t width) const;
    void contiguous_rows(const char* source, char* target, std::int64_t width) const;
};

// Returns the index in `across` of the axis whose lines advance together, or -1. Complex products
// are fused in map kernels, as in NumPy's maps, but not in its accumulations, so complex lines
// advance by the kernel for rows or run one by one.
int Scan::beside() const {
    const bool by_maps = kind(compute) != DTypeKind::Complex;
    int best = -1, longest = -1;
    std::int64_t least = std::abs(in_stride()), most = kShortLine;
    for (std::size_t k = 0; k < across.size(); ++k) {
        const auto& [extent, strides] = across[k];
        const std::int64_t from = std::abs(strides[0]), bytes = compute_bytes();
        const bool by_kernel = down() && strides[0] == bytes && strides[1] == bytes;
        if (((by_maps && extent >= kSideBySide) || by_kernel) && from < least) {
            best = static_cast<int>(k);
            least = from;
        }
        if (by_maps && extent > most) {
            longest = static_cast<int>(k);
            most = extent;
        }
    }
    if (best >= 0) return best;
    const bool plain = one.in_place() && compute_bytes() >= 4;
    return length() < (plain ? kShortPlainLine : kShortLine) ? longest : -1;
}

// Scans at most kScanLines lines, from the position of `walk` on.
void Scan::some_lines(Odometer& walk, std::int64_t count, char* scratch) const {
    const char* source[kScanLines];
    char* target[kScanLines];
    for (std::int64_t k = 0; k < count; ++k, walk.next()) {
        source[k] = in.data + walk.at(0);
        target[k] = out.data + walk.at(1);
    }
    const std::int64_t from_pitch = count > 1 ? source[1] - source[0] : 0;
    const std::int64_t to_pitch = count > 1 ? target[1] - target[0] : 0;
    bool evenly = true;
    for (std::int64_t k = 2; k < count && evenly; ++k) {
        evenly = source[k] - source[k - 1] == from_pitch && target[k] - target[k - 1] == to_pitch;
    }
    if (evenly) return one.lines(source[0], from_pitch, target[0], to_pitch, count, scratch);
    for (std::int64_t k = 0; k < count; ++k) one.line(source[k], target[k], scratch);
}

// Scans a line run by run, on several threads. `stream`: past the caches, where a run's turn has
// come.
void Scan::cut_line(const char* source, char* target, bool stream, RunState& state) const {
    const LineScan line(op, compute,
                        {in.dtype, out.dtype, in_stride(), out_stride(), length(), stream});
    Before before;
    auto some = [&](std::int64_t first, std::int64_t last) {
        char* scratch = thread_scratch(line.line_scratch_bytes());
        for (std::int64_t run = first; run < last; ++run) {
            const std::int64_t begin = run * LineScan::kRun;
            const std::int64_t n = std::min(length() - begin, LineScan::kRun);
            line.run(source + begin * in_stride(), target + begin * out_stride(), begin, n, run,
                     before, scratch);
        }
        if (stream) tiles_of(table).fence();
    };
    spread(runs(), length(), state, some, true);
}

void Scan::rows(const char* source, std::int64_t source_step, char* target,
                std::int64_t target_step, std::int64_t width) const {
    if (down() && source_step == compute_bytes() && target_step == compute_bytes()) {
        return contiguous_rows(source, target, width);
    }
    if (one.has_blocks()) {
        return rows_of_blocks(source, source_step, target, target_step, width);
    }
    MapFn map = table.map[static_cast<int>(op)][static_cast<int>(compute)];
    LineBuffer loaded, cast, running, before, sums;
    const auto bytes = static_cast<std::size_t>(width * compute_bytes());
    const std::int64_t cut = one.piece();
    for (std::int64_t k = 0; k < length(); ++k) {
        const char* values = from.read(source + k * in_stride(), source_step, width, loaded, cast);
        if (k % cut == 0) {
            std::memcpy(running.bytes, values, bytes);
        } else {
            char* operands[3] = {running.bytes, running.bytes, const_cast<char*>(values)};
            map(operands, 0, width);
        }
        char* result = running.bytes;
        if (k >= cut) {
            result = sums.bytes;
            char* operands[3] = {result, before.bytes, running.bytes};
            map(operands, 0, width);
        }
        if (k % cut == cut - 1) std::memcpy(before.bytes, result, bytes);
        to.write(target + k * out_stride(), target_step, width, result, cast);
    }
}

// Fills the sums before the first block of a piece: adding a negative zero changes no number.
void fill_negative_zeros(DType dtype, char* at, std::int64_t n) {
    const std::int64_t parts = kind(dtype) == DTypeKind::Complex ? 2 * n : n;
    if (itemsize(dtype) * n == 4 * parts) {
        std::fill_n(reinterpret_cast<float*>(at), parts, -0.0F);
    } else {
        std::fill_n(reinterpret_cast<double*>(at), parts, -0.0);
    }
}

void Scan::rows_of_blocks(const char* source, std::int64_t source_step, char* target,
                          std::int64_t target_step, std::int64_t width) const {
    LineBuffer loaded, cast, running, before, rows[kScanBlock];
    const auto bytes = static_cast<std::size_t>(width * compute_bytes());
    const std::int64_t cut = one.piece(), pitch = sizeof(LineBuffer);
    for (std::int64_t k = 0; k < length(); k += kScanBlock) {
        const std::int64_t count = std::min(length() - k, kScanBlock);
        for (std::int64_t j = 0; j < count; ++j) {
            const char* from_here = source + (k + j) * in_stride();
            std::memcpy(rows[j].bytes, from.read(from_here, source_step, width, loaded, cast),
                        bytes);
        }
        if (k % cut == 0) fill_negative_zeros(compute, running.bytes, width);
        blocks()(rows[0].bytes, pitch, running.bytes, k < cut ? nullptr : before.bytes,
                 {rows[0].bytes, pitch, width, count});
        for (std::int64_t j = 0; j < count; ++j) {
            to.write(target + (k + j) * out_stride(), target_step, width, rows[j].bytes, cast);
        }
        if ((k + count) % cut == 0) std::memcpy(before.bytes, rows[count - 1].bytes, bytes);
    }
}

void Scan::contiguous_rows(const char* source, char* target, std::int64_t width) const {
    MapFn map = table.map[static_cast<int>(op)][static_cast<int>(compute)];
    LineBuffer running, before;
    const std::int64_t bytes = width * compute_bytes();
    const std::int64_t cut = one.piece();
    std::int64_t most = std::max<std::int64_t>(kDownBytes / bytes, 4);
    if (one.has_blocks()) most = (most + kScanBlock - 1) / kScanBlock * kScanBlock;
    auto from = [&](std::int64_t k) { return source + k * in_stride(); };
    auto to = [&](std::int64_t k) { return target + k * out_stride(); };
    for (std::int64_t k = 0; k < length();) {
        const std::int64_t end = std::min(k / cut * cut + cut, length());
        const char* const earlier = k < cut ? nullptr : before.bytes;
        if (one.has_blocks()) {
            if (k % cut == 0) fill_negative_zeros(compute, running.bytes, width);
        } else if (k % cut == 0) {
            std::memcpy(running.bytes, from(k), static_cast<std::size_t>(bytes));
            char* operands[3] = {to(k), before.bytes, running.bytes};
            if (earlier) {
                map(operands, 0, width);
            } else {
                std::memcpy(to(k), running.bytes, static_cast<std::size_t>(bytes));
            }
            ++k;
        }
        const std::int64_t count = std::min(end - k, most);
        down()(to(k), out_stride(), running.bytes, earlier, {from(k), in_stride(), width, count});
        k += count;
        if (k == end) std::memcpy(before.bytes, to(k - 1), static_cast<std::size_t>(bytes));
    }
}

// Jobs for threads: lines, or parts of the lines that advance together.
class ScanJobs {
  public:
    explicit ScanJobs(const Scan& scan) : scan_(scan), beside_(scan.beside()) {
        for (std::size_t k = 0; k < scan.across.size(); ++k) {
            const auto& [extent, strides] = scan.across[k];
            if (static_cast<int>(k) != beside_) {
                lines_.axis(extent, strides[0], strides[1]);
                continue;
            }
            width_ = extent;
            source_step_ = strides[0];
            target_step_ = strides[1];
        }
        parts_ = (width_ + kLineBlock - 1) / kLineBlock;
    }

    const Odometer& lines() const { return lines_; }
    bool one_by_one() const { return beside_ < 0; }
    std::int64_t count() const { return lines_.count() * parts_; }

    void run(std::int64_t first, std::int64_t last, char* scratch) const {
        one_by_one() ? run_lines(first, last, scratch) : run_parts(first, last);
    }

  private:
    const Scan& scan_;
    int beside_;
    Odometer lines_;
    std::int64_t width_ = 1, source_step_ = 0, target_step_ = 0, parts_ = 1;

    void run_lines(std::int64_t first, std::int64_t last, char* scratch) const {
        Odometer walk = lines_;
        walk.seek(first);
        while (first < last) {
            const std::int64_t count = std::min<std::int64_t>(last - first, kScanLines);
            scan_.some_lines(walk, count, scratch);
            first += count;
        }
    }
    void run_parts(std::int64_t first, std::int64_t last) const {
        Odometer walk = lines_;
        for (std::int64_t k = first; k < last; ++k) {
            const std::int64_t begin = k % parts_ * kLineBlock;
            walk.seek(k / parts_);
            scan_.rows(scan_.in.data + walk.at(0) + begin * source_step_, source_step_,
                       scan_.out.data + walk.at(1) + begin * target_step_, target_step_,
                       std::min(width_ - begin, kLineBlock));
        }
    }
};

}  // namespace

void run_scan(const Instruction& i, std::span<const BoundView> operands, bool stream,
              RunState& state) {
    const auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    const Scan scan({i.op, i.compute, axis}, operands[0], operands[1]);
    HS_CHECK(scan.table.scan[static_cast<int>(i.op)][static_cast<int>(i.compute)],
             "an accumulated row has a scan kernel in its dtype");
    const std::int64_t elements = element_count(scan.in.shape);
    if (elements == 0) return;
    const ScanJobs jobs(scan);
    if (jobs.one_by_one() && jobs.count() < kManyLines && scan.runs() > 1) {
        Odometer walk = jobs.lines();
        walk.seek(0);
        for (std::int64_t k = 0; k < jobs.count(); ++k, walk.next()) {
            scan.cut_line(scan.in.data + walk.at(0), scan.out.data + walk.at(1), stream, state);
        }
        return;
    }
    spread(jobs.count(), elements, state, [&](std::int64_t first, std::int64_t last) {
        jobs.run(first, last, thread_scratch(scan.one.line_scratch_bytes()));
    });
}

void run_scan_here(const Accumulation& a, const BoundView& out, const BoundView& in,
                   char* scratch) {
    const Scan scan(a, out, in);
    const ScanJobs jobs(scan);
    jobs.run(0, jobs.count(), scratch);
}

}  // namespace hassium
