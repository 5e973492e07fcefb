// Unintrusive merge. Paper: "Fusion of Array Operations at Runtime", Fig. 6 and Thm. 3: merge two
// blocks if one of them can gain from no other block and the merge forbids nothing new.
//
//   weight edges  pairs of blocks whose merge is legal (Lemma 1) and saves something. One end must
//                 have no other edge. Taken in program order.
//   theta[b]      Def. 18: the blocks on a dependency path with b that contains two blocks which
//   may
//                 not merge. Fig. 6 requires theta[u] = theta[v]; Thm. 3 also requires
//                 theta[z] = theta[u] for the merged z, and so does this. Otherwise the `del` of an
//                 array that two shapes write would join the first of its writers without gain.
//
// The paper runs it before its search. It must not run before a search that claims optimality:
// theta covers conflicts along dependencies only, and a merge can forbid others.
//
// Cubic in the instructions, in steps of 64: for figures and comparison, not for the hot path.
#include <algorithm>
#include <chrono>

#include "fuse/graph/bit_rows.hpp"
#include "fuse/partitioners/partitioners.hpp"

namespace hassium {
namespace {

// Blocks are named by their first instruction; names of merged blocks are dead.
class Unintrusive {
  public:
    explicit Unintrusive(const FusionProblem& problem)
        : problem_(problem),
          count_(problem.graph.size()),
          block_of_(count_),
          members_(count_),
          states_(count_),
          arcs_(count_),
          after_(count_),
          before_(count_),
          blocked_(count_),
          theta_(count_) {
        for (std::uint32_t k = 0; k < count_; ++k) {
            block_of_[k] = k;
            members_[k] = {k};
            problem.legality.load(k, states_[k]);
            for (std::uint32_t to : problem.graph.successors[k]) set_bit(arcs_[k], to);
        }
        for (std::uint32_t k = 0; k < count_; ++k) find_conflicts(k);
    }

    Partition run() {
        auto start = std::chrono::steady_clock::now();
        auto seconds = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        };
        while (seconds() < problem_.time_limit && merge_one()) {
        }
        return blocks();
    }

  private:
    struct Edge {
        std::uint32_t a, b;  // a < b
        double saving;
    };

    void find_conflicts(std::uint32_t block);
    void find_order();
    void find_theta();
    std::vector<Edge> savings() const;
    std::vector<Edge> edges() const;
    bool pays(const Edge& edge) const;
    bool forbids_nothing(std::uint32_t a, std::uint32_t b) const;
    bool merge_one();
    void merge(std::uint32_t kept, std::uint32_t gone);
    Partition blocks();

    const FusionProblem& problem_;
    std::size_t count_;
    std::vector<std::uint32_t> block_of_;
    std::vector<std::vector<std::uint32_t>> members_;  // ascending; empty: dead
    std::vector<BlockState> states_;
    BitMatrix arcs_;            // dependencies between blocks, mostly without transitive ones
    BitMatrix after_, before_;  // their closure, both ways
    BitMatrix blocked_;         // pairs that may not share a block, in any order
    BitMatrix theta_;           // Def. 18
    std::vector<std::uint32_t> order_;  // living blocks, a topological order
};

void Unintrusive::find_conflicts(std::uint32_t block) {
    for (std::uint32_t other = 0; other < count_; ++other) {
        if (other == block || members_[other].empty()) continue;
        if (problem_.legality.may_join(states_[block], states_[other])) continue;
        set_bit(blocked_[block], other);
        set_bit(blocked_[other], block);
    }
}

void Unintrusive::find_order() {
    std::vector<std::uint32_t> waits(count_, 0);
    for (std::uint32_t k = 0; k < count_; ++k) {
        each_bit(arcs_[k], arcs_.words(), [&](std::uint32_t to) { ++waits[to]; });
    }
    order_.clear();
    for (std::uint32_t k = 0; k < count_; ++k) {
        if (!members_[k].empty() && waits[k] == 0) order_.push_back(k);
    }
    for (std::size_t k = 0; k < order_.size(); ++k) {
        each_bit(arcs_[order_[k]], arcs_.words(), [&](std::uint32_t to) {
            if (--waits[to] == 0) order_.push_back(to);
        });
    }
    after_ = before_ = BitMatrix(count_);
    for (std::size_t k = order_.size(); k-- > 0;) {
        each_bit(arcs_[order_[k]], arcs_.words(), [&](std::uint32_t to) {
            set_bit(after_[order_[k]], to);
            add_bits(after_[order_[k]], after_[to], arcs_.words());
        });
    }
    for (std::uint32_t block : order_) {
        each_bit(after_[block], arcs_.words(),
                 [&](std::uint32_t to) { set_bit(before_[to], block); });
    }
}

// Collects what follows b after a conflict: one of b itself, or of a block in between.
void Unintrusive::find_theta() {
    theta_ = BitMatrix(count_);
    for (std::size_t k = order_.size(); k-- > 0;) {
        std::uint32_t b = order_[k];
        Word* const row = theta_[b];
        each_bit(arcs_[b], arcs_.words(),
                 [&](std::uint32_t to) { add_bits(row, theta_[to], arcs_.words()); });
        each_bit(blocked_[b], arcs_.words(), [&](std::uint32_t other) {
            if (!after_.has(b, other)) return;
            set_bit(theta_[b], other);
            add_bits(row, after_[other], arcs_.words());
        });
    }
    // Makes it symmetric for earlier blocks.
    for (std::size_t k = order_.size(); k-- > 0;) {
        std::uint32_t b = order_[k];
        each_bit(theta_[b], arcs_.words(), [&](std::uint32_t other) {
            if (after_.has(b, other)) set_bit(theta_[other], b);
        });
    }
}

// Returns the savings by nets of every pair of blocks that share one.
std::vector<Unintrusive::Edge> Unintrusive::savings() const {
    std::vector<Edge> found;
    std::vector<std::uint32_t> touched;
    for (const Net& net : problem_.nets.nets) {
        touched.clear();
        for (std::uint32_t pin : problem_.nets.pins_of(net)) touched.push_back(block_of_[pin]);
        std::sort(touched.begin(), touched.end());
        if (net.kind == NetKind::Connectivity) {
            touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        }
        for (std::size_t x = 0; x < touched.size(); ++x) {
            for (std::size_t y = x + 1; y < touched.size(); ++y) {
                if (touched[x] == touched[y]) continue;
                found.push_back({touched[x], touched[y], net.weight});
            }
        }
    }
    if (problem_.nets.per_block > 0) {
        for (std::uint32_t a : order_) {
            for (std::uint32_t b : order_) {
                if (a < b) found.push_back({a, b, problem_.nets.per_block});
            }
        }
    }
    std::sort(found.begin(), found.end(), [](const Edge& x, const Edge& y) {
        return std::pair(x.a, x.b) < std::pair(y.a, y.b);
    });
    std::size_t kept = 0;
    for (const Edge& e : found) {
        bool same = kept > 0 && found[kept - 1].a == e.a && found[kept - 1].b == e.b;
        if (same) {
            found[kept - 1].saving += e.saving;
        } else {
            found[kept++] = e;
        }
    }
    found.resize(kept);
    return found;
}

bool Unintrusive::pays(const Edge& edge) const {
    if (!problem_.model.extra) return edge.saving > 0;
    auto extra = [&](std::span<const std::uint32_t> members) {
        return problem_.model.extra(problem_.costing, members);
    };
    std::vector<std::uint32_t> both(members_[edge.a]);
    both.insert(both.end(), members_[edge.b].begin(), members_[edge.b].end());
    return edge.saving > extra(both) - extra(members_[edge.a]) - extra(members_[edge.b]);
}

std::vector<Unintrusive::Edge> Unintrusive::edges() const {
    std::vector<Edge> found = savings();
    std::erase_if(found, [&](const Edge& e) {
        if (blocked_.has(e.a, e.b)) return true;
        bool path = meets(after_[e.a], before_[e.b], arcs_.words()) ||
                    meets(after_[e.b], before_[e.a], arcs_.words());
        return path || !pays(e);
    });
    return found;
}

// Thm. 3, first condition. A path from the merged z is one from a or from b, and conflicts without
// z are in their thetas already; new ones are those of z itself, with blocks that were ordered with
// only one of the two.
bool Unintrusive::forbids_nothing(std::uint32_t a, std::uint32_t b) const {
    const std::size_t words = arcs_.words();
    const BitRow both(theta_[a], theta_[a] + words);
    if (!std::equal(both.begin(), both.end(), theta_[b])) return false;
    BitRow merged(both), conflicts(blocked_[a], blocked_[a] + words);
    add_bits(conflicts.data(), blocked_[b], words);
    each_bit(conflicts.data(), words, [&](std::uint32_t other) {
        if (after_.has(a, other) || after_.has(b, other)) {
            set_bit(merged.data(), other);
            add_bits(merged.data(), after_[other], words);
        }
        if (before_.has(a, other) || before_.has(b, other)) {
            set_bit(merged.data(), other);
            add_bits(merged.data(), before_[other], words);
        }
    });
    return merged == both;
}

bool Unintrusive::merge_one() {
    find_order();
    find_theta();
    std::vector<Edge> all = edges();
    std::vector<std::uint32_t> degree(count_, 0);
    for (const Edge& e : all) {
        ++degree[e.a];
        ++degree[e.b];
    }
    for (const Edge& e : all) {
        if (degree[e.a] > 1 && degree[e.b] > 1) continue;
        if (!forbids_nothing(e.a, e.b)) continue;
        merge(e.a, e.b);
        return true;
    }
    return false;
}

void Unintrusive::merge(std::uint32_t kept, std::uint32_t gone) {
    for (std::uint32_t k : members_[gone]) block_of_[k] = kept;
    auto& members = members_[kept];
    members.insert(members.end(), members_[gone].begin(), members_[gone].end());
    std::sort(members.begin(), members.end());
    members_[gone].clear();
    problem_.legality.join(states_[kept], states_[gone]);
    add_bits(arcs_[kept], arcs_[gone], arcs_.words());
    for (std::size_t k = 0; k < count_; ++k) {
        if (arcs_.has(k, gone)) set_bit(arcs_[k], kept);
        drop_bit(arcs_[k], gone);
        drop_bit(arcs_[gone], k);
        drop_bit(blocked_[k], gone);
        drop_bit(blocked_[gone], k);
    }
    drop_bit(arcs_[kept], kept);
    find_conflicts(kept);
}

Partition Unintrusive::blocks() {
    find_order();
    Partition result;
    for (std::uint32_t block : order_) {
        result.blocks.emplace_back();
        for (std::uint32_t k : members_[block]) result.blocks.back().members.push_back(k);
    }
    return result;
}

}  // namespace

Partition partition_unintrusive(const FusionProblem& problem) { return Unintrusive(problem).run(); }

}  // namespace hassium
