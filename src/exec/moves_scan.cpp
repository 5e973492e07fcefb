// Accumulations along one axis.
//
// A line is cut into pieces of kScanPiece elements (scan_tree.hpp). Pieces are scanned by
// themselves, four at a time, since one alone waits for the latency of each operation; then
// everything before a piece is combined with each of its elements. A few pieces make a group. On
// several threads a group is scanned without knowing what comes before it, waits for the group
// before to say so, says what comes after it, and only then finishes its elements while they are
// still in the cache: one pass over memory, and bits that know nothing of threads.
//
// Where the axis is not the one with the shortest stride, many lines that lie side by side advance
// together: the running values are a contiguous row, and each step is one map kernel over it, or
// one kernel takes them down many rows. Lines of a few elements do so as well, wherever they lie.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "exec/code.hpp"
#include "exec/moves_common.hpp"
#include "program/scan_tree.hpp"

namespace hassium {
namespace {

// Fewer lines side by side than this are faster one after the other, but for one kernel.
constexpr std::int64_t kSideBySide = 8;
// So few elements that lines advance together although their elements lie apart.
constexpr std::int64_t kShortLine = 16;
// Of the rows that one kernel takes together: they stay in the first-level cache.
constexpr std::int64_t kDownBytes = std::int64_t{1} << 14;
// 128 KiB of float64: small against the second-level cache, large against handing over.
constexpr std::int64_t kGroup = 16 * kScanPiece;
// Fewer lines than this are cut among the threads.
constexpr std::int64_t kManyLines = 8;

// What comes before the next group of a line.
struct Before {
    alignas(16) char value[16];
    std::atomic<std::int64_t> groups{0};  // that have been taken into it

    void wait_for(std::int64_t group) const {
        for (int spins = 0; groups.load(std::memory_order_acquire) != group; ++spins) {
            if (spins > 256) std::this_thread::yield();
        }
    }
    void publish() { groups.fetch_add(1, std::memory_order_release); }
};

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

    // Of rows that lie in the dtype they compute in; null where there is none.
    ScanColumnsFn down() const {
        const bool plain = in.dtype == i.compute && out.dtype == i.compute;
        return plain ? table.scan_columns[static_cast<int>(i.op)][static_cast<int>(i.compute)]
                     : nullptr;
    }
    int beside() const;
    std::int64_t piece() const { return scan_piece(i, length()); }
    std::int64_t groups() const { return piece() < length() ? (length() - 1) / kGroup + 1 : 1; }
    void line(const char* source, char* target) const;
    void some_lines(Odometer& walk, std::int64_t count) const;
    void ordered_line(const char* source, char* target) const;
    void group(const char* source, char* target, std::int64_t number, Before& before) const;
    void pieces(const char* values, char* results, std::int64_t n) const;
    void finish(char* results, std::int64_t n, std::int64_t first, char* before) const;
    void rows(const char* source, std::int64_t source_step, char* target, std::int64_t target_step,
              std::int64_t width) const;
    void contiguous_rows(const char* source, char* target, std::int64_t width) const;
};

// The axis whose lines advance together, or -1. Complex products are fused in map kernels where
// NumPy fuses them and plain in its accumulations, so complex lines run one by one.
int Scan::beside() const {
    if (kind(i.compute) == DTypeKind::Complex) return -1;
    int best = axis, longest = -1;
    std::int64_t most = kShortLine;
    for (int k = 0; k < static_cast<int>(in.shape.size()); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto before = static_cast<std::size_t>(best);
        const bool by_kernel = down() && in.strides[at] == compute_bytes() && in.shape[at] > 1 &&
                               out.strides[at] == compute_bytes();
        if ((in.shape[at] >= kSideBySide || by_kernel) &&
            std::abs(in.strides[at]) < std::abs(in.strides[before])) {
            best = k;
        }
        if (k != axis && in.shape[at] > most) {
            longest = k;
            most = in.shape[at];
        }
    }
    if (best != axis) return best;
    return length() < kShortLine ? longest : -1;
}

void Scan::ordered_line(const char* source, char* target) const {
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

// Each piece of the n elements by itself.
void Scan::pieces(const char* values, char* results, std::int64_t n) const {
    ScanFn scan = table.scan[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    ScansFn scans = table.scans[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    const std::int64_t size = compute_bytes(), bytes = kScanPiece * size;
    std::int64_t done = 0;
    for (; n - done >= kScanLines * kScanPiece; done += kScanLines * kScanPiece) {
        scans(results + done * size, bytes, values + done * size, bytes, kScanPiece);
    }
    for (; done < n; done += kScanPiece) {
        alignas(16) char running[16];
        const char* from_here = values + done * size;
        char* to_here = results + done * size;
        const std::int64_t count = std::min(n - done, kScanPiece);
        std::memcpy(running, from_here, static_cast<std::size_t>(size));
        std::memcpy(to_here, from_here, static_cast<std::size_t>(size));
        scan(to_here + size, from_here + size, running, count - 1);
    }
}

// Combines what comes before with each element, piece by piece; `first` is the number of the first
// element. `before` goes on to what comes before the next group.
void Scan::finish(char* results, std::int64_t n, std::int64_t first, char* before) const {
    MapFn map = table.map[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    const std::int64_t size = compute_bytes();
    for (std::int64_t done = 0; done < n; done += kScanPiece) {
        const std::int64_t count = std::min(n - done, kScanPiece);
        char* here = results + done * size;
        if (first + done > 0) {
            char* operands[3] = {here, before, here};
            map(operands, 1, count);
        }
        std::memcpy(before, here + (count - 1) * size, static_cast<std::size_t>(size));
    }
}

void Scan::group(const char* source, char* target, std::int64_t number, Before& before) const {
    ScanFn scan = table.scan[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    const std::int64_t size = compute_bytes(), first = number * kGroup;
    const std::int64_t n = std::min(length() - first, kGroup);
    source += first * in_stride();
    target += first * out_stride();
    const bool reads = in.dtype == i.compute && in_stride() == size;
    const bool writes = out.dtype == i.compute && out_stride() == size;
    char* staged = thread_scratch(2 * kGroup * size);
    const char* values = source;
    LineBuffer loaded, cast;
    if (!reads) {
        for (std::int64_t done = 0; done < n; done += kLineBlock) {
            const std::int64_t count = std::min(n - done, kLineBlock);
            const char* some =
                from.read(source + done * in_stride(), in_stride(), count, loaded, cast);
            std::memcpy(staged + done * size, some, static_cast<std::size_t>(count * size));
        }
        values = staged;
    }
    char* results = writes ? target : staged + kGroup * size;
    pieces(values, results, n);
    before.wait_for(number);
    alignas(16) char mine[16], after[16];
    std::memcpy(mine, before.value, 16);
    std::memcpy(after, mine, 16);
    for (std::int64_t done = 0; done < n; done += kScanPiece) {
        const char* total = results + (std::min(n, done + kScanPiece) - 1) * size;
        if (first + done == 0) {
            std::memcpy(after, total, static_cast<std::size_t>(size));
        } else {
            alignas(16) char unused[16];
            scan(unused, total, after, 1);
        }
    }
    std::memcpy(before.value, after, 16);
    before.publish();
    finish(results, n, first, mine);
    if (writes) return;
    for (std::int64_t done = 0; done < n; done += kLineBlock) {
        const std::int64_t count = std::min(n - done, kLineBlock);
        to.write(target + done * out_stride(), out_stride(), count, results + done * size, loaded);
    }
}

void Scan::line(const char* source, char* target) const {
    if (piece() >= length()) return ordered_line(source, target);
    Before before;
    for (std::int64_t k = 0; k < groups(); ++k) group(source, target, k, before);
}

// At most kScanLines, from where `walk` is. As many as that, if they lie evenly, wait for the
// latency of their operations together.
void Scan::some_lines(Odometer& walk, std::int64_t count) const {
    const char* source[kScanLines];
    char* target[kScanLines];
    for (std::int64_t k = 0; k < count; ++k, walk.next()) {
        source[k] = in.data + walk.at(0);
        target[k] = out.data + walk.at(1);
    }
    const std::int64_t from_pitch = count > 1 ? source[1] - source[0] : 0;
    const std::int64_t to_pitch = count > 1 ? target[1] - target[0] : 0;
    bool together = count == kScanLines && piece() >= length() && in.dtype == i.compute &&
                    out.dtype == i.compute && in_stride() == compute_bytes() &&
                    out_stride() == compute_bytes();
    for (std::int64_t k = 2; k < count && together; ++k) {
        together = source[k] - source[k - 1] == from_pitch && target[k] - target[k - 1] == to_pitch;
    }
    ScansFn scans = table.scans[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    if (together && scans) return scans(target[0], to_pitch, source[0], from_pitch, length());
    for (std::int64_t k = 0; k < count; ++k) line(source[k], target[k]);
}

void Scan::rows(const char* source, std::int64_t source_step, char* target,
                std::int64_t target_step, std::int64_t width) const {
    if (down() && source_step == compute_bytes() && target_step == compute_bytes()) {
        return contiguous_rows(source, target, width);
    }
    MapFn map = table.map[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    LineBuffer loaded, cast, running, before, sums;
    const auto bytes = static_cast<std::size_t>(width * compute_bytes());
    const std::int64_t cut = piece();
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

void Scan::contiguous_rows(const char* source, char* target, std::int64_t width) const {
    MapFn map = table.map[static_cast<int>(i.op)][static_cast<int>(i.compute)];
    LineBuffer running, before;
    const std::int64_t bytes = width * compute_bytes();
    const std::int64_t most = std::max<std::int64_t>(kDownBytes / bytes, 4);
    const std::int64_t cut = piece();
    auto from = [&](std::int64_t k) { return source + k * in_stride(); };
    auto to = [&](std::int64_t k) { return target + k * out_stride(); };
    for (std::int64_t k = 0; k < length();) {
        const std::int64_t end = std::min(k / cut * cut + cut, length());
        const char* const earlier = k < cut ? nullptr : before.bytes;
        if (k % cut == 0) {
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
    if (beside < 0 && lines.count() < kManyLines && scan.groups() > 1) {
        Odometer walk = lines;
        walk.seek(0);
        for (std::int64_t k = 0; k < lines.count(); ++k, walk.next()) {
            Before before;
            auto groups = [&](std::int64_t first, std::int64_t last) {
                for (std::int64_t g = first; g < last; ++g) {
                    scan.group(scan.in.data + walk.at(0), scan.out.data + walk.at(1), g, before);
                }
            };
            spread(scan.groups(), scan.length(), state, groups, true);
        }
        return;
    }
    if (beside < 0) {
        spread(lines.count(), elements, state, [&](std::int64_t first, std::int64_t last) {
            Odometer walk = lines;
            walk.seek(first);
            while (first < last) {
                const std::int64_t count = std::min<std::int64_t>(last - first, kScanLines);
                scan.some_lines(walk, count);
                first += count;
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
