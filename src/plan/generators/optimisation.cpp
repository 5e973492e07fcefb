// Optimisation: section 4 of the paper, fourth step.
//
// From the innermost axis outwards: neighbouring blocks of a period with equal children are merged;
// a period that repeats a shorter one is shortened, and a block that fills its period becomes
// dense; neighbouring intervals are joined if the second continues the periods of the first.
#include <algorithm>
#include <utility>

#include "plan/generators/phases.hpp"

namespace hassium {
namespace {

void join_blocks(std::vector<NestBlock>& blocks) {
    std::vector<NestBlock> joined;
    for (const NestBlock& b : blocks) {
        const bool goes_on = !joined.empty() && joined.back().child == b.child &&
                             joined.back().offset + joined.back().width == b.offset;
        if (goes_on) {
            joined.back().width += b.width;
        } else {
            joined.push_back(b);
        }
    }
    blocks = std::move(joined);
}

// Returns the blocks of the part of a period that begins at `lower`, relative to that.
std::vector<NestBlock> part_of(const std::vector<NestBlock>& blocks, std::int64_t lower,
                               std::int64_t length) {
    std::vector<NestBlock> part;
    auto at = std::ranges::partition_point(
        blocks, [&](const NestBlock& b) { return b.offset + b.width <= lower; });
    for (; at != blocks.end() && at->offset < lower + length; ++at) {
        const std::int64_t begin = std::max(at->offset, lower);
        const std::int64_t end = std::min(at->offset + at->width, lower + length);
        part.push_back({begin - lower, end - begin, at->child});
    }
    return part;
}

// Returns whether the period is `count` repetitions of its first part.
bool repeats(const NestInterval& interval, std::int64_t count) {
    const std::int64_t length = interval.period / count;
    const std::vector<NestBlock> first = part_of(interval.blocks, 0, length);
    for (std::int64_t k = 1; k < count; ++k) {
        if (part_of(interval.blocks, k * length, length) != first) return false;
    }
    return true;
}

// The lengths with which a period repeats are closed under common divisors, so dividing by prime
// factors in any order finds the least.
void shorten(NestInterval& interval) {
    if (interval.blocks.size() == 1 && interval.blocks[0].width == interval.period) {
        interval.period = interval.blocks[0].width = 1;
        return;
    }
    // With a shorter period every part has a block.
    const auto most = static_cast<std::int64_t>(interval.blocks.size());
    for (std::int64_t factor = 2; factor <= most && factor <= interval.period; ++factor) {
        while (interval.period % factor == 0 && repeats(interval, factor)) {
            interval.period /= factor;
            interval.blocks = part_of(interval.blocks, 0, interval.period);
        }
    }
}

NestIntervals optimise_axis(NestIntervals intervals) {
    NestIntervals joined;
    for (NestInterval& i : intervals) {
        join_blocks(i.blocks);
        shorten(i);
        NestInterval* before = joined.empty() ? nullptr : &joined.back();
        const bool goes_on = before && before->upper == i.lower && before->period == i.period &&
                             before->has_whole_periods() && before->blocks == i.blocks;
        if (goes_on) {
            before->upper = i.upper;
        } else {
            joined.push_back(std::move(i));
        }
    }
    return joined;
}

}  // namespace

GeneratorNest optimise(const GeneratorNest& nest) { return nest.map(optimise_axis); }

}  // namespace hassium
