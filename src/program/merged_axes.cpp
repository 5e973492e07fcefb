#include "program/merged_axes.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "program/lookup.hpp"
#include "program/reduction_tree.hpp"

namespace hassium {
namespace {

// Does the tree of a reduction take two neighbouring axes as one, the outer one right before the
// inner one?
class TreeAxes {
  public:
    TreeAxes(const Program& p, const Instruction& i) : tree_(reduction_tree(p, i)), axes_(i.axes) {}

    bool merges(std::size_t outer, std::size_t inner) const {
        std::size_t at = place(outer);
        return place(inner) == at + 1 && role(at) == role(at + 1);
    }

  private:
    std::size_t place(std::size_t axis) const {
        std::size_t at = 0;
        while (tree_.order[at] != axis) ++at;
        return at;
    }
    // 0 kept, 1 reduced, 2 in the row.
    int role(std::size_t at) const {
        if (tree_.row_form && at >= tree_.order.size() - tree_.row_axes) return 2;
        return (axes_ >> tree_.order[at] & 1) != 0 ? 1 : 0;
    }
    ReductionTree tree_;
    std::uint64_t axes_;
};

}  // namespace

bool same_elements(const Extent& a, const Extent& b) {
    if (a.offset != b.offset || a.itemsize != b.itemsize) return false;
    auto equal = [](std::span<const std::int64_t> x, std::span<const std::int64_t> y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end());
    };
    if (equal(a.shape, b.shape) && equal(a.strides, b.strides)) return true;
    MergedAxes one(a.shape, a.strides), other(b.shape, b.strides);
    MergedAxis x, y;
    for (;;) {
        bool more = one.next(x);
        if (more != other.next(y)) return false;
        if (!more) return true;
        if (x != y) return false;
    }
}

Dims result_strides(const Program& p, const Instruction& i) {
    std::span<const std::int64_t> shape = p.iteration_shape(i);
    std::span<const std::int64_t> strides = p.strides(p.outputs(i)[0]);
    Dims full(shape.size(), 0);
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if ((i.axes >> axis & 1) == 0) full[axis] = strides[next++];
    }
    HS_CHECK(next == strides.size(), "a reduction's result has the kept axes");
    return full;
}

LoopCuts loop_cuts(const Program& p, const Instruction& i) {
    std::span<const std::int64_t> shape = p.iteration_shape(i);
    std::span<const Operand> views = p.operands_of(i);
    bool reduces = i.method == Method::Reduce;
    const bool looks_up = is_lookup(p, i);
    Dims result;
    if (reduces) result = result_strides(p, i);
    auto carries = [&](std::size_t outer, std::size_t inner) {
        for (std::size_t k = 0; k < views.size(); ++k) {
            if (views[k].is_constant() || (looks_up && k == kLookedUp)) continue;
            const std::int64_t* strides =
                reduces && k == 0 ? result.data() : p.strides(views[k]).data();
            if (strides[outer] != strides[inner] * shape[inner]) return false;
        }
        return !reduces || TreeAxes(p, i).merges(outer, inner);
    };
    LoopCuts cuts;
    std::int64_t inside = 1;
    std::size_t inner = shape.size();  // the axis next inside, those of one element skipped
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] == 1) continue;
        if (inner < shape.size() && !carries(axis, inner)) cuts.push_back(inside);
        inside *= shape[axis];
        inner = axis;
    }
    cuts.push_back(inside);
    return cuts;
}

LoopCuts common_cuts(const LoopCuts& a, const LoopCuts& b) {
    LoopCuts all;
    if (a.back() != b.back()) return all;
    std::size_t x = 0, y = 0;
    while (x < a.size()) {
        std::int64_t next = std::min(a[x], b[y]);
        if (!all.empty() && next % all.back() != 0) return {};
        all.push_back(next);
        if (b[y] == next) ++y;
        if (a[x] == next) ++x;
    }
    return all;
}

bool cuts_within(const LoopCuts& few, const LoopCuts& many) {
    return few.back() == many.back() &&
           std::includes(many.begin(), many.end(), few.begin(), few.end());
}

}  // namespace hassium
