#include "engine/engine.hpp"

#include <algorithm>

#include "base/counters.hpp"
#include "base/settings.hpp"
#include "engine/element_habit.hpp"
#include "engine/fault_count.hpp"
#include "engine/plan_flush.hpp"
#include "engine/read_habit.hpp"
#include "engine/reports.hpp"
#include "engine/run.hpp"
#include "exec/memory_pool.hpp"
#include "exec/thread_pool.hpp"
#include "fuse/memory.hpp"
#include "program/deaths.hpp"
#include "program/word_hash.hpp"

namespace hassium {
namespace {

// Whichever comes first; short blocks and sweeps do not ask on their own.
constexpr std::size_t kBlocksPerPoll = 16;
constexpr double kSecondsPerPoll = 20e-3;  // estimated

// Whatever becomes of the cache?
bool always_rewrites() {
    const Settings& config = settings();
    return config.choice(Setting::pieces) == "on" || config.choice(Setting::remake) == "on";
}

std::size_t entry_bound() {
    return static_cast<std::size_t>(settings().get(Setting::cache_entries));
}

}  // namespace

// Flush: take, verify, key, cache probe, finish the program, graph and partition, plan, compile,
// execute.
void Engine::State::probe(Run& run) {
    if (!settings().on(Setting::cache) || settings().choice(Setting::executor) == "reference") {
        return;
    }
    const Job& job = run.job;
    run.flush = cache.find(job.program, job.hash, run.settings, job.known.get());
    run.hit = run.flush != nullptr;
    run.clock.mark(Stage::Cache);
}

void Engine::State::prepare(Run& run) {
    const Settings& config = settings();
    const Program& recorded = run.job.program;
    if (!config.on(Setting::cache)) {
        run.flush = plan_anew(run, nullptr);
        return;
    }
    if (run.hit) {
        counters().add(Counter::cache_hits);
        if (run.flush->heat.reaches(config.get(Setting::improve_after))) improve(run, nullptr);
        return;
    }
    if (!config.on(Setting::cache_symbolic)) {
        run.flush = plan_anew(run, nullptr);
        cache.store(run.flush, entry_bound());
        return;
    }
    thread_local SymbolicKey key;  // its memory is kept
    symbolic_key(recorded, key);
    run.flush = bind_to_family(run, key);
    run.hit = run.flush != nullptr;
    if (run.hit) return;
    auto family = std::make_shared<Family>();
    family->key = key;
    run.flush = plan_anew(run, std::move(family));
}

namespace {

// What a family has to lend, ready to be bound anew.
std::shared_ptr<CachedFlush> lent_by(const Family& family) {
    std::shared_ptr<CachedFlush> flush = family.spare.take();
    if (flush && flush->rebindings.empty()) prepare_rebinding(*flush);
    return flush;
}

}  // namespace

// A program whose family is known: the partition is the family's, and so are plans and code where
// another member's are at hand.
std::shared_ptr<const CachedFlush> Engine::State::bind_to_family(Run& run, const SymbolicKey& key) {
    const Program& recorded = run.job.program;
    auto families = cache.find(key, run.settings);
    auto found = std::find_if(families.begin(), families.end(),
                              [&](const auto& f) { return guards_hold(recorded, f->guards); });
    run.clock.mark(Stage::Cache);
    if (found == families.end()) return nullptr;
    const Family& family = **found;
    if (family.small && rewritten_forms.worth(key.hash) && is_rewritten(recorded)) return nullptr;
    std::shared_ptr<CachedFlush> flush = lent_by(family);
    const bool known = flush != nullptr;
    if (!known) {
        flush = std::make_shared<CachedFlush>();
        flush->program = family.form->program;
        flush->form = family.form;
        flush->partition = family.partition;
    }
    flush->hash = run.job.hash;
    flush->settings = run.settings;
    flush->numbered = false;
    // What holds little memory at one size may hold too much at another.
    if (!makes_little(recorded)) {
        number(*flush, recorded);
        if (swells(flush->program, *flush->partition)) {
            if (known) family.spare.give(std::move(flush));
            return nullptr;
        }
    }
    counters().add(Counter::cache_hits);
    counters().add(Counter::cache_symbolic_hits);
    cache.touch(family);
    if (known) {
        run.planning = kPlanInstruction * static_cast<double>(rebind_blocks(*flush, recorded));
    } else {
        number(*flush, recorded);
        plan_blocks(*flush);
        run.planning = kPlanInstruction * static_cast<double>(recorded.instructions.size());
    }
    run.planning += kBindInstruction * static_cast<double>(recorded.instructions.size()) +
                    kBindBlock * static_cast<double>(flush->plans.size());
    run.clock.mark(Stage::Plan);
    if (cache.admits(run.job.hash, entry_bound())) {
        number(*flush, recorded);
        cache.store(copy_of(*flush), entry_bound());
    }
    run.family = *found;
    run.lent = flush;
    if (family.heat.reaches(settings().get(Setting::improve_after))) {
        number(*flush, recorded);
        run.flush = flush;
        improve(run, *found);
    }
    return flush;
}

// What a run had from its family goes back, unless somebody else looks at it.
void Engine::State::give_back(Run& run) {
    if (!run.lent) return;
    run.flush = nullptr;
    if (run.lent.use_count() == 1) run.family->spare.give(std::move(run.lent));
}

// Asks for a better partition in the background.
void Engine::State::improve(const Run& run, std::shared_ptr<const Family> family) {
    if (run.flush->partition->optimal) return;
    const Settings& config = settings();
    improver.submit({run.flush, std::move(family), std::string(config.choice(Setting::cost_model)),
                     static_cast<double>(config.get(Setting::search_milliseconds)) * 1e-3});
}

// A program that nothing is known of. With a family, which has its key already, both enter the
// cache.
std::shared_ptr<const CachedFlush> Engine::State::plan_anew(Run& run,
                                                            std::shared_ptr<Family> family) {
    const Settings& config = settings();
    counters().add(Counter::cache_misses);
    const Program& recorded = run.job.program;
    run.planning = (kPartitionInstruction + kPlanInstruction) *
                   static_cast<double>(recorded.instructions.size());
    auto form = std::make_shared<FinishedForm>();
    form->recorded = recorded.instructions;
    form->recorded_bases = recorded.bases.size();
    if (!family || always_rewrites() || rewritten_forms.worth(family->key.hash)) {
        rewrite(recorded, *form);
    }
    if (family && form->rewritten) rewritten_forms.count(family->key.hash);
    if (!form->rewritten) form->program = with_deaths(recorded, form->recorded_as);
    run.clock.mark(Stage::Simplify);
    if (config.on(Setting::verify)) {
        form->program.verify();
        if (form->rewritten) form->program.verify_sources();
    }
    run.clock.mark(Stage::Verify);
    form->program.origins.clear();
    form->program.constants.clear();
    form->uses = count_uses(form->program);

    auto flush = std::make_shared<CachedFlush>();
    flush->hash = run.job.hash;
    flush->settings = run.settings;
    flush->program = form->program;
    flush->form = form;
    std::vector<Guard> guards;
    flush->partition = std::make_shared<const Partition>(partition_flush(flush->program, guards));
    run.clock.mark(Stage::Partition);
    plan_blocks(*flush);
    run.clock.mark(Stage::Plan);
    if (!family) return flush;
    cache.store(flush, entry_bound());
    // Its numbers are others than those that were recorded.
    if (form->rewritten || were_lost(guards)) return flush;
    family->settings = run.settings;
    family->small = is_rewritten(recorded, true);
    without_deaths(guards, form->recorded_as);
    family->guards = std::move(guards);
    family->form = std::move(form);
    family->partition = flush->partition;
    cache.store(std::shared_ptr<const Family>(std::move(family)), entry_bound());
    return flush;
}

void Engine::State::execute(Run& run) {
    const Program& recorded = run.job.program;
    // An array that was read before anything was written to it exists, with whatever it holds.
    if (run.job.lacks_memory) {
        for (std::size_t b = 0; b < run.job.bindings.size(); ++b) {
            Binding& base = run.job.bindings[b];
            if (!recorded.bases[b].input || base.data) continue;
            base.data = memory_pool().acquire(base.bytes);
        }
    }
    if (settings().choice(Setting::executor) == "reference") return execute_reference(run);
    prepare(run);
    const CachedFlush& flush = *run.flush;
    for (std::size_t b = run.job.bindings.size(); b < flush.program.bases.size(); ++b) {
        run.job.bindings.push_back({nullptr, flush.program.bases[b].bytes});
    }
    counters().add(Counter::bytes_saved, flush.bytes_saved);
    if (capturing) capture(run);
    RunState state{0, run.interrupted, recorded.constants.data()};
    FaultCount faults(flush.work.most_bytes);
    ToldOnce told;
    auto report = [&](const LoopPlan& plan, std::uint8_t raised) {
        if (!(raised & plan.raises)) return;
        collect_reports(flush.program, plan.instructions, flush.form->recorded_as, recorded.origins,
                        raised, run.reports, flush.form->rewritten ? &told : nullptr);
    };
    expect_work(flush.work.seconds, static_cast<std::int64_t>(flush.plans.size()));
    double seconds = 0;  // since the last poll
    for (std::size_t polled = kBlocksPerPoll; run.blocks_done < flush.plans.size();) {
        const std::size_t k = run.blocks_done;
        if (k >= polled || seconds > kSecondsPerPoll) {
            run.poll();
            polled = k + kBlocksPerPoll;
            seconds = 0;
        }
        const std::size_t nests = flush.plans[k].sweep.nests;
        PlannedCode swept[Sweep::kMostNests];
        for (std::size_t n = 0; n < nests; ++n) {
            swept[n] = {&flush.plans[k + n], flush.codes[k + n].get()};
        }
        if (nests > 0 && sweeps_on_all_threads({swept, nests})) {
            std::uint8_t raised[Sweep::kMostNests];
            run_sweep(flush.program, {swept, nests}, run.job.bindings, state, {raised, nests});
            for (std::size_t n = 0; n < nests; ++n) report(flush.plans[k + n], raised[n]);
            run.blocks_done += nests;
        } else {
            state.raised = 0;
            run_block(flush.program, flush.plans[k], *flush.codes[k], run.job.bindings, state);
            report(flush.plans[k], state.raised);
            ++run.blocks_done;
        }
        for (std::size_t n = k; n < run.blocks_done; ++n) seconds += flush.plans[n].seconds;
    }
    if (state.launched) run.clock.mark(Stage::Launch, state.launched);
    run.clock.mark(Stage::Execute);
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
        collect_reports(program, {&i, 1}, recorded_as, recorded.origins, state.raised, run.reports);
    }
    run.clock.mark(Stage::Execute);
}

void Engine::State::capture(const Run& run) {
    std::vector<std::uint32_t> recorded_as;
    Program program = finished_program(*run.flush, run.job.program, recorded_as);
    std::string plans;
    for (const LoopPlan& plan : run.flush->plans) plans += plan.dump();
    const Partition& partition = *run.flush->partition;
    Captured flush{program.dump(), partition.dump(program), std::move(plans), run.hit, {}, {}, {}};
    for (std::uint32_t recorded : recorded_as) {
        flush.sites.push_back(recorded == kNoInstruction ? 0
                                                         : run.job.program.origins[recorded].site);
    }
    for (const Block& block : partition.blocks) {
        std::vector<std::uint32_t>& members = flush.blocks.emplace_back();
        for (const BlockMember& m : block.members) members.push_back(m.instruction);
    }
    flush.description = describe(program, partition, LegalityMode::Full);
    captured.push_back(std::move(flush));
}

// The identity of all settings together, so that going back to earlier settings finds their
// entries again.
std::uint64_t Engine::State::settings_identity() {
    if (settings_version != settings().version()) {
        WordHash hash(0);
        for (int k = 0; k < kSettingCount; ++k) {
            hash.add(static_cast<std::uint64_t>(settings().get(static_cast<Setting>(k))));
        }
        settings_hash = hash.value();
        settings_version = settings().version();
    }
    return settings_hash;
}

void Engine::State::give_memory(Base& base) {
    if (!base.data) base.data = memory_pool().acquire(base.bytes);
}

void Engine::State::read_deferred(Queue& queue) {
    while (const DeferredRead* read = queue.deferred.ready()) {
        give_memory(*read->number);
        give_memory(*read->source.base);
        const char* element = read->source.base->data + read->source.offset;
        std::copy_n(element, read->number->bytes, read->number->data);
        queue.deferred.remove(read->number);
    }
}

Engine::Engine() : state_(std::make_unique<State>()) {
    set_memory_release(
        [](char* memory, std::int64_t bytes) { memory_pool().release(memory, bytes); });
}

Engine& Engine::instance() {
    static Engine* engine = new Engine();  // arrays may die after static destruction
    return *engine;
}

void Engine::await_aside() { state_->await_aside(host_); }

char* Engine::ready(Base& base) {
    read_habit().read(base);
    if (deferred(base)) element_habit().missed();
    while (base.owner) state_->flush_base(base, host_);
    // New memory, while the queue holds on to old: the old is taken again.
    if (!base.data && state_->mine().dead_bytes() > settings().get(Setting::pending_bytes))
        run_pending();
    state_->give_memory(base);
    return base.data;
}

bool Engine::deferred(const Base& base) {
    return base.owner && base.owner->deferred.source_of(&base);
}

// Numbers of one array wait at a time, lest those that are kept keep all the arrays of a loop. Nor
// are they many: who reads an array element by element wants them.
std::optional<View> Engine::defer_read(const View& element) {
    constexpr std::size_t kMost = 32;
    Queue& queue = state_->mine();
    while (const DeferredRead* other = queue.deferred.of_another(element.base.get())) {
        copy_deferred(queue, other->number);
    }
    const Base& base = *element.base;
    if (base.owner != &queue || base.eager() || deferred(base)) return std::nullopt;
    if (queue.deferred.size() == kMost) return std::nullopt;
    View number = fresh_view(element.dtype, {});
    number.base->owner = &queue;
    queue.deferred.add(number.base.get(), element);
    return number;
}

char* Engine::begin_export(Base& base) {
    char* data = ready(base);
    ++base.exports;
    base.range_known = false;
    return data;
}

void Engine::end_export(Base& base) { --base.exports; }

Engine::CacheInfo Engine::cache_info() const {
    const Counters& c = counters();
    MergeCache::Sizes sizes = state_->cache.sizes();
    return {c.get(Counter::cache_hits),
            c.get(Counter::cache_misses),
            c.get(Counter::cache_symbolic_hits),
            sizes.exact,
            sizes.families,
            c.get(Counter::improvements)};
}

void Engine::cache_clear() { state_->cache.clear(); }

void Engine::wait_for_improvements() {
    void* left = host_.leave();
    state_->improver.wait();
    host_.enter(left);
}

void Engine::stop_background() {
    void* left = host_.leave();
    state_->improver.stop();
    host_.enter(left);
    await_aside();
}

Engine::Memory Engine::memory() const {
    PoolStats stats = memory_pool().stats();
    return {stats.held, stats.kept, stats.peak};
}

void Engine::reset_peak() { memory_pool().reset_peak(); }

void Engine::start_capture() {
    await_aside();
    state_->capturing = true;
    state_->captured.clear();
}

std::vector<Captured> Engine::stop_capture() {
    state_->capturing = false;
    return std::move(state_->captured);
}

}  // namespace hassium
