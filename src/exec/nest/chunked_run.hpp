// Runs the jobs of a block in chunks, on several threads or one. Internal to exec.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "exec/compile/code.hpp"
#include "exec/flags.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {

class ChunkedRun {
  public:
    using RunJobs = void (*)(void* context, std::int64_t first, std::int64_t last, int worker);

    // Jobs that wait for earlier ones are claimed one by one, in order. A thread polls for
    // interrupts before it claims a job, so no thread waits for an interrupted one. `alone`: on one
    // thread in any case.
    ChunkedRun(const LoopPlan& plan, const BlockCode& code, std::int64_t jobs, RunState& state,
               bool alone = false)
        : plan_(plan), code_(code), state_(state), jobs_(jobs), in_order_(plan.panels.in_order) {
        double seconds = plan_.seconds;
        polls_ = state_.interrupted && code.interruptible && seconds > kPollWorth;
        threads_ = jobs_ > 1 && !alone ? threads_for(seconds) : 1;
        if (in_order_) {
            if (threads_ > 1 || polls_) chunks_ = jobs_;
        } else if (threads_ > 1 || polls_) {
            const auto most = static_cast<std::int64_t>(seconds / kLeastChunk);
            std::int64_t wanted = kChunksPerThread * threads_;
            if (polls_) wanted = std::max(wanted, static_cast<std::int64_t>(seconds / 5e-3));
            if (threads_ > 1 && jobs_ == code.jobs) together_ = jobs_together();
            chunks_ = std::max<std::int64_t>(std::min(wanted, most), threads_);
            chunks_ = std::min(chunks_, jobs_ / together_);
            shares_ = std::min<std::int64_t>(threads_, chunks_);
            chunks_ -= chunks_ % shares_;
        }
    }

    // Upper bound of worker numbers.
    int workers() const { return threads_ > 1 && chunks_ > 1 ? thread_count() : 1; }

    void run(RunJobs run_jobs, void* context) {
        run_jobs_ = run_jobs;
        context_ = context;
        if (polls_) next_poll_ = std::chrono::steady_clock::now() + kPollEvery;
        if (threads_ > 1 && chunks_ > 1) {
            counters().add(Counter::parallel_blocks);
            parallel_for(chunks_, threads_, run_chunk, this);
        } else {
            for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) run_chunk(this, chunk, 0);
        }
        state_.raised |= raised_.load(std::memory_order_relaxed);
    }

  private:
    static constexpr double kLeastChunk = 5e-6;
    static constexpr std::int64_t kChunksPerThread = 8;
    static constexpr std::int64_t kEvenPlanes = 8;  // planes per thread, below which planes are cut
    static constexpr std::int64_t kEvenJobs = 16;   // jobs per chunk, below which chunks are equal
    static constexpr auto kPollEvery = std::chrono::milliseconds(20);
    static constexpr double kPollWorth = 10e-3;  // blocks shorter than this are not interrupted

    const LoopPlan& plan_;
    const BlockCode& code_;
    RunState& state_;
    RunJobs run_jobs_ = nullptr;
    void* context_ = nullptr;
    std::int64_t jobs_, chunks_ = 1, shares_ = 1;
    std::int64_t together_ = 1;  // chunks are whole multiples of this number of jobs
    int threads_ = 1;
    bool polls_ = false, in_order_;
    std::atomic<std::int64_t> next_{0};  // in order
    std::chrono::steady_clock::time_point next_poll_{};
    std::atomic<std::uint8_t> raised_{0};

    static void run_chunk(void* context, std::int64_t chunk, int worker) {
        auto& self = *static_cast<ChunkedRun*>(context);
        if (worker == 0 && self.polls_) self.poll();
        // parallel_for claims chunks out of order.
        if (self.in_order_) chunk = self.next_.fetch_add(1, std::memory_order_relaxed);
        const std::int64_t first = self.begin(chunk), last = self.begin(chunk + 1);
        if (first == last) return;
        if (self.plan_.raises) clear_fp_flags();
        self.run_jobs_(self.context_, first, last, worker);
        // Streaming stores are ordered by a fence alone. One for each chunk: one for each tile
        // would cost as much as the stores gain.
        if (self.plan_.stream) self.code_.tiles->fence();
        if (self.plan_.raises) {
            self.raised_.fetch_or(read_fp_flags(), std::memory_order_relaxed);
        }
    }

    // Returns how many jobs a chunk is a multiple of: consecutive lines run several at a time, so
    // with enough planes a chunk has whole planes.
    std::int64_t jobs_together() const {
        if (code_.outer.size() < 2) return 1;
        std::int64_t planes = 1;
        for (std::size_t k = 0; k + 1 < code_.outer.size(); ++k) planes *= code_.outer[k];
        return planes >= kEvenPlanes * threads_ ? jobs_ / planes : 1;
    }

    // Returns the first job of a chunk. With enough jobs, chunks get smaller towards the end of a
    // share (the rest falls quadratically), so that threads end together.
    std::int64_t begin(std::int64_t chunk) const {
        const std::int64_t jobs = jobs_ / together_;
        if (in_order_ || threads_ == 1 || jobs < kEvenJobs * chunks_)
            return jobs * chunk / chunks_ * together_;
        const std::int64_t each = chunks_ / shares_, share = chunk / each;
        const std::int64_t first = jobs * share / shares_, last = jobs * (share + 1) / shares_;
        const double left = static_cast<double>(each - chunk % each) / static_cast<double>(each);
        const double rest = static_cast<double>(last - first) * left * left;
        return (last - static_cast<std::int64_t>(rest)) * together_;
    }

    void poll() {
        auto now = std::chrono::steady_clock::now();
        if (now < next_poll_) return;
        next_poll_ = now + kPollEvery;
        if (state_.interrupted()) throw Interrupted();
    }
};

// Finishes a nest after all its jobs: combines partials and stores the results of its reductions.
inline void finish_all(const Launch& launch, const LoopPlan& plan, RunState& state) {
    if (launch.code.reductions.empty()) return;
    if (plan.raises) clear_fp_flags();
    finish_reductions(launch);
    if (plan.raises) state.raised |= read_fp_flags();
}

}  // namespace hassium
