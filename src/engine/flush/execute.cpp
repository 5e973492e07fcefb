// Runs the blocks of a flush one after another, as planned or by the scalar reference.
#include <algorithm>
#include <new>

#include "base/counters.hpp"
#include "base/settings.hpp"
#include "engine/engine.hpp"
#include "engine/flush/fault_count.hpp"
#include "engine/flush/plan_flush.hpp"
#include "engine/flush/progress.hpp"
#include "engine/flush/reports.hpp"
#include "engine/flush/run.hpp"
#include "program/deaths.hpp"
#include "program/word_hash.hpp"
#include "reference/reference.hpp"
#include "runtime/memory_pool.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

// Whichever comes first; short blocks and sweeps do not ask on their own.
constexpr std::size_t kBlocksPerPoll = 16;
constexpr double kSecondsPerPoll = 20e-3;  // estimated

// Which instructions touch a base?
std::vector<bool> those_on(const Program& program, BaseId base) {
    std::vector<bool> found;
    for (const Instruction& i : program.instructions) {
        found.push_back(std::ranges::any_of(program.operands_of(i), [base](const Operand& o) {
            return !o.is_constant() && o.base == base;
        }));
    }
    return found;
}

}  // namespace

void Engine::State::execute(Run& run) {
    const Program& recorded = run.job.program;
    // An array that was read before anything was written to it exists, with whatever it holds.
    if (run.job.lacks_memory) {
        for (BaseId b = 0; b < run.job.bindings.size(); ++b) {
            Binding& base = run.job.bindings[b];
            if (!recorded.bases[b].input || base.data) continue;
            try {
                base.data = memory_pool().acquire(base.bytes);
            } catch (const std::bad_alloc&) {
                run.lacking = those_on(recorded, b);
                throw;
            }
        }
    }
    if (settings().choice(Setting::executor) == "reference") return execute_reference(run);
    prepare(run);
    const CachedFlush& flush = *run.flush;
    for (std::size_t b = run.job.bindings.size(); b < flush.program.bases.size(); ++b) {
        run.job.bindings.push_back({nullptr, flush.program.bases[b].bytes});
    }
    counters().add(Counter::bytes_saved, flush.bytes_saved);
    const std::shared_ptr<Captured> captured = capture.active() ? capture_run(run) : nullptr;
    std::vector<Constant> constants;
    if (!flush.form->constants.empty()) constants = constants_of(*flush.form, recorded);
    RunState state{0, run.interrupted,
                   constants.empty() ? recorded.constants.data() : constants.data()};
    FaultCount faults(flush.work.most_bytes);
    ReportedOnce reported;
    // For `count` blocks from the next one on, which have run together.
    auto report = [&](std::span<const std::uint8_t> raised) {
        const std::size_t first = run.blocks_done, count = raised.size();
        const TestOfBlock test = [&] { return test_blocks(run, first, raised); };
        for (std::size_t n = 0; n < count; ++n) {
            const LoopPlan& plan = flush.plans[first + n];
            if (!(raised[n] & plan.raises)) continue;
            const RanBlock block{flush.program, plan.instructions, flush.form->recorded_as,
                                 recorded, raised[n]};
            collect_reports(block, run.reports, flush.form->is_rewritten() ? &reported : nullptr,
                            test);
        }
        for (std::size_t n = 0; n < count; ++n) {
            release_dead(flush.plans[first + n], run.job.bindings);
        }
        run.blocks_done += count;
    };
    run.launched = true;
    expect_work(flush.work.seconds, static_cast<std::int64_t>(flush.plans.size()));
    double seconds = 0, done = 0;  // since the last poll, and of all; estimated
    for (std::size_t polled = kBlocksPerPoll; run.blocks_done < flush.plans.size();) {
        const std::size_t k = run.blocks_done;
        if (k >= polled || seconds > kSecondsPerPoll) {
            Progress::note_done(done / std::max({flush.work.seconds, done, 1e-9}));
            run.poll();
            polled = k + kBlocksPerPoll;
            seconds = 0;
        }
        const std::size_t nests = flush.plans[k].sweep.nests;
        const std::int64_t before = captured ? StageClock::now() : 0;
        PlannedCode swept[Sweep::kMostNests];
        for (std::size_t n = 0; n < nests; ++n) {
            swept[n] = {&flush.plans[k + n], flush.codes[k + n].get()};
        }
        if (nests > 0 && sweeps_on_all_threads({swept, nests})) {
            std::uint8_t raised[Sweep::kMostNests];
            run_sweep(flush.program, {swept, nests}, run.job.bindings, state, {raised, nests});
            report({raised, nests});
        } else {
            state.raised = 0;
            run_block(flush.program, flush.plans[k], *flush.codes[k], run.job.bindings, state);
            report({&state.raised, 1});
        }
        if (captured) {
            const std::span ran(flush.plans.data() + k, run.blocks_done - k);
            capture.add_time(*captured, k, ran, StageClock::now() - before);
        }
        for (std::size_t n = k; n < run.blocks_done; ++n) {
            seconds += flush.plans[n].seconds;
            done += flush.plans[n].seconds;
        }
    }
    if (state.launched) run.clock.mark(Stage::Launch, state.launched);
    run.clock.mark(Stage::Execute);
}

std::shared_ptr<const RaisedBy> Engine::State::test_blocks(const Run& run, std::size_t first,
                                                           std::span<const std::uint8_t> raised) {
    const CachedFlush& flush = *run.flush;
    std::uint64_t identity = 0;
    std::vector<std::uint32_t> instructions;
    for (std::size_t n = 0; n < raised.size(); ++n) {
        const std::vector<std::uint32_t>& members = flush.plans[first + n].instructions;
        instructions.insert(instructions.end(), members.begin(), members.end());
        identity =
            WordHash::mix(identity, identity_of({flush.program, members, flush.form->recorded_as,
                                                 run.job.program, raised[n]}));
    }
    try {
        return raised_answers.of(identity, [&] {
            std::vector<std::uint32_t> recorded_as;
            const Program program = finished_program(flush, run.job.program, recorded_as);
            std::vector<bool> existed;
            for (const BaseInfo& base : program.bases) existed.push_back(base.input != 0);
            for (std::size_t n = 0; n < first; ++n) {
                for (std::uint32_t i : flush.plans[n].instructions) {
                    for (const Operand& out : program.outputs(program.instructions[i])) {
                        existed[out.base] = true;
                    }
                }
            }
            return test_each(program, instructions, run.job.bindings, existed);
        });
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void Engine::State::execute_reference(Run& run) {
    const Program& recorded = run.job.program;
    std::vector<std::uint32_t> recorded_as;
    Program program = with_deaths(recorded, recorded_as);
    if (settings().on(Setting::verify)) program.verify();
    run.done.resize(recorded.instructions.size());
    for (std::uint32_t i = 0; i < program.instructions.size(); ++i) {
        RunState state{0, run.interrupted};
        run_reference(program, i, run.job.bindings, state);
        if (recorded_as[i] != kNoInstruction) run.done[recorded_as[i]] = true;
        collect_reports({program, {&i, 1}, recorded_as, recorded, state.raised}, run.reports,
                        nullptr, {});
    }
    run.clock.mark(Stage::Execute);
}

}  // namespace hassium
