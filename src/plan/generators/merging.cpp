// Merging: section 4 of the paper, third step.
//
// The cubes of one interval of an axis repeat together after the least common multiple of their
// steps, or not at all within the interval. Within one period, the ends of all runs divide the axis
// into blocks, each with a fixed set of grids; these form the next axis. On the last axis the last
// grid of a cube writes.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "plan/generators/phases.hpp"

namespace hassium {
namespace {

// A grid, as the indices of its cube and of the grid in it.
using Live = std::pair<std::uint32_t, std::uint32_t>;

class Merger {
  public:
    Merger(GeneratorNest& nest, const Segment& segment, std::size_t limit)
        : nest_(nest), cubes_(segment.cubes), corner_(segment.box.lower), limit_(limit) {}

    void run(const IndexBox& box) {
        std::vector<Live> all;
        for (std::uint32_t c = 0; c < cubes_.size(); ++c) {
            for (std::uint32_t g = 0; g < cubes_[c].grids.size(); ++g) all.emplace_back(c, g);
        }
        nest_.add(NestSegment{box, merge(0, visible(0, all))});
    }

    bool within_limit() const {
        return spent_ <= GeneratorOptions::kComparisons * limit_ && nest_.block_count() <= limit_;
    }

  private:
    const GridAxis& axis_of(Live live, std::size_t axis) const {
        return cubes_[live.first].grids[live.second].axes[axis];
    }

    // Returns the grids that no later grid of their cube covers on all axes from `axis` on.
    std::vector<Live> visible(std::size_t axis, const std::vector<Live>& live) {
        std::vector<Live> kept;
        for (std::size_t k = 0; k < live.size(); ++k) {
            const std::vector<Grid>& grids = cubes_[live[k].first].grids;
            bool hidden = false;
            for (std::size_t j = k + 1; j < live.size() && live[j].first == live[k].first; ++j) {
                hidden = hidden || grids[live[j].second].covers(grids[live[k].second], axis);
                ++spent_;
            }
            if (!hidden) kept.push_back(live[k]);
        }
        return kept;
    }

    std::uint32_t merge(std::size_t axis, const std::vector<Live>& live) {
        if (axis == corner_.size()) return cubes_[live.back().first].grids[live.back().second].op;
        auto known = merged_.find({axis, live});
        if (known != merged_.end()) return known->second;
        NestIntervals intervals;
        for (auto first = live.begin(); first != live.end() && within_limit();) {
            const IndexBox& box = cubes_[first->first].box;
            auto end = std::find_if(first, live.end(), [&](Live l) {
                return cubes_[l.first].box.lower[axis] != box.lower[axis];
            });
            NestInterval now{
                box.lower[axis] - corner_[axis], box.upper[axis] - corner_[axis], 1, {}};
            merge_interval(axis, {first, end}, now);
            if (!now.blocks.empty()) intervals.push_back(std::move(now));
            first = end;
        }
        const std::uint32_t node = nest_.add(axis, std::move(intervals));
        merged_.emplace(std::pair{axis, live}, node);
        return node;
    }

    void merge_interval(std::size_t axis, std::span<const Live> live, NestInterval& interval) {
        const std::int64_t length = interval.upper - interval.lower;
        for (Live l : live) {
            const std::int64_t factor =
                axis_of(l, axis).step / std::gcd(interval.period, axis_of(l, axis).step);
            interval.period = interval.period > length / factor ? length : interval.period * factor;
        }
        const std::vector<std::int64_t> marks = find_marks(axis, live, interval.period);
        for (std::size_t k = 0; k + 1 < marks.size() && within_limit(); ++k) {
            spent_ += live.size();
            std::vector<Live> within;
            for (Live l : live) {
                const GridAxis& a = axis_of(l, axis);
                const std::int64_t at = marks[k] % a.step;
                if (at >= a.offset && at < a.offset + a.width) within.push_back(l);
            }
            if (within.empty()) continue;
            const std::uint32_t child = merge(axis + 1, visible(axis + 1, within));
            interval.blocks.push_back({marks[k], marks[k + 1] - marks[k], child});
        }
    }

    // Returns the starts and ends of the runs in one period.
    std::vector<std::int64_t> find_marks(std::size_t axis, std::span<const Live> live,
                                         std::int64_t period) {
        std::vector<GridAxis> axes;
        for (Live l : live) axes.push_back(axis_of(l, axis));
        auto key = [](const GridAxis& a) { return std::tuple(a.step, a.offset, a.width); };
        std::ranges::sort(axes, {}, key);
        axes.erase(std::ranges::unique(axes).begin(), axes.end());
        std::vector<std::int64_t> marks;
        for (const GridAxis& a : axes) {
            if (a.is_dense()) {
                marks.insert(marks.end(), {0, period});
                continue;
            }
            spent_ += static_cast<std::size_t>(period / a.step);
            if (!within_limit()) return {};
            for (std::int64_t at = a.offset; at < period; at += a.step) {
                marks.insert(marks.end(), {at, std::min(period, at + a.width)});
            }
        }
        std::ranges::sort(marks);
        marks.erase(std::ranges::unique(marks).begin(), marks.end());
        return marks;
    }

    GeneratorNest& nest_;
    const std::vector<Cube>& cubes_;
    const Dims& corner_;
    std::size_t limit_, spent_ = 0;
    std::map<std::pair<std::size_t, std::vector<Live>>, std::uint32_t> merged_;  // by axis
};

}  // namespace

std::optional<GeneratorNest> merge(std::size_t rank, const std::vector<Segment>& segments,
                                   std::size_t limit) {
    GeneratorNest nest(rank);
    for (const Segment& segment : segments) {
        Merger merger(nest, segment, limit);
        merger.run(segment.box);
        if (!merger.within_limit()) return std::nullopt;
    }
    return nest;
}

}  // namespace hassium
