#include "rewrite/rewrite.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "rewrite/forward_copies.hpp"
#include "rewrite/infer_bounds.hpp"
#include "rewrite/pull_gathers.hpp"
#include "rewrite/rematerialize.hpp"
#include "rewrite/split_reductions.hpp"

namespace hassium {
namespace {

constexpr RewritePass kPasses[] = {
#define HS_PASS(name, least_bytes) {#name, Setting::name, least_bytes, name},
#include "rewrite/passes.def"
#undef HS_PASS
};

bool is_off(const RewritePass& pass) {
    return settings().choice(Setting::rewrite) == "off" || settings().choice(pass.setting) == "off";
}

std::int64_t least_bytes_of(const RewritePass& pass) {
    return settings().choice(pass.setting) == "on" ? 1 : pass.least_bytes;
}

}  // namespace

std::span<const RewritePass> rewrite_passes() { return kPasses; }

std::optional<RewrittenProgram> rewrite(const Program& recorded, std::vector<RewriteDump>* dumps) {
    std::optional<RewrittenProgram> rewritten;
    for (const RewritePass& pass : kPasses) {
        if (is_off(pass)) continue;
        std::vector<std::uint32_t> from;
        std::optional<Program> changed =
            pass.run(rewritten ? rewritten->program : recorded, least_bytes_of(pass), from);
        if (!changed) continue;
        if (rewritten) {
            for (std::uint32_t& i : from) i = rewritten->from[i];
        }
        rewritten = {std::move(*changed), std::move(from)};
        if (dumps) dumps->push_back({pass.name, rewritten->program.dump()});
    }
    return rewritten;
}

std::int64_t least_bytes_of(Setting pass) {
    const auto found = std::ranges::find(kPasses, pass, &RewritePass::setting);
    return is_off(*found) ? std::numeric_limits<std::int64_t>::max() : least_bytes_of(*found);
}

}  // namespace hassium
