#include "fuse/graph/block_order.hpp"

#include <algorithm>

namespace hassium {
namespace {

constexpr std::uint64_t kGap = std::uint64_t{1} << 32;

}  // namespace

BlockOrder::BlockOrder(const Graph& graph) : head_(static_cast<std::uint32_t>(graph.size())) {
    std::size_t count = graph.size();
    parent_.resize(count);
    label_.resize(count + 1);
    next_.resize(count + 1);
    previous_.resize(count + 1);
    after_.resize(count);
    before_.resize(count);
    forwards_mark_.assign(count, 0);
    backwards_mark_.assign(count, 0);
    clean_mark_.assign(count, 0);
    for (std::uint32_t k = 0; k < count; ++k) {
        parent_[k] = k;
        next_[k] = k + 1 < count ? k + 1 : kNone;
        previous_[k] = k > 0 ? k - 1 : head_;
        auto after = graph.successors[k];
        auto before = graph.predecessors[k];
        after_[k].assign(after.data(), after.size());
        before_[k].assign(before.data(), before.size());
    }
    next_[head_] = count > 0 ? 0 : kNone;
    previous_[head_] = kNone;
    relabel();
}

std::uint32_t BlockOrder::find(std::uint32_t block) {
    while (parent_[block] != block) {
        parent_[block] = parent_[parent_[block]];
        block = parent_[block];
    }
    return block;
}

// Returns the neighbours as current blocks, each once. Merged lists are cleaned here, not when
// merging.
BlockOrder::Neighbours& BlockOrder::neighbours(std::uint32_t block, bool forwards) {
    auto& list = forwards ? after_[block] : before_[block];
    steps_ += static_cast<std::int64_t>(list.size());
    ++clean_;
    clean_mark_[block] = clean_;
    std::size_t kept = 0;
    for (std::uint32_t raw : list) {
        std::uint32_t other = find(raw);
        if (clean_mark_[other] == clean_) continue;
        clean_mark_[other] = clean_;
        list[kept++] = other;
    }
    list.resize(kept);
    return list;
}

void BlockOrder::visit(Side& side, std::uint32_t block, bool forwards) {
    if (label_[block] <= low_ || label_[block] >= high_) return;
    auto& mine = forwards ? forwards_mark_ : backwards_mark_;
    const auto& theirs = forwards ? backwards_mark_ : forwards_mark_;
    if (mine[block] == mark_) return;
    mine[block] = mark_;
    side.visited.push_back(block);
    met_ += theirs[block] == mark_;
}

void BlockOrder::look(Side& side, std::uint32_t from, bool forwards) {
    for (std::uint32_t block : neighbours(from, forwards)) visit(side, block, forwards);
}

bool BlockOrder::any_in_window(std::span<const std::uint32_t> blocks) {
    return std::ranges::any_of(blocks, [&](std::uint32_t raw) {
        ++steps_;
        const std::uint64_t label = label_[find(raw)];
        return label > low_ && label < high_;
    });
}

void BlockOrder::open_window(std::uint32_t a, std::uint32_t b) {
    low_ = label_[a];
    high_ = label_[b];
    met_ = 0;
    ++mark_;
    for (Side* side : {&forwards_, &backwards_}) {
        side->visited.clear();
        side->done = 0;
    }
}

// Visits the neighbours of both ends. Returns false if one of them has none in the window.
bool BlockOrder::begin_search(std::uint32_t a, std::uint32_t b) {
    open_window(a, b);
    forwards_ended_ = true;
    if (next_[a] == b) return false;
    // Mostly the end with fewer neighbours has none in the window; then the other end, which may
    // have hundreds, only needs a test whether it has any.
    const bool few_before = before_[b].size() < after_[a].size();
    if (few_before) {
        look(backwards_, b, false);
        if (backwards_.exhausted() && any_in_window(after_[a])) {
            forwards_ended_ = false;
            return false;
        }
    }
    look(forwards_, a, true);
    if (forwards_.exhausted()) return false;
    if (!few_before) look(backwards_, b, false);
    return true;
}

bool BlockOrder::search(std::size_t most) {
    while (met_ <= most && !forwards_.exhausted() && !backwards_.exhausted()) {
        const bool forwards = forwards_.done <= backwards_.done;
        Side& side = forwards ? forwards_ : backwards_;
        look(side, side.visited[side.done++], forwards);
    }
    forwards_ended_ = forwards_.exhausted();
    return met_ <= most;
}

void BlockOrder::sort(std::vector<std::uint32_t>& blocks) const {
    std::sort(blocks.begin(), blocks.end(),
              [&](std::uint32_t x, std::uint32_t y) { return label_[x] < label_[y]; });
}

void BlockOrder::unlink(std::uint32_t block) {
    next_[previous_[block]] = next_[block];
    if (next_[block] != kNone) previous_[next_[block]] = previous_[block];
}

void BlockOrder::insert_after(std::uint32_t place, std::uint32_t block) {
    std::uint32_t follower = next_[place];
    next_[place] = block;
    previous_[block] = place;
    next_[block] = follower;
    if (follower != kNone) previous_[follower] = block;
    std::uint64_t upper = follower == kNone ? label_[place] + 2 * kGap : label_[follower];
    label_[block] = label_[place] + (upper - label_[place]) / 2;
    if (label_[block] == label_[place]) relabel();
}

void BlockOrder::relabel() {
    std::uint64_t label = 0;
    for (std::uint32_t block = head_; block != kNone; block = next_[block]) {
        label_[block] = label;
        label += kGap;
    }
}

void BlockOrder::take_place(std::uint32_t block, std::uint32_t of) {
    std::uint32_t place = previous_[of];
    unlink(of);
    insert_after(place, block);
}

bool BlockOrder::try_merge(std::uint32_t kept, std::uint32_t gone) {
    std::uint32_t a = before(kept, gone) ? kept : gone;
    std::uint32_t b = a == kept ? gone : kept;
    if (begin_search(a, b) && !search(0)) return false;
    if (forwards_ended_) {
        // All that must follow a moves after b, and the merged block takes the place of b.
        sort(forwards_.visited);
        std::uint32_t place = b;
        for (std::uint32_t block : forwards_.visited) {
            unlink(block);
            insert_after(place, block);
            place = block;
        }
        unlink(a);
        if (kept == a) take_place(a, b);
    } else {
        sort(backwards_.visited);
        for (std::uint32_t block : backwards_.visited) {
            unlink(block);
            insert_after(previous_[a], block);
        }
        unlink(b);
        if (kept == b) take_place(b, a);
    }
    parent_[gone] = kept;
    for (auto* lists : {&after_, &before_}) {
        auto& into = (*lists)[kept];
        auto& from = (*lists)[gone];
        if (into.size() < from.size()) std::swap(into, from);
        into.append(from);
        from = {};
    }
    return true;
}

// Both searches continue from where they met until one is exhausted; the hull is the part of that
// one that reaches the other end. So a hull costs as much as the smaller side. A block visited by
// both sides is on a path: a large hull is detected long before either side is exhausted.
bool BlockOrder::between(std::uint32_t a, std::uint32_t b, std::size_t most,
                         std::vector<std::uint32_t>& hull) {
    if (before(b, a)) std::swap(a, b);
    if (!search(most)) return false;
    const bool forwards = forwards_ended_;
    auto& visited = (forwards ? forwards_ : backwards_).visited;
    sort(visited);
    if (forwards) std::reverse(visited.begin(), visited.end());
    ++mark_;
    forwards_mark_[forwards ? b : a] = mark_;
    hull.clear();
    for (std::uint32_t block : visited) {
        const auto& next = neighbours(block, forwards);
        if (std::none_of(next.begin(), next.end(),
                         [&](std::uint32_t other) { return forwards_mark_[other] == mark_; })) {
            continue;
        }
        forwards_mark_[block] = mark_;
        hull.push_back(block);
    }
    if (forwards) std::reverse(hull.begin(), hull.end());
    return hull.size() <= most;
}

}  // namespace hassium
