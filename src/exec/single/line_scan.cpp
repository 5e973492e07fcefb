#include "exec/single/line_scan.hpp"

#include <cstring>

#include "exec/single/long_lines.hpp"

namespace hassium {
namespace {

// Longer lines of associative ops fill whole registers, and do not wait for each operation.
constexpr std::int64_t kRegistersLine = 32;

static_assert(kSumBlock == kScanBlock);

}  // namespace

LineScan::LineScan(Op op, DType compute, const LineShape& line)
    : op_(op),
      compute_(compute),
      line_(line),
      size_(itemsize(compute)),
      any_order_(info(op).has(kAssociative) && !is_inexact(compute)),
      from_{kernels(), line.in, compute},
      to_{kernels(), line.out, compute},
      map_(kernels().map[static_cast<int>(op)][static_cast<int>(compute)]),
      scan_(kernels().scan[static_cast<int>(op)][static_cast<int>(compute)]),
      scans_(kernels().scans[static_cast<int>(op)][static_cast<int>(compute)]),
      chunk_(kernels().chunk[static_cast<int>(op)][static_cast<int>(compute)]),
      blocks_(has_blocks() ? running_sums_of(kernels()).line[static_cast<int>(compute)] : nullptr) {
}

// Scans in order; `running` is the prefix, unless the line begins here.
void LineScan::ordered(const char* source, char* target, std::int64_t n, bool begins,
                       char* running) const {
    LineBuffer loaded, cast, results;
    const std::int64_t most = in_place() ? n : kLineBlock;
    for (std::int64_t done = 0; done < n; done += most) {
        const std::int64_t count = std::min(n - done, most);
        const char* values =
            from_.read(source + done * line_.in_stride, line_.in_stride, count, loaded, cast);
        char* const here = target + done * line_.out_stride;
        char* const sums = writes() ? here : results.bytes;
        std::int64_t skip = 0;
        if (begins && done == 0) {
            std::memcpy(running, values, static_cast<std::size_t>(size_));
            std::memmove(sums, values, static_cast<std::size_t>(size_));
            skip = 1;
        }
        scan_(sums + skip * size_, values + skip * size_, running, count - skip);
        to_.write(here, line_.out_stride, count, sums, loaded);
    }
}

// Combines all n elements, in any order.
void LineScan::fold(const char* source, std::int64_t n, char* total) const {
    LineBuffer loaded, cast;
    const std::int64_t most = reads() ? n : kLineBlock;
    for (std::int64_t done = 0; done < n; done += most) {
        const std::int64_t count = std::min(n - done, most);
        alignas(16) char some[16], unused[16];
        chunk_(some,
               from_.read(source + done * line_.in_stride, line_.in_stride, count, loaded, cast),
               count);
        if (done == 0) {
            std::memcpy(total, some, static_cast<std::size_t>(size_));
        } else {
            scan_(unused, some, total, 1);
        }
    }
}

// Scans a run if any order has the same bits: while other threads have runs too, it publishes the
// next prefix before it scans its own run.
void LineScan::ordered_or_self_overlapping(const char* source, char* target, std::int64_t n,
                                           bool begins, std::int64_t number, Before& before) const {
    if (before.busy.fetch_add(1, std::memory_order_relaxed) == 0) {
        before.wait_for(number);
        ordered(source, target, n, begins, before.value);
        before.publish();
    } else {
        alignas(16) char mine[16], total[16], unused[16];
        fold(source, n, total);
        before.wait_for(number);
        std::memcpy(mine, before.value, 16);
        if (begins) {
            std::memcpy(before.value, total, static_cast<std::size_t>(size_));
        } else {
            scan_(unused, total, before.value, 1);
        }
        before.publish();
        ordered(source, target, n, begins, mine);
    }
    before.busy.fetch_sub(1, std::memory_order_relaxed);
}

// Scans each piece of the n elements by itself.
void LineScan::pieces(const char* values, char* results, std::int64_t n) const {
    const std::int64_t bytes = kScanPiece * size_;
    std::int64_t done = 0;
    for (; blocks_ && done < n; done += kScanPiece) {
        blocks_(results + done * size_, values + done * size_, nullptr,
                std::min(n - done, kScanPiece));
    }
    for (; n - done >= kScanLines * kScanPiece; done += kScanLines * kScanPiece) {
        scans_(results + done * size_, bytes, values + done * size_, bytes, kScanPiece);
    }
    for (; done < n; done += kScanPiece) {
        alignas(16) char running[16];
        const char* from_here = values + done * size_;
        char* to_here = results + done * size_;
        const std::int64_t count = std::min(n - done, kScanPiece);
        std::memcpy(running, from_here, static_cast<std::size_t>(size_));
        std::memcpy(to_here, from_here, static_cast<std::size_t>(size_));
        scan_(to_here + size_, from_here + size_, running, count - 1);
    }
}

// Scans pieces of blocks with the prefix before them; `before` becomes the prefix of the next run.
void LineScan::pieces_in_turn(const char* values, char* results, std::int64_t n, std::int64_t first,
                              char* before) const {
    // Complex sums take longer than their stores.
    const bool stream = line_.stream && writes() && kind(compute_) != DTypeKind::Complex;
    alignas(64) char near[16 * kScanPiece];
    for (std::int64_t done = 0; done < n; done += kScanPiece) {
        const std::int64_t count = std::min(n - done, kScanPiece);
        char* const there = results + done * size_;
        char* const here = stream ? near : there;
        blocks_(here, values + done * size_, first + done > 0 ? before : nullptr, count);
        std::memcpy(before, here + (count - 1) * size_, static_cast<std::size_t>(size_));
        if (stream) stream_line(kernels(), there, here, count * size_);
    }
}

// Computes the prefix of the next run from the pieces' last results; `first` is the index of the
// first element.
void LineScan::combine_pieces(const char* results, std::int64_t n, std::int64_t first,
                              char* before) const {
    for (std::int64_t done = 0; done < n; done += kScanPiece) {
        const char* total = results + (std::min(n, done + kScanPiece) - 1) * size_;
        if (first + done == 0) {
            std::memcpy(before, total, static_cast<std::size_t>(size_));
        } else {
            alignas(16) char unused[16];
            scan_(unused, total, before, 1);
        }
    }
}

// Combines the prefix with each element, piece by piece; `before` becomes the prefix of the next
// run.
void LineScan::finish(char* results, std::int64_t n, std::int64_t first, char* before) const {
    for (std::int64_t done = 0; done < n; done += kScanPiece) {
        const std::int64_t count = std::min(n - done, kScanPiece);
        char* here = results + done * size_;
        if (first + done > 0) {
            char* operands[3] = {here, before, here};
            map_(operands, 1, count);
        }
        std::memcpy(before, here + (count - 1) * size_, static_cast<std::size_t>(size_));
    }
}

void LineScan::run(const char* source, char* target, std::int64_t first, std::int64_t n,
                   std::int64_t number, Before& before, char* scratch) const {
    if (one_piece()) {
        before.wait_for(number);
        ordered(source, target, n, first == 0, before.value);
        return before.publish();
    }
    if (any_order_)
        return ordered_or_self_overlapping(source, target, n, first == 0, number, before);
    const char* values = source;
    LineBuffer loaded, cast;
    if (!reads()) {
        for (std::int64_t done = 0; done < n; done += kLineBlock) {
            const std::int64_t count = std::min(n - done, kLineBlock);
            const char* some =
                from_.read(source + done * line_.in_stride, line_.in_stride, count, loaded, cast);
            std::memcpy(scratch + done * size_, some, static_cast<std::size_t>(count * size_));
        }
        values = scratch;
    }
    char* results = writes() ? target : scratch + n * size_;
    if (blocks_ && before.is_turn_of(number)) {
        pieces_in_turn(values, results, n, first, before.value);
        before.publish();
    } else {
        pieces(values, results, n);
        before.wait_for(number);
        alignas(16) char mine[16], after[16];
        std::memcpy(mine, before.value, 16);
        std::memcpy(after, mine, 16);
        combine_pieces(results, n, first, after);
        std::memcpy(before.value, after, 16);
        before.publish();
        finish(results, n, first, mine);
    }
    if (writes()) return;
    for (std::int64_t done = 0; done < n; done += kLineBlock) {
        const std::int64_t count = std::min(n - done, kLineBlock);
        to_.write(target + done * line_.out_stride, line_.out_stride, count, results + done * size_,
                  loaded);
    }
}

void LineScan::line(const char* source, char* target, char* scratch) const {
    Before before;
    const std::int64_t most = one_piece() || any_order_ ? line_.length : kRun;
    for (std::int64_t first = 0, k = 0; first < line_.length; first += most, ++k) {
        run(source + first * line_.in_stride, target + first * line_.out_stride, first,
            std::min(most, line_.length - first), k, before, scratch);
    }
}

void LineScan::lines(const char* source, std::int64_t source_pitch, char* target,
                     std::int64_t target_pitch, std::int64_t count, char* scratch) const {
    const bool waits = one_piece() && !(any_order_ && line_.length > kRegistersLine);
    if (count == kScanLines && scans_ && waits && in_place()) {
        return scans_(target, target_pitch, source, source_pitch, line_.length);
    }
    for (std::int64_t k = 0; k < count; ++k) {
        line(source + k * source_pitch, target + k * target_pitch, scratch);
    }
}

}  // namespace hassium
