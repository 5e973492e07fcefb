// The pending bytecode of one Python thread. Appended to under the host's lock.
//
// Inside the queue no `del` is recorded: a base notes that it died, and take() marks it in the
// program (deaths.hpp puts the `del` behind its last use). So a prefix that is run takes along the
// deaths that happened after the cut. The merge cache's key is hashed while recording: every
// instruction has the hash of the program up to and including it. A loop mostly records what it
// recorded before: then instructions are compared with those in place of being hashed.
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
    // Set no more than the fields say: to zero all of it first takes longer than many an operation.
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
    bool of_numbers = false;  // as of an Origin
    bool at_call = false;     // the caller needs the result at once: nothing is gained by waiting
};

// A program of an earlier job, as recorded, and its hash. What it lies in lives as long as `owner`;
// operands and geometry of something else may follow.
struct KnownProgram {
    std::shared_ptr<const void> owner;
    std::span<const Instruction> instructions;
    std::span<const Operand> operands;
    std::span<const std::int64_t> geometry;
    std::span<const BaseInfo> bases;
    std::uint64_t hash = 0;
};

// What one flush runs: a program as recorded, without dels, and the bases behind its numbers.
struct Job {
    Program program;
    std::vector<Base*> bases;
    std::vector<Binding> bindings;  // of the bases, as they are before the run
    bool lacks_memory = false;      // some base is read that nothing was ever written to
    std::uint64_t hash = 0;         // of structure and geometry
    // For the known program that the queue expected, when that is what was recorded.
    std::shared_ptr<const void> known = nullptr;
};

// What a job is estimated to take.
struct Work {
    double seconds = 0;  // on one thread
    std::int64_t blocks = 0;
    double shareable = 0;         // of these, what threads can share, less what sharing costs
    double library_threads = 0;   // of these, what other libraries share among threads of their own
    std::int64_t most_bytes = 0;  // that one of its blocks moves
};

// For the automatic flushes between two waits.
struct Overlap {
    double seconds = 0;   // on one thread
    double gainable = 0;  // of these, as many as recording took
    double each = 0;      // most seconds of work an instruction, of one of the flushes
};

class Queue : public std::enable_shared_from_this<Queue> {
  public:
    Queue();

    // Appends without any check but the overlap rule, which the caller has applied.
    void append(const Request& request, const Origin& origin);
    // What is read of a base that lives on is this view, and other views so given.
    void append_sync(const View& view);
    // Calls visit(base) for each base that lives on, has at least so many bytes and no memory yet.
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
    // Whether anything is pending that may warn.
    bool may_report() const {
        return std::ranges::any_of(pending_.origins, [](const Origin& o) { return o.reports; });
    }
    bool holds(const Base& base) const { return base.owner == this && base.epoch == epoch_; }

    // The first `count` instructions; their bases become in-flight; the rest stays. A flush for the
    // value of `wanted` leaves generators of other arrays pending as well: their elements are
    // generated in the job and not stored (job.cpp).
    Job take(std::size_t count, const Base* wanted = nullptr);
    // Gives the memory of a finished job to the next.
    void recycle(Job&& job);
    // Puts instructions of a failed job back in front. `done` marks the finished ones, `lacking`
    // those for whose results there was no memory; it may be empty.
    void restore(Job&& job, const std::vector<bool>& done, const std::vector<bool>& lacking);
    // Instructions that there was no memory for are put behind the others, with all that have to
    // come after them, but for what `wanted` needs (deferred_allocations.cpp). How many of the
    // first `count` are left to run.
    std::size_t defer_failed(std::size_t count, const Base* wanted);
    // Instructions that `wanted` does not need are put behind the others. How many it needs.
    std::size_t bring_forward(const Base* wanted);
    // How many instructions were found so far that there was no memory for.
    std::size_t found_lacking() const { return found_lacking_; }
    // The largest array that one of those makes; null: there are none.
    const Operand* largest_lacking() const;
    const Program& pending() const { return pending_; }
    // Nothing is pending but what was put off.
    bool idle() const { return idle_ == size(); }
    // Where an automatic flush may cut, see cut.cpp; 0: later.
    std::size_t automatic_cut(std::size_t limit);
    // How many instructions an automatic flush should run now; 0: it is too early.
    std::size_t due(std::size_t limit) {
        const std::size_t fresh = size() - idle_;
        if (fresh == 0) return 0;
        if (const std::size_t unit = scheduler.unit_due()) return unit;
        return scheduler.early(size(), fresh, limit, backoff.trying()) ? 0 : look_for_cut(limit);
    }
    std::vector<std::int64_t> live_bytes() const;
    // A job that had the base is over, or does not need it.
    void let_go(Base* base) {
        base->in_flight = false;
        if (holds(*base)) return;
        base->owner = nullptr;
        if (base->dead) destroy_base(base);
    }
    // A base of this queue lost its last view.
    void mark_dead(Base* base);
    // What the next job may be. Instructions are compared with it as they are recorded, while they
    // are near; nothing is hashed for as long as they are the same.
    void expect(KnownProgram known);
    std::int64_t dead_bytes() const { return dead_bytes_; }

    // How many of the last instructions were recorded only because they wait for earlier ones.
    int pending_small = 0;

    FlushScheduler scheduler;  // of automatic flushes
    RecordingBackoff backoff;  // from recording what is small
    LazyElementReads lazy_reads;

    // Set while one thread runs a job of this queue: written under the host's lock, which threads
    // that wait for the end have left.
    std::atomic<bool> running = false;
    std::thread::id runner;  // none while the job runs in the background
    // A job that ran aside has ended and waits to be taken back. Set under the engine's mutex.
    std::atomic<bool> over = false;
    // Nanoseconds of the clock of flushes: when a job of this queue last ended or went aside.
    std::int64_t recording_since = 0;
    Work work_before;                 // of that job
    Overlap overlap, overlap_before;  // since a thread waited for a flush, and before
    // A thread that wants to run a job takes a ticket, under the host's lock, and waits until it is
    // served: one that asks again and again comes after those who wait.
    std::uint64_t tickets = 0;
    std::atomic<std::uint64_t> served = 0;
    // Whether some thread runs a job, or waits to.
    bool in_service() const { return served != tickets; }
    // Those who waited are gone, as in the child of a fork.
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
    // Appends instructions of an older pending program under new numbers.
    void readmit(const Program& older, std::span<const Entry> old,
                 std::span<const std::uint64_t> kinds, std::span<const std::uint32_t> which);
    std::vector<bool> needed_for(const Base* wanted) const;
    void reorder(std::span<const std::uint32_t> order);
    std::vector<bool> without_memory() const;

    Program pending_;
    std::vector<Entry> entries_;         // parallel to pending_.bases
    std::vector<std::uint64_t> kinds_;   // hash of each instruction's row, for the period
    std::vector<std::uint64_t> hashes_;  // of the program up to each instruction, see expect()
    std::size_t hashed_geometry_ = 0;    // of those instructions
    KnownProgram known_;
    bool expected_ = false;  // what is pending begins as known_ does, as far as both go
    bool unread_ = false;    // some base died that nothing pending reads
    Job spare_;
    std::vector<Entry> spare_entries_;
    std::uint64_t epoch_;
    std::int64_t dead_bytes_ = 0;
    std::int64_t largest_new_ = 0;  // bytes, of the bases that have no memory yet
    std::size_t lacking_ = 0;       // pending instructions that there was no memory for
    std::size_t idle_ = 0;          // pending instructions, all deferred
    std::size_t found_lacking_ = 0;
};

}  // namespace hassium
