#include "program/loop_cuts.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "program/axes.hpp"
#include "program/lookup.hpp"
#include "program/reduction_tree.hpp"

namespace hassium {
namespace {

// Tells whether a reduction tree treats two neighbouring axes, the outer directly before the inner,
// as one.
class TreeAxes {
  public:
    TreeAxes(const Program& p, const Instruction& i) : tree_(reduction_tree(p, i)), axes_(i.axes) {}

    bool coalesce(std::size_t outer, std::size_t inner) const {
        const std::size_t at = tree_.place(outer);
        return tree_.place(inner) == at + 1 && tree_.role(at, axes_) == tree_.role(at + 1, axes_);
    }

  private:
    ReductionTree tree_;
    std::uint64_t axes_;
};

}  // namespace

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
    const std::uint32_t off_loop = operands_off_loop(p, i);
    Dims result;
    if (reduces) result = result_strides(p, i);
    auto coalesces = [&](std::size_t outer, std::size_t inner) {
        for (std::size_t k = 0; k < views.size(); ++k) {
            if (views[k].is_constant() || (off_loop >> k & 1)) continue;
            const std::int64_t* strides =
                reduces && k == 0 ? result.data() : p.strides(views[k]).data();
            if (!carries(strides[outer], strides[inner], shape[inner])) return false;
        }
        return !reduces || TreeAxes(p, i).coalesce(outer, inner);
    };
    LoopCuts cuts;
    std::int64_t inside = 1;
    std::size_t inner = shape.size();  // the next axis inside, skipping axes of one element
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] == 1) continue;
        if (inner < shape.size() && !coalesces(axis, inner)) cuts.push_back(inside);
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
