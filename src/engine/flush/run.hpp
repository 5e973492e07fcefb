// The state of a running flush: its job, its clock, its results. Private to src/engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "engine/state.hpp"
#include "exec/executor.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {

// Times the stages of one flush: each mark adds the time since the last one to its stage.
class StageClock {
  public:
    void mark(Stage stage) { mark(stage, now()); }
    void mark(Stage stage, std::int64_t time) {
        counters().nanoseconds[static_cast<int>(stage)].fetch_add(time - last_,
                                                                  std::memory_order_relaxed);
        last_ = time;
    }

    std::int64_t last() const { return last_; }
    static std::int64_t now() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

  private:
    std::int64_t last_ = now();
};

// Estimated seconds to find or make the plans of a program that the exact cache does not have
// (benchmarks/flush.py).
inline constexpr double kBindInstruction = 0.1e-6, kBindBlock = 0.3e-6;
inline constexpr double kPartitionInstruction = 2.5e-6, kPlanInstruction = 2.5e-6;

// One job on its way through the stages.
struct Engine::State::Run {
    Job job;
    StageClock clock;
    const std::int64_t began = clock.last();
    std::int64_t recorded_behind = 0;      // nanoseconds of recording what stays pending
    FlushCause cause = FlushCause::Asked;  // set while capturing, as is `site`
    std::uint32_t site = 0;
    std::uint64_t settings = 0;  // identity of the settings it runs under
    bool (*interrupted)() = nullptr;
    // The result of the passes, if they changed the program and the exact cache had no entry.
    std::optional<RewrittenProgram> rewritten = std::nullopt;
    std::shared_ptr<const CachedFlush> flush = nullptr;
    std::shared_ptr<const Family> family = nullptr;  // that shares its spare flush
    std::shared_ptr<CachedFlush> shared = nullptr;   // that spare flush, returned at the end
    bool hit = false;
    bool with_lock = false;  // keeps the host's lock, so that no other thread records meanwhile
    double planning = 0;     // estimated seconds of finding plans
    bool launched = false;   // blocks have begun to run
    std::size_t blocks_done = 0;
    // By recorded instruction, of a run that failed: those finished, and those whose results could
    // not be allocated.
    std::vector<bool> done = {}, lacking = {};
    std::vector<FpReport> reports = {};
    std::exception_ptr error = nullptr;
    static constexpr std::int64_t kPollEvery = 50'000'000;  // nanoseconds
    std::int64_t next_poll = clock.last() + kPollEvery;

    // Returns the program that is partitioned and planned.
    const Program& program() const { return rewritten ? rewritten->program : job.program; }
    // Returns whether the run has nothing to report but its results.
    bool quiet() const { return !error && reports.empty(); }

    // Polls for signals by the clock, for runs of short blocks that do not poll themselves. Polling
    // takes the interpreter's lock, for which another busy thread can make it wait.
    void poll() {
        std::int64_t now = StageClock::now();
        if (!interrupted || now < next_poll) return;
        next_poll = now + kPollEvery;
        if (interrupted()) throw Interrupted();
    }
};

}  // namespace hassium
