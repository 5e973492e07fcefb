// Overlap of two strided views as a bounded diophantine problem.
//
// A view touches the bytes  offset + sum_k i_k s_k + p,  0 <= i_k < n_k,  0 <= p < itemsize.  Two
// views share a byte if the difference of two such sums is 0. Every index with a negative
// coefficient is flipped (i -> n-1-i), which leaves
//
//     sum_k c_k x_k = target,   c_k > 0,   0 <= x_k <= u_k.
//
// Equal coefficients are added up: views of one array usually have the same strides, so two planes
// become three terms (row, column, byte). The search then takes the terms by decreasing
// coefficient; the range of the smaller terms leaves each only a few values, and the rest must be
// divisible by the greatest common divisor of the smaller coefficients. The number of visited nodes
// is bounded: the general problem is NP-complete (NumPy's may_share_memory solves the same one).
// Overlapping views mostly have the greedy solution, in which each term, from the largest on, is as
// large as possible: that is tried first.
#include "program/overlap.hpp"

#include <algorithm>
#include <numeric>

#include "base/counters.hpp"
#include "base/small_vec.hpp"

namespace hassium {
namespace {

constexpr int kEffort = 1000;

struct Term {
    std::int64_t coefficient;
    std::int64_t most;
};

struct Equation {
    SmallVec<Term, 12> terms;
    SmallVec<std::int64_t, 12> reach;    // sum of the terms after this one
    SmallVec<std::int64_t, 12> divisor;  // gcd of the terms after this one, 0 after the last
    int effort = kEffort;

    // Keeps the terms sorted by decreasing coefficient.
    void add(std::int64_t coefficient, std::int64_t most) {
        if (coefficient == 0 || most <= 0) return;
        std::size_t at = terms.size();
        while (at > 0 && terms[at - 1].coefficient < coefficient) --at;
        if (at > 0 && terms[at - 1].coefficient == coefficient) {
            terms[at - 1].most += most;
        } else {
            terms.insert(at, {coefficient, most});
        }
    }
    bool greedily(std::int64_t target) const;
    void prepare();
    bool solve(std::size_t k, std::int64_t target);
    bool solvable(std::int64_t target);
};

bool Equation::greedily(std::int64_t target) const {
    for (const Term& term : terms) {
        target -= std::min(target / term.coefficient, term.most) * term.coefficient;
    }
    return target == 0;
}

void Equation::prepare() {
    reach.resize(terms.size());
    divisor.resize(terms.size());
    std::int64_t sum = 0, common = 0;
    for (std::size_t k = terms.size(); k-- > 0;) {
        reach[k] = sum;
        divisor[k] = common;
        sum += terms[k].coefficient * terms[k].most;
        common = std::gcd(common, terms[k].coefficient);
    }
}

// Also returns true when the effort is used up.
bool Equation::solve(std::size_t k, std::int64_t target) {
    if (k == terms.size()) return target == 0;
    const Term& term = terms[k];
    std::int64_t least =
        target > reach[k] ? (target - reach[k] + term.coefficient - 1) / term.coefficient : 0;
    std::int64_t most = std::min(term.most, target / term.coefficient);
    for (std::int64_t x = least; x <= most; ++x) {
        std::int64_t rest = target - x * term.coefficient;
        if (divisor[k] != 0 && rest % divisor[k] != 0) {
            if (--effort <= 0) return true;
            continue;
        }
        if (--effort <= 0 || solve(k + 1, rest)) return true;
    }
    return false;
}

bool Equation::solvable(std::int64_t target) {
    if (target < 0) return false;
    if (greedily(target)) return true;
    if (terms.empty()) return false;
    prepare();
    if (target > reach[0] + terms[0].coefficient * terms[0].most) return false;
    if (target % std::gcd(divisor[0], terms[0].coefficient) != 0) return false;
    bool answer = solve(0, target);
    if (effort <= 0) counters().add(Counter::overlap_unknown);
    return answer;
}

std::int64_t magnitude(std::int64_t v) { return v < 0 ? -v : v; }

// Tries the greedy solution without building the equation. Axes of one array are mostly sorted by
// decreasing stride; if they are not, a sum that reaches the target is still a solution.
bool plainly_overlap(const Extent& a, const Extent& b, std::int64_t target) {
    if (target < 0) return false;
    std::size_t j = 0, k = 0;
    while (j < a.shape.size() || k < b.shape.size()) {
        const std::int64_t s = j < a.shape.size() ? magnitude(a.strides[j]) : 0;
        const std::int64_t t = k < b.shape.size() ? magnitude(b.strides[k]) : 0;
        const std::int64_t coefficient = std::max(s, t);
        std::int64_t most = 0;
        if (j < a.shape.size() && s == coefficient) most += a.shape[j++] - 1;
        if (k < b.shape.size() && t == coefficient) most += b.shape[k++] - 1;
        const std::int64_t all = coefficient * most;
        if (target >= all) {
            target -= all;
        } else if (target >= coefficient) {
            target %= coefficient;
        }
    }
    return target <= a.itemsize - 1 + b.itemsize - 1;
}

}  // namespace

bool same_view(const Extent& a, const Extent& b) {
    if (a.offset != b.offset || a.itemsize != b.itemsize) return false;
    std::size_t j = 0, k = 0;
    // Axes of extent 1 are never stepped along.
    auto skip_ones = [](const Extent& e, std::size_t& axis) {
        while (axis < e.shape.size() && e.shape[axis] == 1) ++axis;
        return axis < e.shape.size();
    };
    for (;; ++j, ++k) {
        bool more_a = skip_ones(a, j), more_b = skip_ones(b, k);
        if (!more_a || !more_b) return more_a == more_b;
        if (a.shape[j] != b.shape[k] || a.strides[j] != b.strides[k]) return false;
    }
}

void byte_bounds(const Extent& a, std::int64_t& first, std::int64_t& last) {
    first = a.offset;
    last = a.offset + a.itemsize;
    for (std::size_t k = 0; k < a.shape.size(); ++k) {
        if (a.shape[k] == 0) {
            first = last = a.offset;
            return;
        }
        std::int64_t span = (a.shape[k] - 1) * a.strides[k];
        (span < 0 ? first : last) += span;
    }
}

bool may_overlap(const Extent& a, const Extent& b) {
    std::int64_t first_a, last_a, first_b, last_b;
    byte_bounds(a, first_a, last_a);
    byte_bounds(b, first_b, last_b);
    if (first_a == last_a || first_b == last_b) return false;
    if (last_a <= first_b || last_b <= first_a) return false;
    // Both ends of a view are bytes of it.
    if (first_a == first_b || last_a == last_b) return true;
    // Counted from their first bytes all strides are positive:
    //   first_a + sum_a + p = first_b + sum_b + q.  Flip sum_b and q to get one sum.
    std::int64_t target = first_b - first_a + b.itemsize - 1;
    for (std::size_t k = 0; k < b.shape.size(); ++k) {
        target += magnitude(b.strides[k]) * (b.shape[k] - 1);
    }
    if (plainly_overlap(a, b, target)) return true;
    Equation equation;
    for (std::size_t k = 0; k < a.shape.size(); ++k) {
        equation.add(magnitude(a.strides[k]), a.shape[k] - 1);
    }
    for (std::size_t k = 0; k < b.shape.size(); ++k) {
        equation.add(magnitude(b.strides[k]), b.shape[k] - 1);
    }
    equation.add(1, a.itemsize - 1 + b.itemsize - 1);
    return equation.solvable(target);
}

bool plainly_within(const Extent& u, const Extent& v, std::int64_t range) {
    std::int64_t bytes = v.itemsize;  // of distinct elements: broadcast axes count once
    for (std::size_t k = 0; k < v.shape.size(); ++k) {
        if (v.strides[k] != 0 || v.shape[k] == 0) bytes *= v.shape[k];
    }
    if (bytes == range) return true;
    if (v.itemsize != u.itemsize) return false;
    std::int64_t distance = u.offset - v.offset;
    std::size_t next = 0;
    auto skip_still = [&] {
        while (next < u.shape.size() && (u.shape[next] == 1 || u.strides[next] == 0)) ++next;
        return next < u.shape.size();
    };
    for (std::size_t k = 0; k < v.shape.size(); ++k) {
        const std::int64_t stride = v.strides[k];
        if (stride <= 0 || distance < 0) return false;
        if (k > 0 && v.strides[k - 1] < stride) return false;
        std::int64_t extent = 1;
        if (skip_still() && u.strides[next] == stride) extent = u.shape[next++];
        const std::int64_t slack = v.shape[k] - extent;
        if (slack < 0) return false;
        // Takes as many steps as fit; divisions are slow.
        if (distance >= stride * slack) {
            distance -= stride * slack;
        } else if (distance >= stride) {
            distance %= stride;
        }
    }
    return !skip_still() && distance == 0;
}

namespace {

// Returns whether each axis steps over all axes inside it, in memory order, as in most views.
// Unspecified for empty views.
bool plainly_apart(const Extent& a) {
    std::int64_t inside = a.itemsize;
    for (std::size_t k = a.shape.size(); k-- > 0;) {
        if (a.shape[k] <= 1) continue;
        const std::int64_t stride = magnitude(a.strides[k]);
        if (stride < inside) return false;
        inside += stride * (a.shape[k] - 1);
    }
    return true;
}

}  // namespace

bool overlaps_itself(const Extent& a) {
    if (plainly_apart(a) || element_count(a.shape) == 0) return false;
    SmallVec<Term, 12> axes;
    for (std::size_t k = 0; k < a.shape.size(); ++k) {
        if (a.shape[k] == 1) continue;
        if (a.strides[k] == 0) return true;
        axes.push_back({magnitude(a.strides[k]), a.shape[k] - 1});
    }
    std::sort(axes.begin(), axes.end(),
              [](const Term& x, const Term& y) { return x.coefficient < y.coefficient; });
    // The same test with axes sorted by stride.
    std::int64_t inside = a.itemsize;
    bool nested = true;
    for (const Term& axis : axes) {
        nested = nested && axis.coefficient >= inside;
        inside += axis.coefficient * axis.most;
    }
    if (nested) return false;
    // If two different index vectors reach the same byte, let k be the first axis in which they
    // differ, by d_k >= 1; later axes differ by -u_j..u_j and the bytes by less than an item. One
    // equation for each k.
    for (std::size_t k = 0; k < axes.size(); ++k) {
        Equation equation;
        equation.add(axes[k].coefficient, axes[k].most - 1);
        equation.add(1, 2 * (a.itemsize - 1));
        std::int64_t target = a.itemsize - 1 - axes[k].coefficient;
        for (std::size_t j = k + 1; j < axes.size(); ++j) {
            equation.add(axes[j].coefficient, 2 * axes[j].most);
            target += axes[j].coefficient * axes[j].most;
        }
        if (equation.solvable(target)) return true;
    }
    return false;
}

}  // namespace hassium
