#include "engine/flush/plan_flush.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "exec/compile/code.hpp"
#include "fuse/cost/memory.hpp"
#include "plan/lower/lower.hpp"
#include "plan/lower/release.hpp"
#include "plan/sweep/sweep.hpp"
#include "program/deaths.hpp"
#include "record/thresholds.hpp"

namespace hassium {

namespace {

constexpr double kSecondsPerInstruction = 0.5e-6;
constexpr double kSecondsPerElement = 0.4e-9;  // one float64 from memory
constexpr double kSecondsPerCycle = 1 / 3e9;

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

std::vector<Constant> constants_beyond(const Program& recorded, const RewrittenProgram& rewritten) {
    const std::vector<Constant>& all = rewritten.program.constants;
    return {all.begin() + std::ssize(recorded.constants), all.end()};
}

// Returns the estimated seconds of a run of the program, within a factor of two.
double estimated_seconds(const Program& program) {
    double seconds = 0;
    for (const Instruction& i : program.instructions) {
        if (info(i.op).is_system()) continue;
        auto elements = static_cast<double>(element_count(program.iteration_shape(i)));
        seconds += kSecondsPerInstruction +
                   elements * std::max(kSecondsPerElement, info(i.op).cycles * kSecondsPerCycle);
    }
    return seconds;
}

// Overhead of a block on several threads, while workers spin.
constexpr double kSharing = 5e-6;

// Products that take at least as long use the threads of the library that computes them.
constexpr double kLibraryThreads = 4e-6;

// Returns whether the plan cannot be cut for threads here.
bool opaque(const Program& program, const LoopPlan& plan) {
    return plan.kind == BlockKind::Single &&
           info(program.instructions[plan.instructions[0]].op).is_opaque();
}

void add(CachedFlush& flush, const LoopPlan& plan) {
    flush.work.seconds += plan.seconds;
    ++flush.work.blocks;
    if (!opaque(flush.program, plan)) {
        flush.work.shareable += std::max(plan.seconds - kSharing, 0.0);
    } else if (plan.seconds > kLibraryThreads) {
        flush.work.library_threads += plan.seconds;
    }
    flush.work.most_bytes = std::max(flush.work.most_bytes, plan.bytes);
}

void sum_up(CachedFlush& flush) {
    flush.work = {};
    for (const LoopPlan& plan : flush.plans) add(flush, plan);
}

}  // namespace

std::shared_ptr<FinishedForm> finished_form(const Program& recorded,
                                            const RewrittenProgram* rewritten) {
    auto form = std::make_shared<FinishedForm>();
    form->recorded = recorded.instructions;
    form->recorded_bases = recorded.bases.size();
    form->program = with_deaths(rewritten ? rewritten->program : recorded, form->recorded_as);
    if (!rewritten) return form;
    form->rewritten = rewritten->program.instructions;
    form->is_rerolled = !rewritten->rerolled.empty();
    form->constants = constants_beyond(recorded, *rewritten);
    for (std::uint32_t& i : form->recorded_as) {
        if (i != kNoInstruction) i = rewritten->from[i];
    }
    return form;
}

bool has_form(const FinishedForm& form, const Program& recorded,
              const RewrittenProgram* rewritten) {
    if (!rewritten) return !form.is_rewritten();
    const auto is_del = [](std::uint32_t i) { return i == kNoInstruction; };
    std::vector<std::uint32_t> from = form.recorded_as;
    const std::size_t dels = std::erase_if(from, is_del);
    // Operands that no instruction uses any more may have other ranks. Numbers are copied by
    // position (renumber), with each del appended as an operand of one axis, so the lengths must
    // match.
    const Program& program = rewritten->program;
    if (form.program.operands.size() != program.operands.size() + dels ||
        form.program.geometry.size() != program.geometry.size() + 2 * dels) {
        return false;
    }
    return same_bytes(form.recorded, recorded.instructions) &&
           same_bytes(form.rewritten, rewritten->program.instructions) &&
           same_bytes(form.constants, constants_beyond(recorded, *rewritten)) &&
           from == rewritten->from;
}

std::vector<Constant> constants_of(const FinishedForm& form, const Program& recorded) {
    std::vector<Constant> constants = recorded.constants;
    constants.insert(constants.end(), form.constants.begin(), form.constants.end());
    return constants;
}

Program finished_program(const CachedFlush& flush, const Program& recorded,
                         std::vector<std::uint32_t>& from) {
    if (!flush.form->is_rewritten()) return with_deaths(recorded, from);
    from = flush.form->recorded_as;
    Program program = flush.program;
    program.constants = constants_of(*flush.form, recorded);
    for (std::uint32_t i : from) {
        program.origins.push_back(i == kNoInstruction ? Origin{} : recorded.origins[i]);
    }
    return program;
}

Partition partition_flush(const Program& program, std::vector<Guard>& guards) {
    const Settings& config = settings();
    FuseOptions options{config.choice(Setting::partitioner), config.choice(Setting::cost_model)};
    options.time_limit = static_cast<double>(config.get(Setting::search_milliseconds)) * 1e-3;
    if (options.partitioner == "auto") {
        options.partitioner = "optimal";
        double most = static_cast<double>(config.get(Setting::partition_microseconds)) * 1e-6;
        options.time_limit =
            std::min(most, threshold_share(Threshold::exact_share) * estimated_seconds(program));
    }
    return partition_within_memory(program, options, guards);
}

void plan_blocks(CachedFlush& flush) {
    bool verify = settings().on(Setting::verify);
    if (verify) flush.partition->verify(flush.program);
    flush.plans.reserve(flush.partition->blocks.size());
    flush.codes.reserve(flush.partition->blocks.size());
    Lowering lowering(flush.program, flush.form->uses);
    for (const Block& block : flush.partition->blocks) {
        flush.plans.push_back(lowering.lower(block));
    }
    release_early(flush.program, flush.plans);
    find_sweeps(flush.plans, swept_sizes());
    for (const LoopPlan& plan : flush.plans) {
        if (verify) plan.verify();
        flush.codes.push_back(compile(plan));
    }
    flush.bytes_saved = static_cast<std::int64_t>(flush.partition->bytes_saved);
    sum_up(flush);
}

void prepare_rebinding(CachedFlush& flush) {
    flush.rebindings.reserve(flush.plans.size());
    for (const LoopPlan& plan : flush.plans) {
        flush.rebindings.push_back(Rebinding::of(plan, flush.program, flush.form->uses));
    }
    std::unordered_map<std::uint64_t, std::uint32_t> models;
    for (std::uint32_t k = 0; k < flush.plans.size(); ++k) {
        std::optional<Congruence>& congruence = flush.congruences.emplace_back();
        if (!flush.rebindings[k]) continue;
        const auto [model, is_new] = models.emplace(congruence_key(flush.plans[k]), k);
        if (is_new) continue;
        const std::uint32_t first = model->second;
        congruence = Congruence::of(first, flush.plans[first], flush.plans[k], flush.program,
                                    flush.form->uses);
    }
}

namespace {

// Replans one block of a bound flush and drops its code. Returns false if it contracts other arrays
// than before: that changes the memory of other blocks.
bool replan_block(CachedFlush& flush, Lowering& lowering, std::size_t k) {
    LoopPlan fresh = lowering.lower(flush.partition->blocks[k]);
    LoopPlan& plan = flush.plans[k];
    if (fresh.contracted != plan.contracted) return false;
    fresh.acquires = std::move(plan.acquires);
    fresh.releases = std::move(plan.releases);
    plan = std::move(fresh);
    flush.codes[k].reset();
    flush.congruences[k].reset();
    for (std::optional<Congruence>& other : flush.congruences) {
        if (other && other->model() == k) other.reset();
    }
    if (flush.rebindings[k]) {
        flush.rebindings[k] = Rebinding::of(plan, flush.program, flush.form->uses);
    }
    return true;
}

void bind_code(CachedFlush& flush, std::size_t k) {
    std::shared_ptr<BlockCode>& code = flush.codes[k];
    if (!code || !rebind(*code, flush.plans[k])) code = compile(flush.plans[k]);
}

// Binds the code of a plan with the numbers of its model, whose code is bound already.
void bind_congruent_code(CachedFlush& flush, std::size_t k) {
    const BlockCode& model = *flush.codes[flush.congruences[k]->model()];
    if (!rebind_congruent(*flush.codes[k], flush.plans[k], model)) bind_code(flush, k);
}

// Checks that a flush bound to new numbers equals the one that planning would make.
void verify_bound(const CachedFlush& flush) {
    flush.partition->verify(flush.program);
    CachedFlush fresh;
    fresh.program = flush.program;
    fresh.form = flush.form;
    fresh.partition = flush.partition;
    plan_blocks(fresh);
    for (std::size_t k = 0; k < fresh.plans.size(); ++k) {
        flush.plans[k].verify();
        HS_CHECK(flush.plans[k] == fresh.plans[k],
                 "a plan bound to other numbers is the one that planning makes:\n" +
                     flush.plans[k].dump() + "planned anew:\n" + fresh.plans[k].dump());
        HS_CHECK(same_code(*flush.codes[k], *fresh.codes[k]),
                 "code bound to other numbers is the code that compiling makes:\n" +
                     flush.plans[k].dump());
    }
}

}  // namespace

namespace {

// Prefetches the plans and code of the blocks ahead: kernels ran since they were bound last and
// evicted them from the caches.
void prefetch(const CachedFlush& flush, std::size_t k) {
    constexpr std::size_t kNear = 2, kFar = 4, kLine = 64, kMostLines = 16;
    auto fetch = [](const void* from, std::size_t bytes) {
        const char* at = static_cast<const char*>(from);
        for (std::size_t n = 0; n < std::min(bytes, kMostLines * kLine); n += kLine) {
            __builtin_prefetch(at + n, 1);
        }
    };
    if (k + kFar < flush.plans.size()) {
        fetch(&flush.plans[k + kFar], sizeof(LoopPlan));
        fetch(flush.codes[k + kFar].get(), sizeof(BlockCode));
    }
    if (k + kNear < flush.plans.size()) {
        const LoopPlan& plan = flush.plans[k + kNear];
        fetch(plan.operands.data(), plan.operands.size() * sizeof(PlanOperand));
        const BlockCode& code = *flush.codes[k + kNear];
        fetch(code.pointers.data(), code.pointers.size() * sizeof(Pointer));
        fetch(code.tracks.data(), code.tracks.size() * sizeof(Track));
        fetch(code.on_track.data(), code.on_track.size() * sizeof(OnTrack));
        fetch(code.lies.data(), code.lies.size() * sizeof(LaidOutOperand));
    }
}

}  // namespace

void number(CachedFlush& flush, const Program& program) {
    if (flush.numbered) return;
    renumber(flush.program, program);
    flush.numbered = true;
}

std::size_t rebind_blocks(CachedFlush& flush, const Program& program) {
    std::optional<Lowering> lowering;
    std::int64_t bound = 0, found_congruent = 0;
    std::size_t planned = 0;
    SmallVec<std::uint32_t, 32> later;  // blocks whose code depends on the sweeps
    const SweptSizes least = swept_sizes();
    const std::size_t count = flush.plans.size();
    flush.work = {};
    for (std::size_t k = 0; k < count; ++k) {
        prefetch(flush, k);
        const std::optional<Congruence>& congruence = flush.congruences[k];
        const bool congruent = congruence && congruence->holds(program);
        const std::optional<Rebinding>& known = flush.rebindings[k];
        if (congruent) take_numbers(flush.plans[k], flush.plans[congruence->model()]);
        if (congruent || (known && known->apply(flush.plans[k], program, flush.form->uses))) {
            ++bound;
            found_congruent += congruent;
            add(flush, flush.plans[k]);
            // Such a block reads its operands from the program.
            if (flush.plans[k].kind == BlockKind::Single) number(flush, program);
            if (may_sweep(flush.plans[k], least)) {
                later.push_back(static_cast<std::uint32_t>(k));
            } else if (congruent) {
                bind_congruent_code(flush, k);
            } else {
                bind_code(flush, k);
            }
            continue;
        }
        later.push_back(static_cast<std::uint32_t>(k));
        planned += flush.partition->blocks[k].members.size();
        number(flush, program);
        if (!lowering) lowering.emplace(flush.program, flush.form->uses);
        if (replan_block(flush, *lowering, k)) {
            add(flush, flush.plans[k]);
            continue;
        }
        flush.plans.clear();
        flush.codes.clear();
        flush.rebindings.clear();
        flush.congruences.clear();
        plan_blocks(flush);
        counters().add(Counter::blocks_replanned, static_cast<std::int64_t>(count));
        return flush.program.instructions.size();
    }
    if (!later.empty()) {
        find_sweeps(flush.plans, least);
        for (std::uint32_t k : later) bind_code(flush, k);
        // Other nests that join a sweep have a panel size of their own there.
        for (std::size_t k = 0; k < count; ++k) {
            if (flush.plans[k].sweep.unit > 0 && !may_sweep(flush.plans[k], least)) {
                bind_code(flush, k);
            }
        }
    }
    counters().add(Counter::blocks_rebound, bound);
    counters().add(Counter::blocks_congruent, found_congruent);
    counters().add(Counter::blocks_replanned, static_cast<std::int64_t>(count) - bound);
    if (settings().on(Setting::verify)) {
        number(flush, program);
        verify_bound(flush);
    }
    return planned;
}

std::shared_ptr<CachedFlush> copy_of(const CachedFlush& flush) {
    auto copy = std::make_shared<CachedFlush>();
    copy->hash = flush.hash;
    copy->settings = flush.settings;
    copy->program = flush.program;
    copy->form = flush.form;
    copy->partition = flush.partition;
    copy->plans = flush.plans;
    for (const auto& code : flush.codes) copy->codes.push_back(copy_of(*code));
    copy->bytes_saved = flush.bytes_saved;
    sum_up(*copy);
    return copy;
}

}  // namespace hassium
