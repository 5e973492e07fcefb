// Accumulations (scans) of lines, whole or in pieces.
//
// A line is cut into pieces of kScanPiece elements (program/scan_tree.hpp). Pieces are scanned
// independently: in blocks, or four at a time, as a single scan in order waits for the latency of
// each operation; then the prefix before a piece is combined with each of its elements. A run of
// pieces is scanned without its prefix, waits for the run before it to publish that, publishes the
// prefix of the next run, and only then finishes its elements, which are still in the cache: one
// pass over memory on any number of threads, with the same bits. A run of blocks whose prefix is
// published when it begins combines it at once. A line of a single piece is combined in order; its
// runs wait before they begin.
//
// Integers and bools have the same bits in any order, and kernels that need no pieces: a run is
// folded while it waits for its prefix, and then scanned once. A thread that runs alone does not
// fold.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "exec/single/moves_common.hpp"
#include "program/scan_tree.hpp"
#include "simd/tables/running_sums.hpp"

namespace hassium {

// The prefix of the next run of a line.
struct Before {
    alignas(16) char value[16];
    std::atomic<std::int64_t> runs{0};  // runs combined so far
    std::atomic<int> busy{0};           // threads that process a run

    bool is_turn_of(std::int64_t run) const { return runs.load(std::memory_order_acquire) == run; }
    void wait_for(std::int64_t run) const {
        for (int spins = 0; !is_turn_of(run); ++spins) {
            if (spins > 256) std::this_thread::yield();
        }
    }
    // Called by the thread whose turn it is. A locked addition would wait for streaming stores.
    void publish() {
        runs.store(runs.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
};

// A run's place in the order: waits for the runs before it, and lets the next one go on in any
// case.
class Turn {
  public:
    Turn(Before& before, std::int64_t run) : before_(before) { before_.wait_for(run); }
    ~Turn() { before_.publish(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Before& before_;
};

// A line in memory: stored dtypes, strides in bytes, elements.
struct LineShape {
    DType in, out;
    std::int64_t in_stride, out_stride, length;
    bool stream = false;  // sums may go past the caches; the caller fences
};

class LineScan {
  public:
    // 128 KiB of float64: small against the second-level cache, large against the cost of waiting.
    static constexpr std::int64_t kRun = 16 * kScanPiece;

    LineScan(Op op, DType compute, const LineShape& line);

    std::int64_t piece() const { return scan_piece(op_, compute_, line_.length); }
    bool one_piece() const { return piece() >= line_.length; }
    // Returns whether the elements of a piece are combined in blocks.
    bool has_blocks() const { return scan_block(op_, compute_, line_.length) > 1; }
    // Returns whether the line needs neither copies nor casts.
    bool in_place() const { return reads() && writes(); }

    // Scans n elements at `source`, from element `first` of the line on (a multiple of kScanPiece),
    // as run `number` of those that `before` orders. `scratch`: scratch_bytes(n).
    void run(const char* source, char* target, std::int64_t first, std::int64_t n,
             std::int64_t number, Before& before, char* scratch) const;
    std::int64_t scratch_bytes(std::int64_t n) const {
        return in_place() || one_piece() || any_order_ ? 0 : 2 * n * size_;
    }

    void line(const char* source, char* target, char* scratch) const;
    std::int64_t line_scratch_bytes() const { return scratch_bytes(std::min(line_.length, kRun)); }
    // At most kScanLines lines at a constant distance. Short ones, if there are kScanLines, run
    // interleaved to hide the latency of their operations.
    void lines(const char* source, std::int64_t source_pitch, char* target,
               std::int64_t target_pitch, std::int64_t count, char* scratch) const;

  private:
    Op op_;
    DType compute_;
    LineShape line_;
    std::int64_t size_;  // bytes of an element of the compute dtype
    bool any_order_;     // any order gives the same bits
    Port from_, to_;
    MapFn map_;
    ScanFn scan_;
    ScansFn scans_;
    ChunkFn chunk_;
    RunningSumFn blocks_;  // null where elements of a piece are combined in order

    bool reads() const { return line_.in == compute_ && line_.in_stride == size_; }
    bool writes() const { return line_.out == compute_ && line_.out_stride == size_; }
    void ordered(const char* source, char* target, std::int64_t n, bool begins,
                 char* running) const;
    void fold(const char* source, std::int64_t n, char* total) const;
    void ordered_or_self_overlapping(const char* source, char* target, std::int64_t n, bool begins,
                                     std::int64_t number, Before& before) const;
    void pieces(const char* values, char* results, std::int64_t n) const;
    void pieces_in_turn(const char* values, char* results, std::int64_t n, std::int64_t first,
                        char* before) const;
    void finish(char* results, std::int64_t n, std::int64_t first, char* before) const;
    void combine_pieces(const char* results, std::int64_t n, std::int64_t first,
                        char* before) const;
};

struct Accumulation {
    Op op;
    DType compute;
    std::size_t axis;
};

// Scans all lines on this thread. `scratch`: line_scratch_bytes() of one of them.
void run_scan_here(const Accumulation& accumulation, const BoundView& out, const BoundView& in,
                   char* scratch);

}  // namespace hassium
