#include "plan/generators/phases.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"

namespace hassium {
namespace {

std::optional<GeneratorPhases> try_phases(const GeneratorSet& set, const GeneratorOptions& options,
                                          Segmentation segmentation, std::vector<Cube> cubes) {
    const std::vector<Segment> segments = make_segments(set, cubes, segmentation);
    auto split_segments = split(segments, options.limit);
    if (!split_segments) return std::nullopt;
    auto tiled = tile(*split_segments, options.tiles, options.limit);
    if (!tiled) return std::nullopt;
    auto merged = merge(set.shape.size(), *tiled, options.limit);
    if (!merged) return std::nullopt;
    GeneratorNest optimised = optimise(*merged);
    GeneratorNest fitted = fit(optimised);
    return GeneratorPhases{segmentation,      std::move(cubes),   std::move(*split_segments),
                           std::move(*tiled), std::move(*merged), std::move(optimised),
                           std::move(fitted)};
}

}  // namespace

GeneratorPhases run_phases(const GeneratorSet& set, const GeneratorOptions& options) {
    using enum Segmentation;
    const bool naive = options.segmentation == Generators;
    const auto cubes = naive ? std::nullopt : find_cubes(set, options.limit);
    for (Segmentation one : {All, Cubes, Generators}) {
        if (options.segmentation != Auto && options.segmentation != one) continue;
        const auto own = one == Generators ? std::optional(generator_cubes(set)) : cubes;
        auto phases = own ? try_phases(set, options, one, *own) : std::nullopt;
        if (phases) return std::move(*phases);
    }
    throw UserError(ErrorKind::Value, "[generators] the nest has more than " +
                                          std::to_string(options.limit) + " blocks");
}

}  // namespace hassium
