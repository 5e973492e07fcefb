// Classifies the loop of each instruction before any two are compared: its shape, the tree of a
// reduction, boundaries of axes, kept axes, and whether it is alone. Equal properties get equal
// numbers.
#include <algorithm>
#include <bit>

#include "fuse/legal/legal.hpp"
#include "program/lookup.hpp"

namespace hassium {
namespace {

bool is_reduction(const Instruction& i) {
    return i.method == Method::Reduce && info(i.op).is_elementwise();
}

// Rule 4 compares these: equal trees over equal axes of one shape need the same nest.
struct TreeKey {
    ReductionTree tree;
    std::uint64_t axes;
    std::uint32_t shape;
};

std::uint64_t hash_of(const TreeKey& key) {
    std::uint64_t hash = Interner::mix(key.axes << 32 ^ key.shape, key.tree.row_form);
    hash = Interner::mix(hash, static_cast<std::uint64_t>(key.tree.row_elements));
    for (std::uint8_t axis : key.tree.order) hash = Interner::mix(hash, axis);
    return hash;
}

// Returns `axes` as a bit mask that counts only axes longer than 1.
std::uint64_t long_axes(std::span<const std::int64_t> extents, std::uint64_t axes) {
    std::uint64_t bits = 0;
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        if (extents[axis] == 1) continue;
        bits |= (axes >> axis & 1) << at;
        ++at;
    }
    return bits;
}

}  // namespace

Legality::Legality(const Graph& graph, LegalityMode mode, const std::vector<bool>* among)
    : graph_(graph), mode_(mode), shape_numbers_(2 * graph.size()), loops_(graph.size()) {
    number_loops();
    if (mode_ != LegalityMode::Full) return;
    number_grids();
    find_rows(among);
}

Legality::Shape Legality::shape_of(std::span<const std::int64_t> extents) const {
    Shape shape;
    for (std::int64_t extent : extents) {
        if (extent != 1 || mode_ == LegalityMode::Paper) shape.push_back(extent);
    }
    return shape;
}

std::uint32_t Legality::number_of(const Shape& shape) {
    std::uint64_t hash = Interner::mix(shape.size(), shape);
    auto equal = [&](std::uint32_t index) { return shapes_[index] == shape; };
    auto add = [&] {
        shapes_.push_back(shape);
        return static_cast<std::uint32_t>(shapes_.size() - 1);
    };
    return shape_numbers_.intern(hash, equal, add);
}

void Legality::number_loops() {
    const Program& p = *graph_.program;
    Interner tree_numbers(p.instructions.size());
    std::vector<TreeKey> trees;
    std::vector<std::uint32_t> tree_of;  // per tree: a reduction that has it
    for (std::uint32_t k = 0; k < p.instructions.size(); ++k) {
        const Instruction& i = p.instructions[k];
        if (info(i.op).is_system()) continue;
        loops_[k].shape = number_of(shape_of(p.iteration_shape(i)));
        loops_[k].alone = stands_alone(i);
        if (!loops_[k].alone) loops_[k].scan = scan_axis(i);
        loops_[k].scatters = is_scatter(i.op, i.method);
        if (!is_reduction(i)) continue;
        TreeKey key{reduction_tree(p, i), i.axes, loops_[k].shape};
        auto equal_tree = [&](std::uint32_t index) {
            const TreeKey& known = trees[index];
            return known.axes == key.axes && known.shape == key.shape && known.tree == key.tree;
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

// Rule 10: only shapes with as many elements as another shape need their boundaries.
void Legality::number_grids() {
    std::unordered_map<std::int64_t, std::uint32_t> shapes_of;  // by element count
    auto elements = [](const Shape& shape) { return element_count(shape); };
    for (const Shape& shape : shapes_) ++shapes_of[elements(shape)];
    if (shapes_of.size() == shapes_.size()) return;
    const Program& p = *graph_.program;
    for (std::uint32_t k = 0; k < p.instructions.size(); ++k) {
        Loop& loop = loops_[k];
        if (loop.shape == kNone || loop.alone) continue;
        std::int64_t count = elements(shapes_[loop.shape]);
        if (count == 0 || shapes_of[count] == 1) continue;
        loop.grid = grids_.number(loop_cuts(p, p.instructions[k]));
    }
}

// Rule 8: finds the axes of each shape, then the instructions over them.
void Legality::find_rows(const std::vector<bool>* among) {
    const Program& p = *graph_.program;
    for (std::uint32_t k = 0; k < p.instructions.size(); ++k) {
        if (among && !(*among)[k]) continue;
        if (is_reduction(p.instructions[k]) && !loops_[k].alone) add_rows(k);
    }
    if (rows_.empty()) return;
    rows_.resize(shapes_.size());
    for (std::uint32_t k = 0; k < p.instructions.size(); ++k) {
        const Instruction& i = p.instructions[k];
        Loop& loop = loops_[k];
        if (loop.shape == kNone || loop.alone) continue;
        const Rows& rows = rows_[loop.shape];
        loop.keeps = rows.keeps;
        if (loop.keeps != kNone) loop.host = loop.shape;
        loop.rows = is_reduction(i) && long_axes(p.iteration_shape(i), i.axes) == rows.axes;
    }
    note_looks();
}

// Rule 9 compares views as seen by the shapes of their users.
void Legality::note_looks() {
    const Program& p = *graph_.program;
    std::vector<bool> matters(shapes_.size(), false);
    for (std::uint32_t shape = 0; shape < rows_.size(); ++shape) {
        if (rows_[shape].is_short) matters[shape] = matters[rows_[shape].keeps] = true;
    }
    for (std::uint32_t k = 0; k < p.instructions.size(); ++k) {
        const Instruction& i = p.instructions[k];
        const Loop& loop = loops_[k];
        if (loop.shape == kNone || loop.alone) continue;
        for (std::uint32_t operand = i.operands;
             operand < i.operands + static_cast<std::uint32_t>(i.operand_count()); ++operand) {
            bool result = is_reduction(i) && operand == i.operands;
            if (graph_.view_of[operand] == kNone || (result && !loop.rows)) continue;
            if (operands_off_loop(p, i) >> (operand - i.operands) & 1) continue;
            std::uint32_t shape = result ? loop.keeps : loop.shape;
            if (shape == kNone || !matters[shape]) continue;
            looks_.try_emplace(std::uint64_t{shape} << 32 | graph_.view_of[operand], operand);
        }
    }
}

void Legality::add_rows(std::uint32_t k) {
    const Program& p = *graph_.program;
    const Instruction& i = p.instructions[k];
    auto extents = p.iteration_shape(i);
    std::uint32_t shape = loops_[k].shape;
    if (shape < rows_.size() && rows_[shape].is_short) return;
    std::uint64_t axes = long_axes(extents, i.axes);
    bool nothing = std::find(extents.begin(), extents.end(), 0) != extents.end();
    if (axes == 0 || nothing) return;
    Shape kept;
    for (std::size_t axis = 0; axis < shapes_[shape].size(); ++axis) {
        if ((axes >> axis & 1) == 0) kept.push_back(shapes_[shape][axis]);
    }
    bool is_short = graph_.questions.ask(p, Question::ShortRows, k, k);
    bool known = shape < rows_.size() && rows_[shape].keeps != kNone;
    // A scalar result of a long loop is not worth the loop's place in a sweep.
    if (!is_short && (known || kept.empty())) return;
    std::uint32_t keeps = number_of(kept);
    if (rows_.size() < shapes_.size()) rows_.resize(shapes_.size());
    rows_[shape] = {keeps, axes, is_short};
}

// Rule 11: returns the axis along which elements are processed in order; kNone if there is none, or
// if the instruction shares no loop.
std::uint32_t Legality::scan_axis(const Instruction& i) const {
    if (mode_ != LegalityMode::Full) return kNone;
    const Program& p = *graph_.program;
    if (takes_vector_in_order(p, i)) return 0;
    if (i.method != Method::Accumulate) return kNone;
    const auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    auto extents = p.iteration_shape(i);
    if (extents[axis] == 1) return kNone;
    for (const Operand& view : p.operands_of(i)) {
        if (view.is_constant() || p.strides(view)[axis] != itemsize(view.dtype)) return kNone;
    }
    return static_cast<std::uint32_t>(std::popcount(long_axes(extents, (1ull << axis) - 1)));
}

bool Legality::stands_alone(const Instruction& i) const {
    const Program& p = *graph_.program;
    const bool looks_up = mode_ == LegalityMode::Full && is_lookup(p, i);
    const bool ordered = is_scatter(i.op, i.method) || i.method == Method::Reduceat ||
                         i.method == Method::Accumulate;
    if (ordered && scan_axis(i) == kNone) return true;
    if (!ordered && !info(i.op).is_loop() && !looks_up) return true;
    auto index = static_cast<std::uint32_t>(&i - p.instructions.data());
    auto accesses = graph_.accesses_of(index);
    for (const Operand& out : p.outputs(i)) {
        auto operand = static_cast<std::uint32_t>(&out - p.operands.data());
        if (graph_.questions.ask(p, Question::OverlapsItself, operand, operand)) return true;
    }
    for (const ViewAccess& a : accesses) {
        if (!(a.kinds & kWrite)) continue;
        // A reduction reads all of its input before its result exists, a take any element of the
        // vector.
        if ((is_reduction(i) || looks_up) && a.kinds != kWrite) return true;
        for (const ViewAccess& b : accesses) {
            bool other = b.view != a.view && graph_.views[b.view].base == graph_.views[a.view].base;
            if (other && graph_.overlap(a.view, b.view)) return true;
        }
    }
    return i.nout == 2 && p.outputs(i)[0].base == p.outputs(i)[1].base &&
           graph_.questions.ask(p, Question::SameView, i.operands, i.operands + 1);
}

}  // namespace hassium
