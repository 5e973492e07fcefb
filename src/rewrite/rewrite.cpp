#include "rewrite/rewrite.hpp"

#include <algorithm>
#include <utility>

#include "rewrite/forward_copies.hpp"
#include "rewrite/rematerialize.hpp"

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

// Every pass is about arrays that the program makes and ends.
bool has_temporary(const Program& program, std::int64_t least_bytes) {
    return std::ranges::any_of(program.bases, [&](const BaseInfo& base) {
        return !base.input && base.dies && base.bytes >= least_bytes;
    });
}

}  // namespace

std::span<const RewritePass> rewrite_passes() { return kPasses; }

std::optional<Program> rewrite(const Program& recorded, bool any_size,
                               std::vector<std::uint32_t>& from, std::vector<RewriteDump>* dumps) {
    std::optional<Program> program;
    for (const RewritePass& pass : kPasses) {
        if (is_off(pass)) continue;
        const bool all = any_size || settings().choice(pass.setting) == "on";
        const std::int64_t least_bytes = all ? 1 : pass.least_bytes;
        if (!has_temporary(recorded, least_bytes)) continue;
        std::vector<std::uint32_t> of_pass;
        std::optional<Program> changed =
            pass.run(program ? *program : recorded, least_bytes, of_pass);
        if (!changed) continue;
        if (program) {
            for (std::uint32_t& i : of_pass) i = from[i];
        }
        from = std::move(of_pass);
        program = std::move(changed);
        if (dumps) dumps->push_back({pass.name, program->dump()});
    }
    return program;
}

bool rewrites_any_size() {
    return std::ranges::any_of(kPasses, [](const RewritePass& pass) {
        return !is_off(pass) && settings().choice(pass.setting) == "on";
    });
}

}  // namespace hassium
