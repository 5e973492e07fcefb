#include "engine/flush/capture.hpp"

#include <utility>

#include "engine/flush/plan_flush.hpp"
#include "engine/flush/run.hpp"
#include "program/deaths.hpp"
#include "program/word_hash.hpp"

namespace hassium {
namespace {

// Hashes everything but numbers: which operations of which lines share which blocks, and the cause.
std::uint64_t identity_of(const CachedFlush& flush, const Program& recorded, FlushCause cause,
                          std::uint32_t site) {
    WordHash hash(static_cast<std::uint64_t>(cause));
    hash.add(site);
    const std::vector<Instruction>& instructions = flush.form->program.instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const std::uint32_t from = flush.form->recorded_as[i];
        hash.add(static_cast<std::uint64_t>(instructions[i].op) << 8 |
                 static_cast<std::uint64_t>(instructions[i].method));
        hash.add(from == kNoInstruction ? 0 : recorded.origins[from].site);
    }
    for (const Block& block : flush.partition->blocks) {
        hash.add(block.members.size());
        for (std::uint32_t m : block.members) hash.add(m);
    }
    return hash.value();
}

Captured describe_run(const CachedFlush& flush, const Program& recorded) {
    std::vector<std::uint32_t> recorded_as;
    const Program program = finished_program(flush, recorded, recorded_as);
    const Partition& partition = *flush.partition;
    Captured words;
    words.program = program.dump();
    words.partition = partition.dump(program);
    for (const LoopPlan& plan : flush.plans) words.plan += plan.dump();
    if (flush.form->is_rewritten()) {
        words.rewrites.push_back({"recorded", recorded.dump()});
        rewrite(recorded, &words.rewrites);
    }
    for (std::uint32_t from : recorded_as) {
        words.sites.push_back(from == kNoInstruction ? 0 : recorded.origins[from].site);
    }
    for (const Block& block : partition.blocks) words.blocks.push_back(block.members);
    words.description = describe(program, partition, LegalityMode::Full);
    words.seconds.resize(flush.plans.size());
    words.bytes.resize(flush.plans.size());
    return words;
}

}  // namespace

void Capture::start(bool merged) {
    std::lock_guard lock(mutex_);
    merged_ = merged;
    flushes_.clear();
    by_identity_.clear();
    active_ = true;
}

std::vector<Captured> Capture::stop() {
    std::lock_guard lock(mutex_);
    active_ = false;
    by_identity_.clear();
    std::vector<Captured> all;
    for (const std::shared_ptr<Captured>& flush : std::exchange(flushes_, {})) {
        all.push_back(*flush);
    }
    return all;
}

std::shared_ptr<Captured> Capture::find(std::uint64_t identity) {
    std::lock_guard lock(mutex_);
    const auto known = by_identity_.find(identity);
    return known == by_identity_.end() ? nullptr : known->second;
}

std::shared_ptr<Captured> Capture::add(std::uint64_t identity, Captured flush) {
    auto entry = std::make_shared<Captured>(std::move(flush));
    std::lock_guard lock(mutex_);
    flushes_.push_back(entry);
    if (merged_) by_identity_.emplace(identity, entry);
    return entry;
}

void Capture::add_flush(Captured& flush, std::span<const LoopPlan> plans, double planning,
                        std::int64_t bytes_saved) {
    std::lock_guard lock(mutex_);
    ++flush.count;
    for (std::size_t k = 0; k < plans.size(); ++k) {
        flush.bytes[k] += static_cast<double>(plans[k].bytes);
    }
    flush.planning += planning;
    flush.bytes_saved += static_cast<double>(bytes_saved);
}

void Capture::add_time(Captured& flush, std::size_t first, std::span<const LoopPlan> ran,
                       std::int64_t nanoseconds) {
    double estimated = 0;
    for (const LoopPlan& plan : ran) estimated += plan.seconds;
    const double seconds = static_cast<double>(nanoseconds) * 1e-9;
    std::lock_guard lock(mutex_);
    for (std::size_t k = 0; k < ran.size(); ++k) {
        const double share =
            estimated > 0 ? ran[k].seconds / estimated : 1 / static_cast<double>(ran.size());
        flush.seconds[first + k] += seconds * share;
    }
}

std::shared_ptr<Captured> Engine::State::capture_run(const Run& run) {
    const double planning = static_cast<double>(StageClock::now() - run.began) * 1e-9;
    const CachedFlush& flush = *run.flush;
    const std::uint64_t identity = identity_of(flush, run.job.program, run.cause, run.site);
    std::shared_ptr<Captured> entry = capture.find(identity);
    if (!entry) {
        Captured words = describe_run(flush, run.job.program);
        words.cache_hit = run.hit;
        words.cause = run.cause;
        words.site = run.site;
        entry = capture.add(identity, std::move(words));
    }
    capture.add_flush(*entry, flush.plans, planning, flush.bytes_saved);
    return entry;
}

}  // namespace hassium
