// Segmentation: section 5 of the paper.
//
// A segment is a box that has its own nest in canonical order. All cubes in one segment visit the
// array once, in memory order. If neighbouring steps have no small common multiple, that needs many
// rows: then each cube is a segment. One segment per generator is the paper's naive compilation; it
// needs neither cubes nor disjoint generators, and its size is that of the set.
#include "plan/generators/phases.hpp"

namespace hassium {

std::optional<Segmentation> find_segmentation(std::string_view name) {
    constexpr std::string_view names[] = {"auto", "all", "cubes", "generators"};
    for (std::size_t k = 0; k < std::size(names); ++k) {
        if (names[k] == name) return static_cast<Segmentation>(k);
    }
    return std::nullopt;
}

std::vector<Cube> generator_cubes(const GeneratorSet& set) {
    std::vector<Cube> cubes;
    for (const Generator& g : set.generators) {
        cubes.push_back(find_cubes({set.shape, {}, {g}}, 1)->front());
    }
    return cubes;
}

std::vector<Segment> make_segments(const GeneratorSet& set, const std::vector<Cube>& cubes,
                                   Segmentation segmentation) {
    if (cubes.empty()) return {};
    if (segmentation == Segmentation::All) return {{{Dims(set.shape.size(), 0), set.shape}, cubes}};
    std::vector<Segment> segments;
    for (const Cube& cube : cubes) segments.push_back({cube.box, {cube}});
    return segments;
}

}  // namespace hassium
