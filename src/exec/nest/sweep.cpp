// Several nests as one sweep over memory (plan/sweep/sweep.hpp): each runs some rows behind the
// first, and the temporaries between them are ring buffers.
//
// Code addresses rows by their number, so a ring is bound by a shifted base address: its cells are
// contiguous, and when there is no room for the next ones, live cells move to the front. Each
// thread has its own rings. Rows between two bands read cells of both: these are saved in a seam,
// the cells around the place where the bands meet.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "exec/block_memory.hpp"
#include "exec/flags.hpp"
#include "exec/nest/walker.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kBandsPerThread = 4;
constexpr std::int64_t kPanelsOfBand = 4;
// Capacity of a ring in panels: live cells move once in this many panels.
constexpr std::int64_t kPanelsOfRing = 4;

std::int64_t in_lines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

// One nest of the sweep.
struct Nest {
    const LoopPlan& plan;
    const BlockCode& code;
    std::int64_t rows;
    PartialMemory partials;
    std::atomic<std::uint8_t> raised = 0;

    Nest(const PlannedCode& nest, std::span<Binding> bases)
        : plan(*nest.plan), code(*nest.code), rows(plan.sweep.rows), partials(code, bases) {}
};

// The current place of a ring's cells.
struct Cells {
    char* memory;
    std::int64_t first;   // number of the cell at `memory`
    bool opened = false;  // the cells for the seam before the band are saved
    char* of(std::int64_t cell, std::int64_t bytes) const {
        return memory + (cell - first) * bytes;
    }
};

// The number of bands, and of threads with their own rings.
struct Cut {
    std::int64_t bands;
    int threads;
};

// Returns the rows of a sweep, counted by the first nest.
std::int64_t rows_of(std::span<const PlannedCode> nests) {
    std::int64_t rows = 0;
    for (const PlannedCode& nest : nests) {
        rows = std::max(rows, nest.plan->sweep.rows + nest.plan->sweep.lag);
    }
    return rows;
}

int threads_apart(std::span<const PlannedCode> nests) {
    double seconds = 0;
    for (const PlannedCode& nest : nests) seconds += nest.plan->seconds;
    return threads_for(seconds);
}

bool always_sweeps() { return settings().choice(Setting::sweep) == "on"; }

// Chooses the bands. A band must be at least as long as lag and lead, so that two seams are
// independent, and hold the cells that a seam saves of a ring. It should be long compared with a
// panel, unless that leaves fewer bands than threads.
Cut cut_of(std::span<const PlannedCode> nests, std::span<const SweepRing> rings) {
    const int threads = threads_apart(nests);
    const Sweep& sweep = nests[0].plan->sweep;
    const std::int64_t rows = rows_of(nests) - sweep.head, panel = sweep.panel;
    std::int64_t lag = 0, lead = 0, least = 1;
    for (const PlannedCode& nest : nests) {
        lag = std::max(lag, nest.plan->sweep.lag);
        lead = std::max(lead, nest.plan->sweep.lead);
    }
    least = std::max(least, lag + lead);
    for (const SweepRing& ring : rings) least = std::max(least, ring.back + ring.above);
    const bool always = always_sweeps();
    const std::int64_t wanted = threads > 1 || always ? kBandsPerThread * threads : 1;
    std::int64_t bands = rows / least;
    if (!always) {
        const std::int64_t good = rows / (least + kPanelsOfBand * panel);
        bands = std::min(bands, std::max<std::int64_t>(good, threads));
    }
    bands = std::clamp<std::int64_t>(bands, 1, wanted);
    // Each thread gets the same number.
    if (bands > threads) bands -= bands % threads;
    return {bands, static_cast<int>(std::min<std::int64_t>(threads, bands))};
}

class SweepRun {
  public:
    // All bases but `rings` must have memory.
    SweepRun(const Constant* constants, std::span<const PlannedCode> nests,
             std::span<Binding> bases, std::span<const SweepRing> rings)
        : sweep_(nests[0].plan->sweep),
          constants_(constants),
          bases_(bases),
          rings_(rings),
          rows_(rows_of(nests)),
          cut_(cut_of(nests, rings)) {
        for (const PlannedCode& nest : nests) {
            const Nest& n = nests_[count_++].emplace(nest, bases);
            walkers_.add(n.code);
            HS_CHECK(n.code.jobs % n.rows == 0, "rows of a sweep are whole jobs");
        }
        for (const SweepRing& ring : rings_) {
            ring_bytes_ += in_lines(room(ring) * ring.cell_bytes);
            seam_bytes_ += in_lines((ring.back + ring.above) * ring.cell_bytes);
        }
    }

    // Bytes of rings and seams.
    std::int64_t memory_bytes() const {
        return cut_.threads * ring_bytes_ + (cut_.bands - 1) * seam_bytes_;
    }

    // Bytes per thread.
    std::int64_t scratch_bytes() const { return walkers_.all(); }

    void run(char* memory) {
        memory_ = memory;
        if (cut_.threads > 1) {
            counters().add(Counter::parallel_blocks, static_cast<std::int64_t>(count_));
        }
        if (sweep_.head > 0) Band(*this).go();
        parallel_for(cut_.bands, cut_.threads, run_band, this);
        if (sweep_.head == 0 && cut_.bands > 1)
            parallel_for(cut_.bands - 1, cut_.threads, run_seam, this);
    }

    std::span<std::optional<Nest>> nests() { return {nests_, count_}; }

  private:
    const Sweep& sweep_;
    const Constant* constants_;
    std::span<Binding> bases_;
    std::optional<Nest> nests_[Sweep::kMostNests];
    std::size_t count_ = 0;
    std::span<const SweepRing> rings_;
    std::int64_t rows_;  // counted by the first nest
    Cut cut_;
    std::int64_t ring_bytes_ = 0, seam_bytes_ = 0;  // of all rings
    WalkerBytes walkers_;
    char* memory_ = nullptr;

    std::int64_t room(const SweepRing& ring) const {
        const std::int64_t head = std::max<std::int64_t>(ring.above + ring.lag, 0);
        return ring.back + ring.front + head + kPanelsOfRing * sweep_.panel;
    }

    // Returns the first row of a band, after the head.
    std::int64_t begin(std::int64_t band) const {
        return sweep_.head + (rows_ - sweep_.head) * band / cut_.bands;
    }

    // One nest, panel after panel.
    struct NestWalk {
        Nest& nest;
        std::int64_t jobs;  // of a row
        Launch launch;
        Walker walker;
        NestWalk(const Constant* constants, Nest& of, std::span<const Binding> bases,
                 WalkerRoom& room)
            : nest(of),
              jobs(of.code.jobs / of.rows),
              launch{constants, of.code, bases, of.partials.pointers()},
              walker(launch, room) {}

        // Runs rows [from, to) of the nest, clipped to its extent.
        void rows(std::int64_t from, std::int64_t to) {
            from = std::max<std::int64_t>(from, 0);
            to = std::min(to, nest.rows);
            if (from >= to) return;
            if (nest.plan.raises) clear_fp_flags();
            walker.run(from * jobs, to * jobs);
            if (nest.plan.stream) nest.code.tiles->fence();
            if (nest.plan.raises) {
                nest.raised.fetch_or(read_fp_flags(), std::memory_order_relaxed);
            }
        }
    };

    // One thread's bindings of the bases.
    struct Part {
        SweepRun& run;
        std::vector<Binding> bases;
        std::vector<std::optional<NestWalk>> walks;

        explicit Part(SweepRun& owner)
            : run(owner), bases(owner.bases_.begin(), owner.bases_.end()), walks(owner.count_) {
            WalkerRoom room(owner.walkers_);
            for (std::size_t k = 0; k < walks.size(); ++k) {
                walks[k].emplace(owner.constants_, *owner.nests_[k], bases, room);
            }
        }

        void bind(const SweepRing& ring, const Cells& cells) {
            bases[ring.base].data = cells.of(0, ring.cell_bytes) - ring.offset;
        }
    };

    // The rows of a band that are independent of other bands.
    struct Band : Part {
        std::int64_t begin, end;
        bool first, last;
        std::int64_t number;
        SmallVec<Cells, 8> cells;

        Band(SweepRun& owner, std::int64_t band, int worker)
            : Part(owner),
              begin(owner.begin(band)),
              end(owner.begin(band + 1)),
              first(band == 0 && owner.sweep_.head == 0),
              last(band + 1 == owner.cut_.bands),
              number(band) {
            char* at = owner.memory_ + worker * owner.ring_bytes_;
            for (const SweepRing& ring : owner.rings_) {
                cells.push_back({at, begin - ring.back});
                bind(ring, cells.back());
                at += in_lines(owner.room(ring) * ring.cell_bytes);
            }
        }

        // The head, which runs before all bands.
        explicit Band(SweepRun& owner)
            : Part(owner), begin(0), end(owner.sweep_.head), first(true), last(true), number(0) {}

        void go() {
            for (std::int64_t row = begin; row < end; row += run.sweep_.panel) {
                const std::int64_t until = std::min(row + run.sweep_.panel, end);
                make_room(row, until);
                for (std::optional<NestWalk>& walk : walks) {
                    const Sweep& s = walk->nest.plan.sweep;
                    const std::int64_t least = first ? 0 : begin + s.lead;
                    walk->rows(std::max(row - s.lag, least), until - s.lag);
                }
            }
            for (std::size_t k = 0; k < cells.size(); ++k) {
                open(k);
                close(k);
            }
        }

        // Makes room in the rings for the cells that rows up to `until` touch.
        void make_room(std::int64_t row, std::int64_t until) {
            for (std::size_t k = 0; k < cells.size(); ++k) {
                const SweepRing& ring = run.rings_[k];
                if (until + ring.front <= cells[k].first + run.room(ring)) continue;
                open(k);
                const std::int64_t wanted = row - ring.back;
                std::memmove(cells[k].memory, cells[k].of(wanted, ring.cell_bytes),
                             static_cast<std::size_t>((ring.back + ring.front) * ring.cell_bytes));
                cells[k].first = wanted;
                bind(ring, cells[k]);
            }
        }

        // Save the cells that the seams need: the first ones of the band, the last ones.
        void open(std::size_t k) {
            if (first || std::exchange(cells[k].opened, true)) return;
            const SweepRing& ring = run.rings_[k];
            keep(k, run.seam(number, k), begin + ring.lead, begin + ring.above);
        }
        void close(std::size_t k) {
            if (last) return;
            const SweepRing& ring = run.rings_[k];
            keep(k, run.seam(number + 1, k), end - ring.back, end - ring.lag);
        }
        void keep(std::size_t k, const Cells& seam, std::int64_t from, std::int64_t to) {
            if (from >= to) return;
            const std::int64_t bytes = run.rings_[k].cell_bytes;
            std::memcpy(seam.of(from, bytes), cells[k].of(from, bytes),
                        static_cast<std::size_t>((to - from) * bytes));
        }
    };

    // Returns the cells of a ring around the beginning of a band.
    Cells seam(std::int64_t band, std::size_t ring) const {
        char* at = memory_ + cut_.threads * ring_bytes_ + (band - 1) * seam_bytes_;
        for (std::size_t k = 0; k < ring; ++k) {
            at += in_lines((rings_[k].back + rings_[k].above) * rings_[k].cell_bytes);
        }
        return {at, begin(band) - rings_[ring].back};
    }

    static void run_band(void* context, std::int64_t band, int worker) {
        Band(*static_cast<SweepRun*>(context), band, worker).go();
    }

    static void run_seam(void* context, std::int64_t number, int) {
        auto& self = *static_cast<SweepRun*>(context);
        Part part(self);
        for (std::size_t k = 0; k < self.rings_.size(); ++k) {
            part.bind(self.rings_[k], self.seam(number + 1, k));
        }
        const std::int64_t row = self.begin(number + 1);
        for (std::optional<NestWalk>& walk : part.walks) {
            const Sweep& s = walk->nest.plan.sweep;
            walk->rows(row - s.lag, row + s.lead);
        }
    }
};

struct RingMemory {
    char* data = nullptr;
    std::int64_t bytes = 0;
    ~RingMemory() { memory_pool().release(data, bytes); }
};

// Combines the partials of a nest.
void finish(Nest& nest, const Constant* constants, std::span<Binding> bases) {
    if (nest.code.reductions.empty()) return;
    if (nest.plan.raises) clear_fp_flags();
    finish_reductions({constants, nest.code, bases, nest.partials.pointers()});
    if (nest.plan.raises) nest.raised |= read_fp_flags();
}

}  // namespace

bool sweeps_on_all_threads(std::span<const PlannedCode> nests) {
    if (always_sweeps()) return true;
    return cut_of(nests, nests[0].plan->sweep.rings).threads == threads_apart(nests);
}

void run_sweep(const Program& program, std::span<const PlannedCode> nests, std::span<Binding> bases,
               RunState& state, std::span<std::uint8_t> raised) {
    std::int64_t bytes = -nests[0].plan->sweep.spared;
    for (const PlannedCode& nest : nests) bytes += nest.plan->bytes;
    SmallVec<SweepRing, 8> rings;
    SmallVec<std::uint32_t, 8> ringed;
    for (const SweepRing& ring : nests[0].plan->sweep.rings) {
        // A base with memory was written before: it has other rows than those in a ring.
        if (bases[ring.base].data) continue;
        rings.push_back(ring);
        ringed.push_back(ring.base);
    }
    const Constant* constants = constants_of(program, state);
    Taken taken;
    RingMemory memory;
    std::optional<SweepRun> run;
    try {
        for (const PlannedCode& nest : nests) {
            for (std::uint32_t base : acquire_all(*nest.plan, bases, ringed)) taken.push_back(base);
        }
        run.emplace(constants, nests, bases, rings);
        memory.bytes = run->memory_bytes();
        if (memory.bytes > 0) memory.data = memory_pool().acquire(memory.bytes);
        thread_scratch(run->scratch_bytes());
    } catch (const std::bad_alloc&) {
        memory.bytes = memory.data ? memory.bytes : 0;
        give_back(taken, bases);
        throw;
    }
    note_launch(state);
    run->run(memory.data);
    for (std::size_t k = 0; k < nests.size(); ++k) {
        Nest& nest = *run->nests()[k];
        finish(nest, constants, bases);
        raised[k] = nest.raised;
    }
    for (const PlannedCode& nest : nests) {
        counters().add(Counter::contracted,
                       static_cast<std::int64_t>(nest.plan->contracted.size()));
    }
    counters().add(Counter::blocks, static_cast<std::int64_t>(nests.size()));
    counters().add(Counter::sweeps);
    counters().add(Counter::bytes_moved, std::max<std::int64_t>(bytes, 0));
}

}  // namespace hassium
