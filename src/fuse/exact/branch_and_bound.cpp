#include "fuse/exact/branch_and_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fuse/exact/packing.hpp"
#include "fuse/exact/reductions.hpp"

namespace hassium {
namespace {

constexpr int kOrders = 4;  // packings per node

}  // namespace

SearchResult BranchAndBound::run(ExactInstance root, double bound) {
    unresolved_ = std::numeric_limits<double>::infinity();
    root.close();
    push(std::move(root), bound);
    while (!open_.empty() && !late()) {
        auto node = std::move(open_.back());
        open_.pop_back();
        if (node->bound < best_) expand(*node);
    }
    double proven = std::min(unresolved_, best_);
    for (const auto& node : open_) proven = std::min(proven, node->bound);
    return {proven, nodes_};
}

bool BranchAndBound::late() const { return std::chrono::steady_clock::now() >= deadline_; }

void BranchAndBound::push(ExactInstance&& instance, double bound) {
    open_.push_back(std::make_unique<Node>(Node{std::move(instance), bound}));
}

// Returns whether branching cannot improve the result, although the bound is below the best cost.
bool BranchAndBound::decided(const Node& node, const std::vector<std::uint32_t>& blocks) {
    // If nets are not all of the cost: every vertex is a block, and that partition was offered.
    if (!whole_) return node.instance.nets.empty();
    if (node.instance.cost_of(blocks) > node.bound) return false;
    // The least cost that pairs and nets allow; branching cannot find what else forbids it.
    unresolved_ = std::min(unresolved_, node.bound);
    return true;
}

// Returns false if the node is closed.
bool BranchAndBound::try_packings(Node& node, Verdict& verdict) {
    const ExactInstance& x = node.instance;
    Packing packing(x);
    verdict.fixed.assign(x.nets.size(), false);
    verdict.fought.assign(x.nets.size(), 0);
    std::vector<std::uint32_t> order(x.size);
    std::iota(order.begin(), order.end(), 0);
    for (int round = 0; round < (whole_ ? kOrders : 1); ++round) {
        bool complete = packing.run(order, deadline_);
        node.bound = std::max(node.bound, packing.bound());
        if (node.bound >= best_) return false;
        if (!complete) break;
        best_ = std::min(best_, offer_(x, packing.blocks()));
        if (node.bound >= best_) return false;
        if (decided(node, packing.blocks())) return false;
        for (const auto& core : packing.cores()) {
            for (std::uint32_t net : core) {
                verdict.fought[net] += 1 / static_cast<double>(core.size());
            }
        }
        for (std::size_t k = 0; k < x.nets.size(); ++k) {
            if (packing.bound() + packing.residual(k) >= best_) verdict.fixed[k] = true;
        }
        if (late()) break;
        std::shuffle(order.begin(), order.end(), random_);
    }
    return true;
}

// Returns false if these nets cannot all stay uncut, so the node contains nothing better.
bool BranchAndBound::contract_fixed(ExactInstance& x, const std::vector<bool>& fixed,
                                    bool& any) const {
    for (std::size_t k = 0; k < x.nets.size(); ++k) {
        if (!fixed[k]) continue;
        const auto& pins = x.nets[k].pins;
        for (std::size_t p = 1; p < pins.size(); ++p) {
            std::uint32_t u = x.home_of(pins[0]), v = x.home_of(pins[p]);
            if (u == v) continue;
            if (!x.may_share(u, v) || !x.contract(u, v)) return false;
            any = true;
        }
    }
    return true;
}

void BranchAndBound::expand(Node& node) {
    ++nodes_;
    Verdict verdict;
    for (bool any = true; any;) {
        any = false;
        ExactInstance& x = node.instance;
        whole_ ? reduce(x) : split_alone(x);
        node.bound = std::max(node.bound, x.constant);
        if (!try_packings(node, verdict)) return;
        if (late()) {
            push(std::move(x), node.bound);
            return;
        }
        if (!contract_fixed(x, verdict.fixed, any)) return;
        if (!any) break;
        x.compact();
        x.close();
    }
    branch(node, verdict);
}

void BranchAndBound::branch(Node& node, const Verdict& verdict) {
    ExactInstance& x = node.instance;
    std::size_t chosen = 0;
    double most = -1;
    for (std::size_t k = 0; k < x.nets.size(); ++k) {
        // Nets without a core come last, heavy ones first.
        double value = (verdict.fought[k] + 1e-6) * x.nets[k].weight;
        if (value <= most) continue;
        most = value;
        chosen = k;
    }
    // Its pins are connected by pairs that may share a block, so the first pin has a partner.
    const auto& pins = x.nets[chosen].pins;
    std::uint32_t a = pins[0];
    std::uint32_t b = *std::find_if(pins.begin() + 1, pins.end(),
                                    [&](std::uint32_t pin) { return x.may_share(a, pin); });
    ExactInstance apart = x;
    apart.forbid(a, b);
    apart.close();
    push(std::move(apart), node.bound);
    if (!x.contract(a, b)) return;
    x.compact();
    x.close();
    push(std::move(x), node.bound);
}

}  // namespace hassium
