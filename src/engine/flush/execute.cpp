// Runs the blocks of a flush one after another, by their plans or by the scalar reference.
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
#include "rewrite/rewrite.hpp"
#include "runtime/memory_pool.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

// Whichever comes first; short blocks and sweeps do not poll on their own.
constexpr std::size_t kBlocksPerPoll = 16;
constexpr double kSecondsPerPoll = 20e-3;  // estimated

// Returns which instructions touch a base.
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

// The instructions of the blocks of a run as reports name them: for a rerolled program, those
// before rerolling.
class Engine::State::RanBlocks {
  public:
    explicit RanBlocks(const Run& run) : recorded_(run.job.program), flush_(*run.flush) {
        if (!flush_.form->is_rerolled) return;
        unrolled_ = unroll(recorded_);
        // Settings may have changed since the program was rewritten.
        if (unrolled_->members.size() != flush_.form->rewritten.size()) unrolled_.reset();
    }
    // Has no constants where `flush.program` has none.
    const Program& program() const { return unrolled_ ? unrolled_->program : flush_.program; }
    bool is_unrolled() const { return unrolled_.has_value(); }
    std::span<const std::uint32_t> recorded_as() const {
        return unrolled_ ? std::span(unrolled_->recorded_as) : std::span(flush_.form->recorded_as);
    }
    std::vector<std::uint32_t> instructions(std::size_t block) const {
        const std::vector<std::uint32_t>& planned = flush_.plans[block].instructions;
        if (!unrolled_) return planned;
        std::vector<std::uint32_t> found;
        for (const std::uint32_t i : planned) {
            const auto before = flush_.form->recorded_as.begin();
            if (before[i] == kNoInstruction) continue;
            const auto dels = std::count(before, before + i, kNoInstruction);
            const auto& members = unrolled_->members[i - static_cast<std::size_t>(dels)];
            found.insert(found.end(), members.begin(), members.end());
        }
        return found;
    }
    RanBlock block(std::span<const std::uint32_t> instructions, std::uint8_t raised) const {
        return {program(), instructions, recorded_as(), recorded_, raised};
    }

  private:
    const Program& recorded_;
    const CachedFlush& flush_;
    std::optional<UnrolledProgram> unrolled_;
};

void Engine::State::execute(Run& run) {
    const Program& recorded = run.job.program;
    // An array that is read before it is written gets memory, with undefined contents.
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
    counters().add(Counter::bytes_saved, flush.bytes_saved);
    const std::shared_ptr<Captured> captured = capture.active() ? capture_run(run) : nullptr;
    std::vector<Constant> constants;
    if (!flush.form->constants.empty()) constants = constants_of(*flush.form, recorded);
    Constant* const values =
        constants.empty() ? run.job.program.constants.data() : constants.data();
    for (std::size_t b = run.job.bindings.size(); b < flush.program.bases.size(); ++b) {
        const BaseInfo& base = flush.program.bases[b];
        run.job.bindings.push_back(
            {base.input ? reinterpret_cast<char*>(values) : nullptr, base.bytes});
    }
    RunState state{0, run.interrupted, values};
    FaultCount faults(flush.work.most_bytes);
    ReportedOnce reported;
    std::optional<RanBlocks> ran;
    // Called for `raised.size()` blocks from the next one on, which have run together.
    auto report = [&](std::span<const std::uint8_t> raised) {
        const std::size_t first = run.blocks_done, count = raised.size();
        for (std::size_t n = 0; n < count; ++n) {
            if (!(raised[n] & flush.plans[first + n].raises)) continue;
            if (!ran) ran.emplace(run);
            const TestOfBlock test = [&] { return test_blocks(run, *ran, first, raised); };
            const std::vector<std::uint32_t> instructions = ran->instructions(first + n);
            collect_reports(ran->block(instructions, raised[n]), run.reports,
                            flush.form->is_rewritten() ? &reported : nullptr, test);
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

std::shared_ptr<const RaisedBy> Engine::State::test_blocks(const Run& run, const RanBlocks& ran,
                                                           std::size_t first,
                                                           std::span<const std::uint8_t> raised) {
    std::uint64_t identity = 0;
    std::vector<std::uint32_t> tested;
    for (std::size_t n = 0; n < raised.size(); ++n) {
        const std::vector<std::uint32_t> members = ran.instructions(first + n);
        tested.insert(tested.end(), members.begin(), members.end());
        identity = WordHash::mix(identity, identity_of(ran.block(members, raised[n])));
    }
    try {
        return raised_answers.of(identity, [&] {
            std::vector<std::uint32_t> recorded_as;
            const Program program =
                ran.is_unrolled() ? ran.program()
                                  : finished_program(*run.flush, run.job.program, recorded_as);
            std::vector<bool> existed;
            for (const BaseInfo& base : program.bases) existed.push_back(base.input != 0);
            for (std::size_t n = 0; n < first; ++n) {
                for (const std::uint32_t i : ran.instructions(n)) {
                    for (const Operand& out : program.outputs(program.instructions[i])) {
                        existed[out.base] = true;
                    }
                }
            }
            return test_each(program, tested,
                             std::span(run.job.bindings).first(program.bases.size()), existed);
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
