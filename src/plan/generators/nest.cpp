#include "plan/generators/nest.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "program/word_hash.hpp"

namespace hassium {

std::size_t GeneratorNest::Hash::operator()(const std::vector<std::int64_t>& words) const {
    WordHash hash(words.size());
    hash.add(words.data(), words.size());
    return hash.value();
}

std::uint32_t GeneratorNest::add(std::size_t axis, NestIntervals intervals) {
    std::vector<std::int64_t> words{static_cast<std::int64_t>(axis)};
    std::size_t blocks = 0;
    for (const NestInterval& i : intervals) {
        const auto count = static_cast<std::int64_t>(i.blocks.size());
        words.insert(words.end(), {i.lower, i.upper, i.period, count});
        for (const NestBlock& b : i.blocks) words.insert(words.end(), {b.offset, b.width, b.child});
        blocks += i.blocks.size();
    }
    auto number = static_cast<std::uint32_t>(nodes_.size());
    auto [known, is_new] = numbers_.try_emplace(std::move(words), number);
    if (is_new) {
        nodes_.push_back({axis, std::move(intervals)});
        blocks_ += blocks;
    }
    return known->second;
}

GeneratorNest GeneratorNest::map(const std::function<NestIntervals(NestIntervals)>& change) const {
    GeneratorNest changed(rank_);
    std::vector<std::uint32_t> numbers;  // of the changed nodes; children come first
    for (const Node& node : nodes_) {
        NestIntervals intervals = node.intervals;
        for (NestInterval& i : intervals) {
            for (NestBlock& b : i.blocks) {
                if (node.axis + 1 < rank_) b.child = numbers[b.child];
            }
        }
        numbers.push_back(changed.add(node.axis, change(std::move(intervals))));
    }
    for (NestSegment segment : segments_) {
        if (rank_ > 0) segment.root = numbers[segment.root];
        changed.add(std::move(segment));
    }
    return changed;
}

std::vector<std::vector<std::uint32_t>> GeneratorNest::nodes_by_axis() const {
    std::vector<std::vector<std::uint32_t>> found(rank_);
    if (rank_ == 0) return found;
    std::vector<bool> seen(nodes_.size());
    auto reach = [&](std::size_t axis, std::uint32_t node) {
        if (!seen[node]) found[axis].push_back(node);
        seen[node] = true;
    };
    for (const NestSegment& segment : segments_) reach(0, segment.root);
    for (std::size_t axis = 0; axis + 1 < rank_; ++axis) {
        for (std::uint32_t node : found[axis]) {
            for (const NestInterval& i : nodes_[node].intervals) {
                for (const NestBlock& b : i.blocks) reach(axis + 1, b.child);
            }
        }
    }
    return found;
}

std::string GeneratorNest::dump(std::span<const std::string> ops) const {
    const auto by_axis = nodes_by_axis();
    std::vector<std::string> names(nodes_.size());
    for (std::size_t axis = 0; axis < rank_; ++axis) {
        for (std::size_t k = 0; k < by_axis[axis].size(); ++k) {
            names[by_axis[axis][k]] = "x" + std::to_string(axis) + "." + std::to_string(k);
        }
    }
    auto name = [&](std::size_t axis, std::uint32_t child) -> const std::string& {
        return axis < rank_ ? names[child] : ops[child];
    };
    std::string text;
    for (const NestSegment& s : segments_) {
        text += "segment " + s.box.dump() + ": " + name(0, s.root) + "\n";
    }
    for (std::size_t axis = 0; axis < rank_; ++axis) {
        for (std::uint32_t node : by_axis[axis]) {
            text += names[node] + "\n";
            for (const NestInterval& i : nodes_[node].intervals) {
                text += "    [" + std::to_string(i.lower) + "," + std::to_string(i.upper) + ")";
                if (i.period > 1) text += " period " + std::to_string(i.period);
                text += ":";
                for (const NestBlock& b : i.blocks) {
                    const std::string end = std::to_string(b.offset + b.width);
                    if (i.period > 1) text += " +" + std::to_string(b.offset) + ":" + end;
                    text += " " + name(axis + 1, b.child);
                }
                text += "\n";
            }
        }
    }
    return text;
}

void GeneratorNest::verify_interval(const Node& node, const NestInterval& interval,
                                    std::size_t ops) const {
    HS_CHECK(interval.lower < interval.upper && interval.period > 0 &&
                 interval.period <= interval.upper - interval.lower,
             "a nest's interval holds a period");
    HS_CHECK(!interval.blocks.empty(), "a nest's interval holds a block");
    std::int64_t end = 0;
    for (const NestBlock& b : interval.blocks) {
        HS_CHECK(b.offset >= end && b.width > 0, "blocks of a period ascend");
        end = b.offset + b.width;
        const bool last = node.axis + 1 == rank_;
        HS_CHECK(b.child < (last ? ops : nodes_.size()), "a block's child exists");
        HS_CHECK(last || nodes_[b.child].axis == node.axis + 1, "a child is of the next axis");
    }
    HS_CHECK(end <= interval.period, "blocks keep to their period");
}

void GeneratorNest::verify(std::size_t ops, bool fitted) const {
    for (const Node& node : nodes_) {
        HS_CHECK(node.axis < rank_ && !node.intervals.empty(), "a nest's node has intervals");
        std::int64_t end = 0;
        for (const NestInterval& i : node.intervals) {
            HS_CHECK(i.lower >= end, "intervals of a nest ascend");
            HS_CHECK(!fitted || i.has_whole_periods(), "a fitted interval has whole periods");
            verify_interval(node, i, ops);
            end = i.upper;
        }
    }
    for (const NestSegment& s : segments_) {
        HS_CHECK(s.root < (rank_ > 0 ? nodes_.size() : ops), "a segment's root exists");
        if (rank_ == 0) continue;
        const Node& root = nodes_[s.root];
        HS_CHECK(root.axis == 0, "a segment's root is of the outermost axis");
        HS_CHECK(root.intervals.back().upper <= s.box.upper[0] - s.box.lower[0],
                 "a nest keeps to its segment");
    }
}

}  // namespace hassium
