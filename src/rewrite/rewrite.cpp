#include "rewrite/rewrite.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace hassium {
namespace {

// The arrays that a pass changes: it does not run on a program without large ones.
enum class Arrays : std::uint8_t { Made, All };

struct RewritePass {
    std::string_view name;
    Setting setting;
    Arrays arrays;
    std::int64_t least_bytes;  // of an array that the pass changes, if the setting is `auto`
    std::optional<RewrittenProgram> (*run)(const Program& program, std::int64_t least_bytes);
};

constexpr RewritePass kPasses[] = {
#define HS_PASS(name, arrays, least_bytes) \
    {#name, Setting::name, Arrays::arrays, least_bytes, name},
#include "rewrite/passes.def"
#undef HS_PASS
};

// Indices of the words `auto off on` of the settings, which are read at every flush.
constexpr std::int64_t kOff = 1, kOn = 2;

bool is_off(const RewritePass& pass) {
    return settings().get(Setting::rewrite) == kOff || settings().get(pass.setting) == kOff;
}

std::int64_t least_bytes_of(const RewritePass& pass) {
    return settings().get(pass.setting) == kOn ? 1 : pass.least_bytes;
}

// Returns the bytes of the largest array that the program makes.
std::int64_t largest_made(const Program& program) {
    std::int64_t largest = 0;
    for (const BaseInfo& base : program.bases) {
        if (!base.input) largest = std::max(largest, base.bytes);
    }
    return largest;
}

std::optional<RewrittenProgram> rewrite_by(std::span<const RewritePass> passes,
                                           const Program& recorded,
                                           std::vector<RewriteDump>* dumps) {
    std::optional<RewrittenProgram> rewritten;
    const std::int64_t largest = largest_made(recorded);
    for (const RewritePass& pass : passes) {
        if (is_off(pass)) continue;
        if (pass.arrays == Arrays::Made && largest < least_bytes_of(pass)) continue;
        std::optional<RewrittenProgram> changed =
            pass.run(rewritten ? rewritten->program : recorded, least_bytes_of(pass));
        if (!changed) continue;
        if (rewritten) {
            for (std::uint32_t& i : changed->from) i = rewritten->from[i];
        }
        rewritten = std::move(changed);
        if (dumps) dumps->push_back({pass.name, rewritten->program.dump()});
    }
    return rewritten;
}

}  // namespace

RewrittenProgram without_instructions(const Program& source) {
    RewrittenProgram made{source, {}, {}};
    made.program.instructions.clear();
    made.program.origins.clear();
    return made;
}

std::optional<RewrittenProgram> rewrite(const Program& recorded, std::vector<RewriteDump>* dumps) {
    return rewrite_by(kPasses, recorded, dumps);
}

UnrolledProgram unroll(const Program& recorded) {
    const auto pass = std::ranges::find(kPasses, Setting::reroll, &RewritePass::setting);
    std::optional<RewrittenProgram> before =
        rewrite_by(std::span(kPasses, pass), recorded, nullptr);
    UnrolledProgram unrolled;
    if (before) {
        unrolled = {std::move(before->program), std::move(before->from), {}};
    } else {
        unrolled = {recorded, std::vector<std::uint32_t>(recorded.instructions.size()), {}};
        std::iota(unrolled.recorded_as.begin(), unrolled.recorded_as.end(), 0);
    }
    const auto after = pass->run(unrolled.program, least_bytes_of(*pass));
    if (!after) return unrolled;
    auto next = after->rerolled.begin();
    for (std::uint32_t i = 0; i < after->from.size(); ++i) {
        const bool rerolled = next != after->rerolled.end() && next->instruction == i;
        const auto [_, period, count] = rerolled ? *next++ : RewrittenProgram::Rerolled{i, 0, 1};
        std::vector<std::uint32_t>& members = unrolled.members.emplace_back();
        for (std::uint32_t k = 0; k < count; ++k) members.push_back(after->from[i] + k * period);
    }
    return unrolled;
}

std::int64_t least_bytes_of(Setting pass) {
    const auto found = std::ranges::find(kPasses, pass, &RewritePass::setting);
    return is_off(*found) ? std::numeric_limits<std::int64_t>::max() : least_bytes_of(*found);
}

}  // namespace hassium
