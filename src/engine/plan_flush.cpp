#include "engine/plan_flush.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "fuse/memory.hpp"
#include "plan/lower.hpp"
#include "plan/release.hpp"
#include "plan/sweep.hpp"

namespace hassium {

namespace {

// Fused work takes a fraction of the estimate, and a loop has several first flushes.
constexpr double kShare = 0.05;
constexpr double kSecondsPerInstruction = 0.5e-6;
constexpr double kSecondsPerElement = 0.4e-9;  // one float64 from memory
constexpr double kSecondsPerCycle = 1 / 3e9;

// What running the program takes, give or take a factor of two.
double estimated_seconds(const Program& program) {
    double seconds = 0;
    for (const Instruction& i : program.instructions) {
        if (info(i.op).cls == OpClass::System) continue;
        auto elements = static_cast<double>(element_count(program.iteration_shape(i)));
        seconds += kSecondsPerInstruction +
                   elements * std::max(kSecondsPerElement, info(i.op).cycles * kSecondsPerCycle);
    }
    return seconds;
}

}  // namespace

Partition partition_flush(const Program& program, std::vector<Guard>& guards) {
    const Settings& config = settings();
    FuseOptions options{config.choice(Setting::partitioner), config.choice(Setting::cost_model)};
    options.time_limit = static_cast<double>(config.get(Setting::search_milliseconds)) * 1e-3;
    if (options.partitioner == "auto") {
        options.partitioner = "optimal";
        double most = static_cast<double>(config.get(Setting::partition_microseconds)) * 1e-6;
        options.time_limit = std::min(most, kShare * estimated_seconds(program));
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
    if (settings().on(Setting::sweep)) pair_sweeps(flush.plans);
    for (const LoopPlan& plan : flush.plans) {
        if (verify) plan.verify();
        flush.codes.push_back(compile(plan));
    }
    flush.bytes_saved = static_cast<std::int64_t>(flush.partition->bytes_saved);
}

}  // namespace hassium
