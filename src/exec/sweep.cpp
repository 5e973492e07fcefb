// Two nests as one sweep over memory (plan/sweep.hpp): the second a few rows behind the first, the
// temporary between them a ring.
//
// Code addresses rows by their number, so the ring is a matter of where the base seems to begin: a
// panel of rows runs with a binding whose row r lies where the ring has room for it. Two panels
// take turns; the second nest is never more than one panel behind.
#include <algorithm>
#include <atomic>
#include <optional>

#include "base/error.hpp"
#include "exec/block_memory.hpp"
#include "exec/flags.hpp"
#include "exec/thread_pool.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kPanelBytes = std::int64_t{1} << 15;
constexpr std::int64_t kBandsPerThread = 4;

class SweepRun {
  public:
    SweepRun(const Program& program, const PlannedCode& first, const PlannedCode& second,
             std::span<Binding> bases, RunState& state)
        : sweep_(first.plan->sweep),
          first_(*first.code),
          second_(*second.code),
          constants_(constants_of(program, state)),
          bases_(bases),
          raises_{first.plan->raises != 0, second.plan->raises != 0},
          rows_(first_.outer[0]),
          panel_(std::clamp<std::int64_t>(kPanelBytes / sweep_.row_bytes, 1, rows_)) {
        panel_ = std::max(panel_, sweep_.lag);
        // What has memory was written to before: some rows of it are not all there is.
        rings_ = sweep_.ring != Sweep::kNoRing && !bases[sweep_.ring].data;
        int threads = threads_for(first.plan->seconds + second.plan->seconds);
        std::int64_t least = 2 * sweep_.halo + 4 * panel_;
        bands_ = threads == 1 ? 1 : std::min(kBandsPerThread * threads, rows_ / least);
        bands_ = std::max<std::int64_t>(bands_, 1);
        threads_ = bands_ == 1 ? 1 : threads;
        halo_ = bands_ == 1 ? 0 : sweep_.halo;
        band_bytes_ = ((2 * panel_ + 2 * halo_) * sweep_.row_bytes + 63) / 64 * 64;
    }

    std::int64_t ring_bytes() const { return rings_ ? bands_ * band_bytes_ : 0; }
    // The base that gets no memory of its own.
    std::uint32_t ringed() const { return rings_ ? sweep_.ring : kNoBase; }

    void run(char* ring, char* const* partials) {
        ring_ = ring;
        partials_ = partials;
        if (threads_ > 1) counters().add(Counter::parallel_blocks, 2);
        if (halo_ > 0) parallel_for(bands_, threads_, run_ends, this);
        parallel_for(bands_, threads_, run_band, this);
    }

    std::uint8_t raised(int nest) const { return raised_[nest].load(std::memory_order_relaxed); }

  private:
    const Sweep& sweep_;
    const BlockCode &first_, &second_;
    const Constant* constants_;
    std::span<Binding> bases_;
    bool raises_[2];
    std::int64_t rows_, panel_, bands_ = 1, halo_ = 0, band_bytes_ = 0;
    int threads_ = 1;
    bool rings_ = false;
    char* ring_ = nullptr;
    char* const* partials_ = nullptr;
    std::atomic<std::uint8_t> raised_[2] = {0, 0};

    // One band on one thread, with bindings of its own.
    struct Band {
        SweepRun& run;
        std::int64_t begin, end, low, high;  // rows; [low, high) are those between the ends
        char* memory;
        std::vector<Binding> bases;

        Band(SweepRun& owner, std::int64_t number)
            : run(owner),
              begin(owner.rows_ * number / owner.bands_),
              end(owner.rows_ * (number + 1) / owner.bands_),
              low(begin + owner.halo_),
              high(end - owner.halo_),
              memory(owner.ring_ + number * owner.band_bytes_),
              bases(owner.bases_.begin(), owner.bases_.end()) {}

        // Where the memory of a row is, and the first row after it that does not follow on.
        char* home(std::int64_t row, std::int64_t& until) const {
            const std::int64_t bytes = run.sweep_.row_bytes, panel = run.panel_;
            char* ends = memory + 2 * panel * bytes;
            if (row < low) {
                until = low;
                return ends + (row - begin) * bytes;
            }
            if (row >= high) {
                until = end;
                return ends + (run.halo_ + row - high) * bytes;
            }
            const std::int64_t number = (row - low) / panel;
            until = std::min(high, low + (number + 1) * panel);
            return memory + (number % 2 * panel + (row - low) % panel) * bytes;
        }

        // Rows of the first nest (0) or the second (1).
        void rows(int nest, std::int64_t from, std::int64_t to) {
            if (run.raises_[nest]) clear_fp_flags();
            walk(nest == 0 ? run.first_ : run.second_, from, to);
            if (run.raises_[nest]) {
                run.raised_[nest].fetch_or(read_fp_flags(), std::memory_order_relaxed);
            }
        }

        void walk(const BlockCode& code, std::int64_t from, std::int64_t to) {
            const std::int64_t jobs = code.jobs / run.rows_;
            while (from < to) {
                std::int64_t until = 0;
                char* here = home(from, until);
                until = std::min(until, to);
                if (run.rings_) {
                    bases[run.sweep_.ring].data =
                        here - from * run.sweep_.row_bytes - run.sweep_.offset;
                }
                Launch launch{run.constants_, code, bases, run.partials_};
                run_jobs(launch, from * jobs, until * jobs);
                from = until;
            }
        }
    };

    static void run_ends(void* context, std::int64_t number, int) {
        auto& self = *static_cast<SweepRun*>(context);
        Band band(self, number);
        band.rows(0, band.begin, band.low);
        band.rows(0, band.high, band.end);
    }

    static void run_band(void* context, std::int64_t number, int) {
        auto& self = *static_cast<SweepRun*>(context);
        Band band(self, number);
        std::int64_t done = band.begin;
        for (std::int64_t row = band.low; row < band.high;) {
            std::int64_t next = std::min(row + self.panel_, band.high);
            band.rows(0, row, next);
            std::int64_t ready = next == band.high ? band.end : next - self.sweep_.lag;
            if (ready > done) band.rows(1, done, ready);
            done = std::max(done, ready);
            row = next;
        }
    }
};

struct RingMemory {
    char* data = nullptr;
    std::int64_t bytes = 0;
    ~RingMemory() { memory_pool().release(data, bytes); }
};

}  // namespace

std::uint8_t run_sweep(const Program& program, const PlannedCode& first, const PlannedCode& second,
                       std::span<Binding> bases, RunState& state) {
    const LoopPlan &a = *first.plan, &b = *second.plan;
    FaultCount faults(a.bytes);
    HS_CHECK(first.code->outer.size() > 0 && second.code->outer.size() > 0 &&
                 first.code->outer[0] == second.code->outer[0],
             "nests of a sweep have the same rows");
    SweepRun run(program, first, second, bases, state);
    const std::uint32_t ringed = run.ringed();
    Taken taken = acquire_all(a, bases, ringed), also;
    RingMemory ring;
    std::optional<PartialMemory> partials;
    try {
        also = acquire_all(b, bases, ringed);
        ring.bytes = run.ring_bytes();
        if (ring.bytes > 0) ring.data = memory_pool().acquire(ring.bytes);
        partials.emplace(*first.code, bases);
        std::int64_t scratch = first.code->all_scratch_bytes();
        thread_scratch(std::max(scratch, second.code->all_scratch_bytes()));
    } catch (const std::bad_alloc&) {
        give_back(also, bases);
        give_back(taken, bases);
        throw;
    }
    note_launch(state);
    run.run(ring.data, partials->pointers());
    state.raised |= run.raised(0);
    if (!first.code->reductions.empty()) {
        if (a.raises) clear_fp_flags();
        finish_reductions({constants_of(program, state), *first.code, bases, partials->pointers()});
        if (a.raises) state.raised |= read_fp_flags();
    }
    release_all(a, bases);
    release_all(b, bases);
    counters().add(Counter::blocks, 2);
    counters().add(Counter::sweeps);
    counters().add(Counter::contracted,
                   static_cast<std::int64_t>(a.contracted.size() + b.contracted.size()));
    // A whole temporary is written, but read from the cache.
    std::int64_t ring_traffic = (ringed != kNoBase ? 2 : 1) * a.extents[0] * a.sweep.row_bytes;
    counters().add(Counter::bytes_moved,
                   std::max<std::int64_t>(a.bytes + b.bytes - ring_traffic, 0));
    return run.raised(1);
}

}  // namespace hassium
