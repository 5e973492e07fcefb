#include "fuse/describe.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "fuse/cost/cost_models.hpp"
#include "fuse/legal/legal.hpp"

namespace hassium {
namespace {

// Views and bases of one block.
class BlockText {
  public:
    BlockText(const Graph& graph, const Block& block, std::span<const std::uint32_t> block_of)
        : graph_(graph), block_of_(block_of), number_(block_of[block.members[0]]) {
        for (std::uint32_t m : block.members) {
            for (const ViewAccess& a : graph.accesses_of(m)) accesses_.push_back(a);
        }
        std::sort(accesses_.begin(), accesses_.end(),
                  [](const ViewAccess& a, const ViewAccess& b) { return a.view < b.view; });
    }

    std::vector<std::string> views(AccessKind kind) const {
        std::vector<std::string> found;
        std::uint32_t last = kNone;
        for (const ViewAccess& a : accesses_) {
            if (!(a.kinds & kind) || a.view == last) continue;
            const DistinctView& view = graph_.views[a.view];
            const BaseLife& life = graph_.bases[view.base];
            if (kind == kRead ? here(life.created) : dies_here(life)) continue;
            last = a.view;
            found.push_back(graph_.program->dump_view(graph_.program->operands[view.operand]));
        }
        return found;
    }
    std::vector<std::string> contracted() const {
        std::vector<std::string> found;
        BaseId last = kConstant;
        for (const ViewAccess& a : accesses_) {
            const DistinctView& view = graph_.views[a.view];
            const BaseLife& life = graph_.bases[view.base];
            if (view.base == last || !here(life.created) || !dies_here(life)) continue;
            last = view.base;
            found.push_back(name(view));
        }
        return found;
    }

  private:
    bool here(std::uint32_t k) const { return k != kNone && block_of_[k] == number_; }
    bool dies_here(const BaseLife& life) const { return del_counts(life) && here(life.deleted); }
    std::string name(const DistinctView& view) const {
        const Program& p = *graph_.program;
        std::string text = p.dump_view(p.operands[view.operand]);
        return text.substr(0, text.find_first_of(":["));
    }

    const Graph& graph_;
    std::span<const std::uint32_t> block_of_;
    std::uint32_t number_;
    std::vector<ViewAccess> accesses_;
};

// Sets the bytes of every instruction (Def. 13 for the block, and for the instruction alone).
void add_traffic(Description& out, const Graph& graph, const Partition& partition,
                 std::span<const std::uint32_t> block_of) {
    const Costing costing(graph, CostUnit::Bytes);
    out.touched.assign(graph.size(), 0);
    out.moved.assign(graph.size(), 0);
    std::vector<std::uint32_t> read_by(graph.views.size(), kNone), written_by = read_by;  // blocks
    const auto outside = [&](std::uint32_t k, std::uint32_t block) {
        return k == kNone || block_of[k] != block;
    };
    for (std::uint32_t b = 0; b < partition.blocks.size(); ++b) {
        const std::vector<std::uint32_t>& members = partition.blocks[b].members;
        for (std::uint32_t m : members) {
            for (const ViewAccess& a : graph.accesses_of(m)) {
                const DistinctView& view = graph.views[a.view];
                const BaseLife& life = graph.bases[view.base];
                if (!(a.kinds & kRead) || life.created == m) continue;
                out.touched[m] += costing.size(view);
                if (!outside(life.created, b) || std::exchange(read_by[a.view], b) == b) continue;
                out.moved[m] += costing.size(view);
            }
        }
        for (auto m = members.rbegin(); m != members.rend(); ++m) {
            for (const ViewAccess& a : graph.accesses_of(*m)) {
                const DistinctView& view = graph.views[a.view];
                const BaseLife& life = graph.bases[view.base];
                if (!(a.kinds & kWrite)) continue;
                out.touched[*m] += costing.size(view);
                const bool kept = !del_counts(life) || outside(life.deleted, b);
                if (!kept || std::exchange(written_by[a.view], b) == b) continue;
                out.moved[*m] += costing.size(view);
            }
        }
    }
}

ForbiddenEdge explain(const Legality& legality, const Partition& partition, std::uint32_t a,
                      std::uint32_t b) {
    const auto &left = partition.blocks[a].members, &right = partition.blocks[b].members;
    for (std::uint32_t x : left) {
        for (std::uint32_t y : right) {
            std::string reason = legality.refusal(x, y);
            if (!reason.empty()) return {a, b, x, y, reason};
        }
    }
    return {a, b, left[0], right[0], "together they are too large"};
}

std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_to_explain(
    const Graph& graph, std::span<const std::uint32_t> block_of, std::size_t blocks) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    if (blocks > kMostForbiddenBlocks) {
        for (std::uint32_t k = 0; k < graph.size(); ++k) {
            for (std::uint32_t to : graph.successors[k]) {
                const auto [a, b] = std::minmax(block_of[k], block_of[to]);
                if (a != b) pairs.emplace(a, b);
            }
        }
        return pairs;
    }
    for (std::uint32_t a = 0; a < blocks; ++a) {
        for (std::uint32_t b = a + 1; b < blocks; ++b) pairs.emplace(a, b);
    }
    return pairs;
}

}  // namespace

Description describe(const Program& program, const Partition& partition, LegalityMode mode) {
    Graph graph = build_graph(program, mode);
    Legality legality(graph, mode);
    std::vector<std::uint32_t> block_of = blocks_of(partition, graph.size());
    Description out;
    std::vector<BlockState> states(partition.blocks.size());
    BlockState next;
    for (std::size_t k = 0; k < partition.blocks.size(); ++k) {
        const Block& block = partition.blocks[k];
        BlockText text(graph, block, block_of);
        out.reads.push_back(text.views(kRead));
        out.writes.push_back(text.views(kWrite));
        out.contracted.push_back(text.contracted());
        legality.load(block.members[0], states[k]);
        for (std::size_t m = 1; m < block.members.size(); ++m) {
            legality.load(block.members[m], next);
            legality.join(states[k], next);
        }
    }
    add_traffic(out, graph, partition, block_of);
    for (std::uint32_t k = 0; k < graph.size(); ++k) {
        for (std::uint32_t to : graph.successors[k]) out.dependencies.emplace_back(k, to);
    }
    for (const auto& [a, b] : pairs_to_explain(graph, block_of, states.size())) {
        if (legality.may_join(states[a], states[b])) continue;
        out.forbidden.push_back(explain(legality, partition, a, b));
    }
    return out;
}

Instance instance_of(const Program& program, const FuseOptions& options) {
    Graph graph = build_graph(program, options.legality);
    Legality legality(graph, options.legality);
    Costing costing(graph, options.unit);
    Nets nets = flat_nets(find_cost_model(options.cost_model).nets(costing), graph.size());
    Instance out{static_cast<std::uint32_t>(graph.size()), {}, {}, nets.constant, {}};
    for (std::uint32_t k = 0; k < graph.size(); ++k) {
        for (std::uint32_t to : graph.successors[k]) out.dependencies.emplace_back(k, to);
        for (std::uint32_t other = k + 1; other < graph.size(); ++other) {
            if (legality.refusal(k, other)[0] != '\0') out.forbidden.emplace_back(k, other);
        }
    }
    for (const Net& net : nets.nets) {
        auto pins = nets.pins_of(net);
        out.nets.emplace_back(net.weight, std::vector<std::uint32_t>(pins.begin(), pins.end()));
    }
    return out;
}

double cost_of(const Program& program, const Partition& partition, const FuseOptions& options) {
    partition.verify(program, options.legality);
    Graph graph = build_graph(program, options.legality);
    return find_cost_model(options.cost_model).cost(Costing(graph, options.unit), partition);
}

}  // namespace hassium
