// Finds or makes the plan of a run. The exact cache may have it. Otherwise the program is
// rewritten, and then bound to a family of programs that differ only in numbers, or planned: finish
// the program, graph and partition, plan, compile.
#include <algorithm>

#include "base/counters.hpp"
#include "base/settings.hpp"
#include "engine/engine.hpp"
#include "engine/flush/plan_flush.hpp"
#include "engine/flush/run.hpp"
#include "fuse/cost/memory.hpp"
#include "program/deaths.hpp"
#include "program/word_hash.hpp"

namespace hassium {
namespace {

std::size_t entry_bound() {
    return static_cast<std::size_t>(settings().get(Setting::cache_entries));
}

// Takes the spare flush of a family, ready for rebinding; null if there is none.
std::shared_ptr<CachedFlush> shared_plan_of(const Family& family) {
    std::shared_ptr<CachedFlush> flush = family.spare.take();
    if (flush && flush->rebindings.empty()) prepare_rebinding(*flush);
    return flush;
}

}  // namespace

// Hashes the values of all settings, so that going back to earlier settings finds their entries
// again.
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
    if (run.hit) {
        counters().add(Counter::cache_hits);
        return;
    }
    run.rewritten = rewrite(run.job.program);
    run.clock.mark(Stage::Simplify);
    if (!config.on(Setting::cache)) {
        run.flush = plan_anew(run, nullptr);
        return;
    }
    if (!config.on(Setting::cache_symbolic)) {
        run.flush = plan_anew(run, nullptr);
        cache.store(run.flush, entry_bound());
        return;
    }
    thread_local SymbolicKey key;  // reuses its memory
    symbolic_key(run.program(), key);
    run.flush = bind_to_family(run, key);
    run.hit = run.flush != nullptr;
    if (run.hit) return;
    auto family = std::make_shared<Family>();
    family->key = key;
    run.flush = plan_anew(run, std::move(family));
}

// Binds a program to a known family: with its partition, and the plans and code of its spare flush
// if there is one. Returns null if there is no such family.
std::shared_ptr<const CachedFlush> Engine::State::bind_to_family(Run& run, const SymbolicKey& key) {
    const Program& program = run.program();
    auto families = cache.find(key, run.settings);
    auto found = std::find_if(families.begin(), families.end(), [&](const auto& f) {
        return has_form(*f->form, run.job.program, run.rewritten ? &*run.rewritten : nullptr) &&
               guards_hold(program, f->guards);
    });
    run.clock.mark(Stage::Cache);
    if (found == families.end()) return nullptr;
    const Family& family = **found;
    std::shared_ptr<CachedFlush> flush = shared_plan_of(family);
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
    // The bases of passes have a binding by the flush's own program only.
    if (run.rewritten) number(*flush, program);
    // A partition that needs little memory at one size may need too much at another.
    if (!makes_little(program)) {
        number(*flush, program);
        if (swells(flush->program, *flush->partition)) {
            if (known) family.spare.give(std::move(flush));
            return nullptr;
        }
    }
    counters().add(Counter::cache_hits);
    counters().add(Counter::cache_symbolic_hits);
    cache.touch(family);
    if (known) {
        run.planning = kPlanInstruction * static_cast<double>(rebind_blocks(*flush, program));
    } else {
        number(*flush, program);
        plan_blocks(*flush);
        run.planning = kPlanInstruction * static_cast<double>(program.instructions.size());
    }
    run.planning += kBindInstruction * static_cast<double>(program.instructions.size()) +
                    kBindBlock * static_cast<double>(flush->plans.size());
    run.clock.mark(Stage::Plan);
    if (cache.admits(run.job.hash, entry_bound())) {
        number(*flush, program);
        cache.store(copy_of(*flush), entry_bound());
    }
    run.family = *found;
    run.shared = flush;
    return flush;
}

// Returns the spare flush of a run to its family, unless the flush is still referenced.
void Engine::State::give_back(Run& run) {
    if (!run.shared) return;
    run.flush = nullptr;
    if (run.shared.use_count() == 1) run.family->spare.give(std::move(run.shared));
}

// Plans a program that no cache level knows. A family, which has its key already, is completed and
// stored together with the flush.
std::shared_ptr<const CachedFlush> Engine::State::plan_anew(Run& run,
                                                            std::shared_ptr<Family> family) {
    const Settings& config = settings();
    counters().add(Counter::cache_misses);
    run.planning = (kPartitionInstruction + kPlanInstruction) *
                   static_cast<double>(run.program().instructions.size());
    const std::shared_ptr<FinishedForm> form =
        finished_form(run.job.program, run.rewritten ? &*run.rewritten : nullptr);
    run.clock.mark(Stage::Simplify);
    if (config.on(Setting::verify)) {
        form->program.verify();
        if (run.rewritten) form->program.verify_sources();
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
    if (were_lost(guards)) return flush;
    family->settings = run.settings;
    without_deaths(guards, form->program);
    family->guards = std::move(guards);
    family->form = form;
    family->partition = flush->partition;
    cache.store(std::shared_ptr<const Family>(std::move(family)), entry_bound());
    return flush;
}

}  // namespace hassium
