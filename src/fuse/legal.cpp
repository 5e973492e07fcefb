#include "fuse/legal.hpp"

#include <algorithm>

namespace hassium {
namespace {

bool is_reduction(const Instruction& i) {
    return i.method == Method::Reduce && info(i.op).cls == OpClass::Map;
}

// Rule 4 compares these: equal trees over equal axes need the same nest.
struct TreeKey {
    ReductionTree tree;
    std::uint64_t axes;
};

std::uint64_t hash_of(const TreeKey& key) {
    std::uint64_t hash = Interner::mix(key.axes, key.tree.row_form);
    hash = Interner::mix(hash, static_cast<std::uint64_t>(key.tree.row_elements));
    for (std::uint8_t axis : key.tree.order) hash = Interner::mix(hash, axis);
    return hash;
}

}  // namespace

ReductionTree reduction_tree_of(const Program& p, const Instruction& i) {
    const Operand& input = p.inputs(i)[0];
    return reduction_tree(p.shape(input), p.strides(input), i.axes, info(i.op).has(kAssociative));
}

void BlockState::clear() {
    shape = tree = kNone;
    members = 0;
    alone = false;
    accesses.clear();
}

Legality::Legality(const Graph& graph, LegalityMode mode)
    : graph_(graph), mode_(mode), loops_(graph.size()) {
    number_loops();
}

void Legality::number_loops() {
    const Program& p = *graph_.program;
    Interner shapes(p.instructions.size()), tree_numbers(p.instructions.size());
    std::vector<std::uint32_t> shape_of;  // an instruction that has the shape
    std::vector<TreeKey> trees;
    std::vector<std::uint32_t> tree_of;  // a reduction that has the tree
    for (std::uint32_t k = 0; k < p.instructions.size(); ++k) {
        const Instruction& i = p.instructions[k];
        if (info(i.op).cls == OpClass::System) continue;
        auto shape = p.iteration_shape(i);
        std::uint64_t hash = Interner::mix(shape.size(), shape);
        auto equal = [&](std::uint32_t index) {
            auto other = p.iteration_shape(p.instructions[shape_of[index]]);
            return std::equal(shape.begin(), shape.end(), other.begin(), other.end());
        };
        auto add = [&] {
            shape_of.push_back(k);
            return static_cast<std::uint32_t>(shape_of.size() - 1);
        };
        loops_[k].shape = shapes.intern(hash, equal, add);
        loops_[k].alone = stands_alone(i);
        if (!is_reduction(i)) continue;
        TreeKey key{reduction_tree_of(p, i), i.axes};
        auto equal_tree = [&](std::uint32_t index) {
            return trees[index].axes == key.axes && trees[index].tree == key.tree;
        };
        auto add_tree = [&] {
            trees.push_back(key);
            return static_cast<std::uint32_t>(trees.size() - 1);
        };
        std::size_t known = trees.size();
        std::uint32_t tree = tree_numbers.intern(hash_of(key), equal_tree, add_tree);
        loops_[k].tree = tree;
        if (tree == known) {
            tree_of.push_back(k);
        } else {
            graph_.questions.note(Question::SameTree, true, tree_of[tree], k);
        }
    }
}

bool Legality::stands_alone(const Instruction& i) const {
    OpClass cls = info(i.op).cls;
    if (cls != OpClass::Map && cls != OpClass::Generate) return true;
    if (i.method == Method::Accumulate) return true;
    const Program& p = *graph_.program;
    auto index = static_cast<std::uint32_t>(&i - p.instructions.data());
    auto accesses = graph_.accesses_of(index);
    for (const Operand& out : p.outputs(i)) {
        auto operand = static_cast<std::uint32_t>(&out - p.operands.data());
        if (graph_.questions.ask(p, Question::OverlapsItself, operand, operand)) return true;
    }
    for (const Access& a : accesses) {
        if (!(a.kinds & kWrite)) continue;
        // A reduction reads all of its input before its result is there.
        if (is_reduction(i) && a.kinds != kWrite) return true;
        for (const Access& b : accesses) {
            bool other = b.view != a.view && graph_.views[b.view].base == graph_.views[a.view].base;
            if (other && graph_.overlap(a.view, b.view)) return true;
        }
    }
    return i.nout == 2 && p.outputs(i)[0].base == p.outputs(i)[1].base &&
           graph_.questions.ask(p, Question::SameView, i.operands, i.operands + 1);
}

void Legality::load(std::uint32_t instruction, BlockState& state) const {
    const Loop& loop = loops_[instruction];
    state.shape = loop.shape;
    state.tree = loop.tree;
    state.alone = loop.alone;
    state.members = info(graph_.program->instructions[instruction].op).cls != OpClass::System;
    auto accesses = graph_.accesses_of(instruction);
    state.accesses.assign(accesses.begin(), accesses.end());
    if (loop.tree != kNone) {
        for (Access& a : state.accesses) {
            if (a.kinds & kWrite) a.kinds |= kResult;
        }
    }
    std::sort(state.accesses.begin(), state.accesses.end(),
              [](const Access& a, const Access& b) { return a.view < b.view; });
}

const char* Legality::loop_refusal(const Loop& a, const Loop& b) const {
    if (a.shape == kNone || b.shape == kNone) return "";
    if (a.alone || b.alone) return "one of them runs by a routine of its own";
    if (a.shape != b.shape) return "they iterate over different shapes";
    bool trees_differ = a.tree != b.tree && a.tree != kNone && b.tree != kNone;
    if (trees_differ && mode_ == LegalityMode::Full) {
        return "they reduce in different orders";
    }
    return "";
}

bool Legality::same_loop(std::uint32_t a, std::uint32_t b) const {
    return loop_refusal(loops_[a], loops_[b])[0] == '\0';
}

// A view that is written and overlaps itself stands alone, so elements of `whole` lie apart here.
bool Legality::shows_part(const Access& a, const Access& b) const {
    if (mode_ != LegalityMode::Full || ((a.kinds | b.kinds) & kResult)) return false;
    return (a.kinds == kRead && graph_.component(b.view, a.view)) ||
           (b.kinds == kRead && graph_.component(a.view, b.view));
}

// Rules 1 and 3, base by base: accesses are sorted by view, and the views of a base have
// consecutive numbers.
bool Legality::views_agree(const BlockState& few, const BlockState& many) const {
    auto by_view = [](const Access& x, std::uint32_t view) { return x.view < view; };
    for (const Access& a : few.accesses) {
        BaseId base = graph_.views[a.view].base;
        auto b = std::lower_bound(many.accesses.begin(), many.accesses.end(),
                                  graph_.first_view[base], by_view);
        for (; b != many.accesses.end() && b->view < graph_.first_view[base + 1]; ++b) {
            if (b->view == a.view) {
                if ((a.kinds | b->kinds) & kResult) return false;
            } else if (((a.kinds | b->kinds) & kWrite) && graph_.overlap(a.view, b->view) &&
                       !shows_part(a, *b)) {
                return false;
            }
        }
    }
    return true;
}

bool Legality::may_join(const BlockState& a, const BlockState& b) const {
    Loop loop_a{a.shape, a.tree, a.alone}, loop_b{b.shape, b.tree, b.alone};
    if (loop_refusal(loop_a, loop_b)[0] != '\0') return false;
    if (mode_ == LegalityMode::Full) {
        if (a.members + b.members > kMaxMembers) return false;
        if (a.accesses.size() + b.accesses.size() > kMaxViews) return false;
    }
    bool fewer = a.accesses.size() <= b.accesses.size();
    return fewer ? views_agree(a, b) : views_agree(b, a);
}

void Legality::join(BlockState& a, const BlockState& b) {
    if (a.shape == kNone) a.shape = b.shape;
    if (a.tree == kNone) a.tree = b.tree;
    a.alone = a.alone || b.alone;
    a.members += b.members;
    if (b.accesses.empty()) return;
    std::size_t old = a.accesses.size();
    a.accesses.insert(a.accesses.end(), b.accesses.begin(), b.accesses.end());
    std::inplace_merge(a.accesses.begin(), a.accesses.begin() + static_cast<std::ptrdiff_t>(old),
                       a.accesses.end(),
                       [](const Access& x, const Access& y) { return x.view < y.view; });
    std::size_t kept = 0;
    for (const Access& access : a.accesses) {
        if (kept > 0 && a.accesses[kept - 1].view == access.view) {
            a.accesses[kept - 1].kinds |= access.kinds;
        } else {
            a.accesses[kept++] = access;
        }
    }
    a.accesses.resize(kept);
}

const char* Legality::refusal(std::uint32_t a, std::uint32_t b) const {
    const char* loops = loop_refusal(loops_[a], loops_[b]);
    if (loops[0] != '\0') return loops;
    BlockState first, second;
    load(a, first);
    load(b, second);
    if (!may_join(first, second)) return "they touch overlapping views that differ";
    return "";
}

}  // namespace hassium
