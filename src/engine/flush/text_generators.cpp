#include "engine/flush/text_generators.hpp"

#include <span>

#include "base/error.hpp"
#include "plan/generators/phases.hpp"
#include "plan/generators/piecewise_writes.hpp"
#include "program/program.hpp"

namespace hassium {
namespace {

GeneratorOptions make_options(const GeneratorSet& set, const std::string& segmentation,
                              const std::vector<std::vector<std::int64_t>>& tiles) {
    GeneratorOptions options;
    const auto found = find_segmentation(segmentation);
    if (!found) {
        throw UserError(ErrorKind::Value, "[generators] unknown segmentation '" + segmentation +
                                              "': must be auto, all, cubes or generators");
    }
    options.segmentation = *found;
    for (const std::vector<std::int64_t>& extents : tiles) {
        bool good = extents.size() == set.shape.size();
        for (std::int64_t extent : extents) good = good && extent > 0;
        if (!good) {
            throw UserError(ErrorKind::Value,
                            "[generators] a tile has an extent of at least 1 for each axis");
        }
        options.tiles.emplace_back(std::span(extents));
    }
    return options;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> dump_generators(
    const std::string& text, const std::string& segmentation,
    const std::vector<std::vector<std::int64_t>>& tiles) {
    const GeneratorSet set = GeneratorSet::parse(text);
    const GeneratorPhases phases = run_phases(set, make_options(set, segmentation, tiles));
    phases.merged.verify(set.ops.size(), false);
    phases.optimised.verify(set.ops.size(), false);
    phases.fitted.verify(set.ops.size(), true);
    return {
        {"generators", set.dump()},
        {"cubes", dump(phases.cubes, set.ops)},
        {"splitting", dump(phases.split, set.ops)},
        {"tiling", dump(phases.tiled, set.ops)},
        {"merging", phases.merged.dump(set.ops)},
        {"optimisation", phases.optimised.dump(set.ops)},
        {"fitting", phases.fitted.dump(set.ops)},
    };
}

std::vector<TextPieces> find_pieces(const std::string& text) {
    const Program program = Program::parse(text);
    program.verify();
    std::vector<TextPieces> found;
    for (const PiecewiseWrites& writes : find_piecewise_writes(program)) {
        found.push_back({program.names[writes.base],
                         writes.instructions,
                         {writes.strides.begin(), writes.strides.end()},
                         writes.set.dump()});
    }
    return found;
}

}  // namespace hassium
