#include "rewrite/rewrite.hpp"

#include <algorithm>
#include <utility>

#include "rewrite/forward_copies.hpp"
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

}  // namespace

std::span<const RewritePass> rewrite_passes() { return kPasses; }

std::optional<RewrittenProgram> rewrite(const Program& recorded, std::vector<RewriteDump>* dumps) {
    std::optional<RewrittenProgram> rewritten;
    for (const RewritePass& pass : kPasses) {
        if (is_off(pass)) continue;
        const bool all = settings().choice(pass.setting) == "on";
        std::vector<std::uint32_t> from;
        std::optional<Program> changed =
            pass.run(rewritten ? rewritten->program : recorded, all ? 1 : pass.least_bytes, from);
        if (!changed) continue;
        if (rewritten) {
            for (std::uint32_t& i : from) i = rewritten->from[i];
        }
        rewritten = {std::move(*changed), std::move(from)};
        if (dumps) dumps->push_back({pass.name, rewritten->program.dump()});
    }
    return rewritten;
}

}  // namespace hassium
