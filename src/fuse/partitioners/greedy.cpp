// Greedy merge. Paper: "Fusion of Array Operations at Runtime", Fig. 7: merge over the heaviest
// legal weight edge until none is left. The saving of a pair is the weight of the nets that touch
// both blocks (cost.hpp), so it is updated net by net instead of being recomputed.
//
// Beyond the paper, without which the result is often worse than the linear one:
//   ties      Among equal savings the pair closest in program order merges first. Short programs
//             are also merged with ties by index, and the cheaper result is kept.
//   hulls     A pair kept apart only by a path merges together with all blocks on its paths if
//             they are all compatible. If there are many, it is retried when nothing else is left:
//             later merges may have united them.
//   refusals  A pair that may not merge never may after further merges, so neither such a pair nor
//             one with an incompatible block on its paths is tried again.
//
// Nearly linear in the accesses: savings are in one hash table, lists of the smaller block are
// moved to the larger, large nets (a constant grid with many readers) are chained so that only
// neighbouring pins become pairs, and block_order.hpp keeps the order.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "fuse/graph/block_order.hpp"
#include "fuse/graph/savings.hpp"
#include "fuse/partitioners/partitioners.hpp"

namespace hassium {
namespace {

constexpr std::uint32_t kPinsInFull = 8;   // larger nets are chained
constexpr std::size_t kBothTieRules = 32;  // most instructions for which both tie rules are tried
constexpr std::size_t kLongestHull = 16;
constexpr int kRetries = 2;
// The saving of a pair that may never merge, and of its later sums.
constexpr double kNever = -std::numeric_limits<double>::infinity();

enum class Ties : std::uint8_t { Closest, Index };

struct Candidate {
    double saving;
    std::uint32_t distance;
    std::uint32_t a, b;  // a < b

    // The heap takes the largest.
    bool operator<(const Candidate& other) const {
        if (saving != other.saving) return saving < other.saving;
        if (distance != other.distance) return distance > other.distance;
        return std::pair(a, b) > std::pair(other.a, other.b);
    }
};

class Greedy {
  public:
    explicit Greedy(const FusionProblem& problem)
        : problem_(problem),
          order_(problem.graph),
          states_(problem.graph.size()),
          neighbours_(problem.graph.size()),
          nets_of_(problem.graph.size()),
          interval_(problem.graph.size()),
          savings_(problem.nets.pins.size()) {
        for (std::uint32_t k = 0; k < states_.size(); ++k) {
            problem_.legality.load(k, states_[k]);
            interval_[k] = {k, k};
        }
        for (const Net& net : problem_.nets.nets) {
            if (net.end - net.begin <= kPinsInFull) {
                add_net(net.weight, problem_.nets.pins_of(net), net.kind);
            } else {
                chain_net(net.weight, problem_.nets.pins_of(net), net.kind);
            }
        }
        if (problem_.nets.per_block > 0) {
            std::vector<std::uint32_t> all(states_.size());
            std::iota(all.begin(), all.end(), 0u);
            chain_net(problem_.nets.per_block, all, NetKind::Connectivity);
        }
        if (problem_.model.extra) {
            members_.resize(states_.size());
            extra_.resize(states_.size());
            for (std::uint32_t k = 0; k < states_.size(); ++k) {
                members_[k] = {k};
                extra_[k] = problem_.model.extra(problem_.costing, members_[k]);
            }
        }
    }

    // Queues the initial candidates of run(). Both tie rules start from copies of one state.
    void offer_all(Ties ties) {
        ties_ = ties;
        for (std::uint32_t a = 0; a < neighbours_.size(); ++a) {
            for (std::uint32_t b : neighbours_[a]) {
                if (a < b) push(a, b, *savings_.find(a, b));
            }
        }
    }
    // Merges the instructions that the seed has in one block, as far as legal.
    void seed(std::span<const std::uint32_t> block_of) {
        std::vector<std::uint32_t> first(block_of.size(), kNone);
        for (std::uint32_t k = 0; k < block_of.size(); ++k) {
            if (first[block_of[k]] == kNone) {
                first[block_of[k]] = k;
                continue;
            }
            // In program order no block of the group is on a path to a member that is merged later.
            std::uint32_t a = order_.find(first[block_of[k]]), b = order_.find(k);
            if (a == b || !problem_.legality.may_join(states_[a], states_[b])) continue;
            if (!merge(a, b)) merge_hull(a, b);
        }
    }

    Partition blocks();

    Partition run() {
        std::uint32_t merged = 0;
        for (int round = 0; round <= kRetries; ++round) {
            while (!heap_.empty()) {
                std::pop_heap(heap_.begin(), heap_.end());
                Candidate best = heap_.back();
                heap_.pop_back();
                consider(best);
            }
            if (std::exchange(merged, merged_) == merged_) break;
            for (auto [a, b] : std::exchange(deferred_, {})) {
                if (order_.find(a) == a && order_.find(b) == b) push(a, b, *savings_.find(a, b));
            }
        }
        return blocks();
    }

  private:
    struct SmallNet {
        double weight;
        std::uint32_t begin, count;  // blocks it touches, in pins_; stale names until cleaned
    };

    void add_net(double weight, std::span<const std::uint32_t> pins, NetKind kind);
    void chain_net(double weight, std::span<const std::uint32_t> pins, NetKind kind);
    void push(std::uint32_t a, std::uint32_t b, double saving);
    void consider(const Candidate& c);
    bool merge(std::uint32_t a, std::uint32_t b);
    bool merge_hull(std::uint32_t a, std::uint32_t b);
    void move_savings(std::uint32_t kept, std::uint32_t gone);
    void join_nets(std::uint32_t kept, std::uint32_t gone);
    bool pays(double saving, std::span<const std::uint32_t> blocks) const;

    using Names = SmallVec<std::uint32_t, 8>;

    const FusionProblem& problem_;
    Ties ties_ = Ties::Closest;
    BlockOrder order_;
    std::vector<BlockState> states_;
    std::vector<Names> neighbours_, nets_of_;  // may be stale
    std::vector<std::pair<std::uint32_t, std::uint32_t>> interval_;
    std::uint32_t merged_ = 0;
    Savings savings_;
    std::vector<SmallNet> nets_;
    std::vector<std::uint32_t> pins_;
    std::vector<Candidate> heap_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> deferred_;
    std::vector<std::uint32_t> hull_;
    // Used only for a model with `extra`.
    std::vector<std::vector<std::uint32_t>> members_;
    std::vector<double> extra_;
};

// Pairs need no net besides their savings: when two blocks merge, their savings with a third add
// up.
void Greedy::add_net(double weight, std::span<const std::uint32_t> pins, NetKind kind) {
    if (kind == NetKind::Connectivity) {
        auto number = static_cast<std::uint32_t>(nets_.size());
        nets_.push_back({weight, static_cast<std::uint32_t>(pins_.size()),
                         static_cast<std::uint32_t>(pins.size())});
        pins_.insert(pins_.end(), pins.begin(), pins.end());
        for (std::uint32_t pin : pins) nets_of_[pin].push_back(number);
    }
    for (std::size_t x = 0; x < pins.size(); ++x) {
        for (std::size_t y = x + 1; y < pins.size(); ++y) {
            if (pins[x] == pins[y] || !problem_.legality.same_loop(pins[x], pins[y])) continue;
            bool is_new;
            savings_.of(pins[x], pins[y], is_new) += weight;
            if (!is_new) continue;
            neighbours_[pins[x]].push_back(pins[y]);
            neighbours_[pins[y]].push_back(pins[x]);
        }
    }
}

// Links each pin to the one before it and to the nearest one of the same iteration shape.
void Greedy::chain_net(double weight, std::span<const std::uint32_t> pins, NetKind kind) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> last_of_shape;
    for (std::size_t k = 0; k < pins.size(); ++k) {
        std::uint32_t shape = problem_.legality.shape(pins[k]);
        auto last = std::find_if(last_of_shape.begin(), last_of_shape.end(),
                                 [&](const auto& entry) { return entry.first == shape; });
        if (last == last_of_shape.end()) {
            if (k > 0) add_net(weight, std::array{pins[k - 1], pins[k]}, kind);
            last_of_shape.emplace_back(shape, pins[k]);
        } else {
            add_net(weight, std::array{last->second, pins[k]}, kind);
            last->second = pins[k];
        }
    }
}

void Greedy::push(std::uint32_t a, std::uint32_t b, double saving) {
    if (saving <= 0) return;
    if (b < a) std::swap(a, b);
    std::uint32_t distance = 0;
    if (ties_ == Ties::Closest) {
        std::uint32_t low = std::max(interval_[a].first, interval_[b].first);
        std::uint32_t high = std::min(interval_[a].second, interval_[b].second);
        distance = low > high ? low - high : 0;
    }
    heap_.push_back({saving, distance, a, b});
    std::push_heap(heap_.begin(), heap_.end());
}

void Greedy::consider(const Candidate& c) {
    if (order_.find(c.a) != c.a || order_.find(c.b) != c.b) return;
    double* saving = savings_.find(c.a, c.b);
    if (*saving != c.saving) return;
    if (!problem_.legality.may_join(states_[c.a], states_[c.b])) {
        // Permanent: the blocks that a block may join only become fewer as it grows.
        *saving = kNever;
        return;
    }
    // A refused pair is queued again when one of the two has grown.
    if (!pays(c.saving, std::array{c.a, c.b})) return;
    if (!merge(c.a, c.b) && !merge_hull(c.a, c.b)) deferred_.emplace_back(c.a, c.b);
}

// Returns whether the saving exceeds the growth of `extra` when the blocks merge.
bool Greedy::pays(double saving, std::span<const std::uint32_t> blocks) const {
    if (!problem_.model.extra) return true;
    std::vector<std::uint32_t> all;
    double apart = 0;
    for (std::uint32_t block : blocks) {
        all.insert(all.end(), members_[block].begin(), members_[block].end());
        apart += extra_[block];
    }
    return saving > problem_.model.extra(problem_.costing, all) - apart;
}

bool Greedy::merge(std::uint32_t a, std::uint32_t b) {
    auto size = [&](std::uint32_t block) {
        return neighbours_[block].size() + nets_of_[block].size();
    };
    std::uint32_t kept = size(a) >= size(b) ? a : b;
    std::uint32_t gone = kept == a ? b : a;
    if (!order_.try_merge(kept, gone)) return false;
    problem_.legality.join(states_[kept], states_[gone]);
    ++merged_;
    interval_[kept] = {std::min(interval_[a].first, interval_[b].first),
                       std::max(interval_[a].second, interval_[b].second)};
    if (problem_.model.extra) {
        members_[kept].insert(members_[kept].end(), members_[gone].begin(), members_[gone].end());
        extra_[kept] = problem_.model.extra(problem_.costing, members_[kept]);
    }
    join_nets(kept, gone);
    move_savings(kept, gone);
    return true;
}

// A net that touched both was counted twice in the savings with each of its other blocks.
void Greedy::join_nets(std::uint32_t kept, std::uint32_t gone) {
    for (std::uint32_t number : nets_of_[gone]) {
        SmallNet& net = nets_[number];
        std::uint32_t* pins = pins_.data() + net.begin;
        std::uint32_t count = 0;
        bool touched_kept = false;
        for (std::uint32_t k = 0; k < net.count; ++k) {
            // `gone` is now found as `kept`; its own pin still reads `gone`.
            touched_kept = touched_kept || (order_.find(pins[k]) == kept && pins[k] != gone);
        }
        for (std::uint32_t k = 0; k < net.count; ++k) {
            std::uint32_t block = order_.find(pins[k]);
            if (std::find(pins, pins + count, block) == pins + count) pins[count++] = block;
        }
        net.count = count;
        if (!touched_kept) {
            nets_of_[kept].push_back(number);
            continue;
        }
        for (std::uint32_t k = 0; k < count; ++k) {
            if (pins[k] == kept) continue;
            if (double* saving = savings_.find(kept, pins[k])) *saving -= net.weight;
        }
    }
    nets_of_[gone] = {};
}

void Greedy::move_savings(std::uint32_t kept, std::uint32_t gone) {
    for (std::uint32_t raw : neighbours_[gone]) {
        std::uint32_t other = order_.find(raw);
        if (other == kept) continue;
        double* old = savings_.find(gone, other);
        if (!old || *old == 0) continue;
        double moved = std::exchange(*old, 0);
        bool is_new;
        double& saving = savings_.of(kept, other, is_new);
        saving += moved;
        if (is_new) neighbours_[kept].push_back(other);
        push(kept, other, saving);
    }
    neighbours_[gone] = {};
}

bool Greedy::merge_hull(std::uint32_t a, std::uint32_t b) {
    if (order_.before(b, a)) std::swap(a, b);
    if (!order_.between(a, b, kLongestHull, hull_)) return false;
    BlockState all = states_[a];
    problem_.legality.join(all, states_[b]);
    for (std::uint32_t block : hull_) {
        if (!problem_.legality.may_join(all, states_[block])) {
            // Permanent: a merge of the two includes the blocks on their paths.
            if (double* saving = savings_.find(a, b)) *saving = kNever;
            return false;
        }
        problem_.legality.join(all, states_[block]);
    }
    // In execution order none has a longer path to those merged before it.
    std::vector<std::uint32_t> blocks(hull_);
    blocks.push_back(b);
    hull_.push_back(a);
    hull_.push_back(b);
    if (!pays(*savings_.find(a, b), hull_)) return false;
    for (std::uint32_t block : blocks) {
        HS_CHECK(merge(order_.find(a), block), "a block on a path merges when its turn comes");
    }
    return true;
}

// Blocks of only del and sync join their neighbour in the order: no path can be in between.
Partition Greedy::blocks() {
    counters().add(Counter::path_steps, order_.steps());
    Partition result;
    std::vector<std::uint32_t> number(states_.size(), kNone), members;
    bool leading = true;  // only del and sync so far
    for (std::uint32_t block = order_.first(); block != kNone; block = order_.next(block)) {
        bool system = states_[block].loop.shape == kNone;
        bool joins = !members.empty() && (system || leading);
        if (!joins) members.push_back(0);
        leading = leading && system;
        number[block] = static_cast<std::uint32_t>(members.size() - 1);
    }
    for (std::uint32_t k = 0; k < states_.size(); ++k) ++members[number[order_.find(k)]];
    result.blocks.resize(members.size());
    for (std::size_t k = 0; k < members.size(); ++k) result.blocks[k].members.reserve(members[k]);
    for (std::uint32_t k = 0; k < states_.size(); ++k) {
        result.blocks[number[order_.find(k)]].members.push_back(k);
    }
    return result;
}

}  // namespace

Partition grow_greedily(const FusionProblem& problem, std::span<const std::uint32_t> block_of) {
    Greedy greedy(problem);
    greedy.offer_all(Ties::Closest);
    greedy.seed(block_of);
    return greedy.run();
}

Partition order_blocks(const FusionProblem& problem, std::span<const std::uint32_t> block_of) {
    Greedy greedy(problem);
    greedy.seed(block_of);
    return greedy.blocks();
}

Partition partition_greedy(const FusionProblem& problem) {
    Greedy start(problem);
    auto run = [](Greedy greedy, Ties ties) {
        greedy.offer_all(ties);
        return greedy.run();
    };
    if (problem.graph.size() > kBothTieRules) return run(std::move(start), Ties::Closest);
    Partition closest = run(start, Ties::Closest);
    double cost = problem.model.cost(problem.costing, closest);
    // Proven optimal.
    if (cost <= problem.nets.floor(problem.graph.size())) return closest;
    Partition index = run(std::move(start), Ties::Index);
    bool better = problem.model.cost(problem.costing, index) < cost;
    return better ? index : closest;
}

}  // namespace hassium
