// Tiling: section 6 of the paper, between splitting and merging.
//
// A tile is a segment: segments are cut at multiples of the tile's extents from their lower corner,
// and their tiles run in row-major order. A further level of tiling is another round over the
// segments of the previous one. Tiles with the same contents get the same nodes when they are
// merged.
#include <algorithm>

#include "plan/generators/phases.hpp"

namespace hassium {
namespace {

class Tiler {
  public:
    Tiler(const Dims& extents, std::size_t limit) : extents_(extents), limit_(limit) {}

    void tile(Segment segment, std::size_t axis) {
        if (segment.cubes.empty()) return;
        if (axis == extents_.size()) {
            count_ += 1 + segment.cubes.size();
            done_.push_back(std::move(segment));
            return;
        }
        std::int64_t lower = segment.box.lower[axis];
        while (lower < segment.box.upper[axis] && count_ <= limit_) {
            const std::int64_t next = std::min(segment.box.upper[axis], lower + extents_[axis]);
            Segment slab{segment.box, {}};
            slab.box.lower[axis] = lower;
            slab.box.upper[axis] = next;
            for (const Cube& cube : segment.cubes) {
                const std::int64_t first = std::max(lower, cube.box.lower[axis]);
                const std::int64_t end = std::min(next, cube.box.upper[axis]);
                if (first >= end) continue;
                slab.cubes.push_back(cut(cube, axis, first, end));
                if (slab.cubes.back().grids.empty()) slab.cubes.pop_back();  // all holes
            }
            tile(std::move(slab), axis + 1);
            lower = next;
        }
    }

    std::vector<Segment>& done() { return done_; }
    bool within_limit() const { return count_ <= limit_; }

  private:
    Dims extents_;
    std::size_t limit_, count_ = 0;
    std::vector<Segment> done_;
};

}  // namespace

std::optional<std::vector<Segment>> tile(std::vector<Segment> segments,
                                         const std::vector<Dims>& tiles, std::size_t limit) {
    for (const Dims& extents : tiles) {
        Tiler tiler(extents, limit);
        for (Segment& segment : segments) tiler.tile(std::move(segment), 0);
        if (!tiler.within_limit()) return std::nullopt;
        segments = std::move(tiler.done());
    }
    return segments;
}

}  // namespace hassium
