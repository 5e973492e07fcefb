// Splitting: section 4 of the paper, second step.
//
// Cubes of one segment are cut at the same positions, axis by axis from outside: at every end of a
// cube on axis 0, then within each of these slabs at every end on axis 1. So the cubes of a slab
// share its bounds, and the list of cubes is a tree of intervals.
#include <algorithm>

#include "plan/generators/phases.hpp"

namespace hassium {
namespace {

class Splitter {
  public:
    Splitter(std::size_t rank, std::size_t limit) : rank_(rank), limit_(limit) {}

    void split(std::vector<Cube> cubes, std::size_t axis) {
        if (axis == rank_) {
            std::ranges::move(cubes, std::back_inserter(done_));
            return;
        }
        std::vector<std::int64_t> bounds;
        for (const Cube& cube : cubes) {
            bounds.insert(bounds.end(), {cube.box.lower[axis], cube.box.upper[axis]});
        }
        std::ranges::sort(bounds);
        bounds.erase(std::ranges::unique(bounds).begin(), bounds.end());
        for (std::size_t k = 0; k + 1 < bounds.size() && done_.size() <= limit_; ++k) {
            std::vector<Cube> slab;
            for (const Cube& cube : cubes) {
                if (cube.box.lower[axis] > bounds[k] || cube.box.upper[axis] <= bounds[k]) continue;
                slab.push_back(cut(cube, axis, bounds[k], bounds[k + 1]));
                if (slab.back().grids.empty()) slab.pop_back();  // all holes
            }
            split(std::move(slab), axis + 1);
        }
    }

    const std::vector<Cube>& done() const { return done_; }

  private:
    std::size_t rank_, limit_;
    std::vector<Cube> done_;
};

}  // namespace

std::optional<std::vector<Segment>> split(const std::vector<Segment>& segments, std::size_t limit) {
    std::vector<Segment> done;
    std::size_t count = 0;
    for (const Segment& segment : segments) {
        Splitter splitter(segment.box.lower.size(), limit);
        splitter.split(segment.cubes, 0);
        done.push_back({segment.box, splitter.done()});
        count += splitter.done().size();
        if (count > limit) return std::nullopt;
    }
    return done;
}

}  // namespace hassium
