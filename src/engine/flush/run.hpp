// A flush under way: its job, its clock, what it has found. Private to src/engine.
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

// Time of the stages of one flush: each mark adds what passed since the one before.
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

// What it takes to find the plans of a program that was not seen before, or to make them, in
// seconds (benchmarks/flush.py).
inline constexpr double kBindInstruction = 0.1e-6, kBindBlock = 0.3e-6;
inline constexpr double kPartitionInstruction = 2.5e-6, kPlanInstruction = 2.5e-6;

// One job on its way through the stages.
struct Engine::State::Run {
    Job job;
    StageClock clock;
    const std::int64_t began = clock.last();
    std::int64_t recorded_behind = 0;      // nanoseconds that recording what stays pending took
    FlushCause cause = FlushCause::Asked;  // this and the line that made it run: while capturing
    std::uint32_t site = 0;
    std::uint64_t settings = 0;  // identity of the settings it runs under
    bool (*interrupted)() = nullptr;
    // What the passes make of the job's program, where that is another program and no entry of the
    // exact cache has it.
    std::optional<RewrittenProgram> rewritten = std::nullopt;
    std::shared_ptr<const CachedFlush> flush = nullptr;
    std::shared_ptr<const Family> family = nullptr;  // that lent the flush
    std::shared_ptr<CachedFlush> shared = nullptr;   // the same flush, to be given back
    bool hit = false;
    double planning = 0;    // seconds that finding plans is estimated to take
    bool launched = false;  // blocks run
    std::size_t blocks_done = 0;
    // Per recorded instruction, of a run that failed: finished ones, and those for whose results
    // there was no memory.
    std::vector<bool> done = {}, lacking = {};
    std::vector<FpReport> reports = {};
    std::exception_ptr error = nullptr;
    static constexpr std::int64_t kPollEvery = 50'000'000;  // nanoseconds
    std::int64_t next_poll = clock.last() + kPollEvery;

    // What is partitioned and planned.
    const Program& program() const { return rewritten ? rewritten->program : job.program; }
    // Nothing but its results is left to be told.
    bool quiet() const { return !error && reports.empty(); }

    // Blocks too short to ask for signals by themselves add up. Asking takes the interpreter's
    // lock, for which another busy thread can make it wait: hence seldom, by the clock.
    void poll() {
        std::int64_t now = StageClock::now();
        if (!interrupted || now < next_poll) return;
        next_poll = now + kPollEvery;
        if (interrupted()) throw Interrupted();
    }
};

}  // namespace hassium
