// The pending bytecode of one Python thread. Appended to under the host's lock.
//
// The queue records no `del`: a base notes that it died, and take() marks it in the program
// (deaths.hpp inserts the `del` after its last use). So a prefix that is run includes the deaths
// that happened after the cut. The merge cache's key is hashed while recording: every instruction
// has the hash of the program up to and including it. A loop mostly records what it recorded
// before; then instructions are compared with the known program instead of hashed.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "program/program.hpp"
#include "record/base.hpp"
#include "record/flush_scheduler.hpp"
#include "record/lazy_element_reads.hpp"
#include "record/recording_backoff.hpp"

namespace hassium {

// One input of a request: a view, or a constant when `view` is null.
struct Input {
    const View* view = nullptr;
    DType dtype = DType::F64;
    Constant value = {};
};

// One operation to record. For maps, outputs have the iteration shape and inputs broadcast to it;
// for a reduction `in[0]` has the iteration shape and the output the kept axes.
struct Request {
    // Sets only the fields with defaults: zeroing the whole struct takes longer than many
    // operations.
    Request() {}
    explicit Request(Op row) : op(row) {}

    Op op;
    Method method = Method::Call;
    DType compute = DType::F64;
    std::uint8_t nout = 1;
    std::uint8_t nin = 0;
    const View* out[2] = {};
    Input in[3];
    const View* mask = nullptr;
    std::uint64_t axes = 0;
    ErrState errstate = {};
    StepOf step_of = StepOf::Itself;
    bool of_numbers = false;  // see Origin
    bool at_call = false;     // the caller needs the result now: waiting gains nothing
};

// The recorded program of an earlier job, and its hash. The spans live as long as `owner`;
// `operands` and `geometry` may have further entries at the end.
struct KnownProgram {
    std::shared_ptr<const void> owner;
    std::span<const Instruction> instructions;
    std::span<const Operand> operands;
    std::span<const std::int64_t> geometry;
    std::span<const BaseInfo> bases;
    std::uint64_t hash = 0;
};

// Input of one flush: a program as recorded, without dels, and its bases.
struct Job {
    Program program;
    std::vector<Base*> bases;
    std::vector<Binding> bindings;  // of the bases, before the run
    bool lacks_memory = false;      // some base is read that was never written
    std::uint64_t hash = 0;         // of structure and geometry
    // Set if the program equals the known one that the queue expected.
    std::shared_ptr<const void> known = nullptr;
};

// Estimated cost of a job.
struct Work {
    double seconds = 0;  // on one thread
    std::int64_t blocks = 0;
    double shareable = 0;         // part that threads can share, minus the cost of sharing
    double library_threads = 0;   // part that other libraries run on threads of their own
    std::int64_t most_bytes = 0;  // most bytes moved by one block
};

// Statistics of the automatic flushes between two waits.
struct Overlap {
    double seconds = 0;   // on one thread
    double gainable = 0;  // of these, as many as recording took
    double each = 0;      // most seconds per instruction of any of the flushes
};

class Queue : public std::enable_shared_from_this<Queue> {
  public:
    Queue();

    // Appends a request. The caller has applied the overlap rule; nothing else is checked.
    void append(const Request& request, const Origin& origin);
    // Appends a sync of `view`; the flush keeps only synced views of a base that outlives it.
    void append_sync(const View& view);
    // Calls visit(base) for each live base of at least `least_bytes` without memory.
    template <class Visit>
    void each_new(std::int64_t least_bytes, Visit visit) const {
        if (largest_new_ < least_bytes) return;
        for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
            const BaseInfo& known = pending_.bases[slot];
            if (known.bytes >= least_bytes && !known.input && !known.dies) {
                visit(*entries_[slot].base);
            }
        }
    }
    std::size_t size() const { return pending_.instructions.size(); }
    bool empty() const { return pending_.instructions.empty(); }
    // Returns whether any pending instruction may warn.
    bool may_report() const {
        return std::ranges::any_of(pending_.origins, [](const Origin& o) { return o.reports; });
    }
    bool holds(const Base& base) const { return base.owner == this && base.epoch == epoch_; }

    // Takes the first `count` instructions; their bases become in-flight and the rest stays
    // pending. A flush for the value of `wanted` also leaves generators of other arrays pending:
    // the job generates their elements without storing them (job.cpp).
    Job take(std::size_t count, const Base* wanted = nullptr);
    // Reuses the memory of a finished job for the next.
    void recycle(Job&& job);
    // Puts the unfinished instructions of a failed job back in front. `done` marks the finished
    // ones, `lacking` those whose results could not be allocated; it may be empty.
    void restore(Job&& job, const std::vector<bool>& done, const std::vector<bool>& lacking);
    // Moves instructions whose allocation failed behind the others, with all that depend on them,
    // except those that `wanted` needs (deferred_allocations.cpp). Returns how many of the first
    // `count` are left to run.
    std::size_t defer_failed(std::size_t count, const Base* wanted);
    // Moves instructions that `wanted` does not need behind the others. Returns how many it needs.
    std::size_t bring_forward(const Base* wanted);
    // Returns how many instructions have failed to allocate so far.
    std::size_t found_lacking() const { return found_lacking_; }
    // Returns the largest output of those; null if there are none.
    const Operand* largest_lacking() const;
    const Program& pending() const { return pending_; }
    // Returns whether only deferred instructions are pending.
    bool idle() const { return idle_ == size(); }
    // Returns where an automatic flush may cut, see cut.cpp; 0: not yet.
    std::size_t automatic_cut(std::size_t limit);
    // Returns how many instructions an automatic flush should run now; 0: none yet.
    std::size_t due(std::size_t limit) {
        const std::size_t fresh = size() - idle_;
        if (fresh == 0) return 0;
        if (const std::size_t unit = scheduler.unit_due()) return unit;
        return scheduler.early(size(), fresh, limit, backoff.trying()) ? 0 : look_for_cut(limit);
    }
    std::vector<std::int64_t> live_bytes() const;
    // Releases a base that a finished job had, or does not need.
    void let_go(Base* base) {
        base->in_flight = false;
        if (holds(*base)) return;
        base->owner = nullptr;
        if (base->dead) destroy_base(base);
    }
    // Called when a base of this queue lost its last view.
    void mark_dead(Base* base);
    // Sets the program that the next job may be. Recorded instructions are compared with it while
    // they are in cache; nothing is hashed as long as they match.
    void expect(KnownProgram known);
    std::int64_t dead_bytes() const { return dead_bytes_; }

    // How many of the last instructions were recorded only because their operands were pending.
    int pending_small = 0;

    FlushScheduler scheduler;  // of automatic flushes
    RecordingBackoff backoff;  // for small operations
    LazyElementReads lazy_reads;

    // True while a thread runs a job of this queue. Written under the host's lock, which threads
    // that wait for the end have released.
    std::atomic<bool> running = false;
    std::thread::id runner;  // empty while the job runs in the background
    // A background job has ended and is ready to be collected. Set under the engine's mutex.
    std::atomic<bool> over = false;
    // When a job of this queue last ended or went to the background, in nanoseconds of the flush
    // clock.
    std::int64_t recording_since = 0;
    Work work_before;                 // of that job
    Overlap overlap, overlap_before;  // since a thread last waited for a flush, and before that
    // A thread that wants to run a job takes a ticket, under the host's lock, and waits until it is
    // served, so that a thread that asks repeatedly queues behind the others.
    std::uint64_t tickets = 0;
    std::atomic<std::uint64_t> served = 0;
    // Returns whether some thread runs a job or waits to run one.
    bool in_service() const { return served != tickets; }
    // Discards the tickets of waiting threads, which do not exist in the child of a fork.
    void leave_alone() { tickets = served + (running ? 1 : 0); }

  private:
    struct Entry {
        Base* base;
        std::uint32_t first_use, last_use;
        std::uint32_t reads;
    };
    std::uint32_t slot_of(Base* base, bool written);
    void put_view(const View& view, std::span<const std::int64_t> shape, bool written);
    std::size_t look_for_cut(std::size_t limit);
    std::vector<bool> unread(std::size_t count) const;
    bool may_be_generated_again(std::size_t slot, std::size_t count) const;
    std::vector<std::uint32_t> regenerated_slots(std::size_t count, const Base* wanted) const;
    void drop_from(Job& job, const std::vector<bool>& drop);
    void begin();
    void note_last();
    bool as_expected(std::size_t index) const;
    void note_kind(std::uint64_t kind);
    void hash_up_to(std::size_t count);
    // Appends instructions of an older pending program, renumbered.
    void readmit(const Program& older, std::span<const Entry> old,
                 std::span<const std::uint64_t> kinds, std::span<const std::uint32_t> which);
    std::vector<bool> needed_for(const Base* wanted) const;
    void reorder(std::span<const std::uint32_t> order);
    std::vector<bool> without_memory() const;

    Program pending_;
    std::vector<Entry> entries_;         // parallel to pending_.bases
    std::vector<std::uint64_t> kinds_;   // hash of each instruction's row, to find the period
    std::vector<std::uint64_t> hashes_;  // of the program up to each instruction, see expect()
    std::size_t hashed_geometry_ = 0;    // of those instructions
    KnownProgram known_;
    bool expected_ = false;  // the pending program matches known_, as far as both go
    bool unread_ = false;    // some base died that no pending instruction reads
    Job spare_;
    std::vector<Entry> spare_entries_;
    std::uint64_t epoch_;
    std::int64_t dead_bytes_ = 0;
    std::int64_t largest_new_ = 0;  // bytes, of the bases without memory
    std::size_t lacking_ = 0;       // pending instructions whose allocation failed
    std::size_t idle_ = 0;          // pending instructions, all deferred
    std::size_t found_lacking_ = 0;
};

}  // namespace hassium
