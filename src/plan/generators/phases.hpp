// The phases that lower generators to one nest in canonical order, in the order in which they run.
//
// Each takes a product and returns the next. The nest is data of bounded size: where the grids of
// neighbouring cubes have no small common period, the cubes become segments that run one after
// another; in the worst case each generator does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plan/generators/generators.hpp"
#include "plan/generators/nest.hpp"

namespace hassium {

// The units that become a nest in canonical order: all cubes together; each cube; each generator,
// in writing order. Auto is the first of these whose nest stays within the limit.
enum class Segmentation : std::uint8_t { Auto, All, Cubes, Generators };
std::optional<Segmentation> find_segmentation(std::string_view name);

struct GeneratorOptions {
    // Limit of the blocks of a nest, and of cubes. One period of steps 7, 11 and 13 side by side
    // has 1,001 rows.
    static constexpr std::size_t kMostBlocks = 8192;
    // Limit of comparisons per block of the limit, after which a phase gives up.
    static constexpr std::size_t kComparisons = 64;
    Segmentation segmentation = Segmentation::Auto;
    std::vector<Dims> tiles;  // extents of the tiles of each level, outermost first
    std::size_t limit = kMostBlocks;
};

// The phases. They return none if the result would exceed the limit.
std::optional<std::vector<Cube>> find_cubes(const GeneratorSet& set, std::size_t limit);
// Returns one cube per generator, in writing order; cubes may overlap.
std::vector<Cube> generator_cubes(const GeneratorSet& set);
std::vector<Segment> make_segments(const GeneratorSet& set, const std::vector<Cube>& cubes,
                                   Segmentation segmentation);
std::optional<std::vector<Segment>> split(const std::vector<Segment>& segments, std::size_t limit);
std::optional<std::vector<Segment>> tile(std::vector<Segment> segments,
                                         const std::vector<Dims>& tiles, std::size_t limit);
std::optional<GeneratorNest> merge(std::size_t rank, const std::vector<Segment>& segments,
                                   std::size_t limit);
GeneratorNest optimise(const GeneratorNest& nest);
GeneratorNest fit(const GeneratorNest& nest);

// The products of all phases.
struct GeneratorPhases {
    Segmentation segmentation;  // not Auto
    std::vector<Cube> cubes;
    std::vector<Segment> split, tiled;
    GeneratorNest merged, optimised, fitted;
};
// Throws UserError (Value) if a requested segmentation, or the tiles, exceed the limit.
GeneratorPhases run_phases(const GeneratorSet& set, const GeneratorOptions& options);

}  // namespace hassium
