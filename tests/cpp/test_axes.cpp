// Coalesced axes against enumeration of elements, on random small views.
#include "program/axes.hpp"

#include <algorithm>
#include <vector>

#include "program/loop_cuts.hpp"
#include "support/check.hpp"

using namespace hassium;

namespace {

struct View {
    Dims shape, strides;
    Extent extent() const { return {0, 1, shape, strides}; }
};

// Where the elements are, in C order.
std::vector<std::int64_t> places(const View& v) {
    std::vector<std::int64_t> found;
    for (std::int64_t n = 0, total = element_count(v.shape); n < total; ++n) {
        std::int64_t at = 0, rest = n;
        for (std::size_t k = v.shape.size(); k-- > 0;) {
            at += rest % v.shape[k] * v.strides[k];
            rest /= v.shape[k];
        }
        found.push_back(at);
    }
    return found;
}

View random_view(check::Random& random) {
    View v;
    for (std::int64_t k = random.below(4); k > 0; --k) {
        v.shape.push_back(random.between(1, 4));
        v.strides.push_back(random.between(-1, 6));
    }
    return v;
}

// A view is the sequence of its elements' places: its shape does not count.
void same_elements_in_any_shape() {
    check::Random random{88172645u};
    int equal = 0;
    for (int round = 0; round < 40000; ++round) {
        const View a = random_view(random), b = random_view(random);
        bool same = places(a) == places(b);
        equal += same;
        CHECK(same_elements(a.extent(), b.extent()) == same);
    }
    CHECK(equal > 500);
}

// Two loops have common axes when a chain of divisors holds the boundaries of both.
void common_axes() {
    auto cuts = [](std::initializer_list<std::int64_t> all) { return LoopCuts(all); };
    CHECK(common_cuts(cuts({12}), cuts({4, 12})) == cuts({4, 12}));
    CHECK(common_cuts(cuts({3, 12}), cuts({6, 12})) == cuts({3, 6, 12}));
    CHECK(common_cuts(cuts({4, 12}), cuts({6, 12})).empty());
    CHECK(common_cuts(cuts({4, 12}), cuts({4, 16})).empty());
    CHECK(cuts_within(cuts({12}), cuts({4, 12})) && !cuts_within(cuts({4, 12}), cuts({12})));
    CHECK(!cuts_within(cuts({12}), cuts({12, 24})));
}

// Strides in another shape are found exactly when there are any.
void strides_over_another_shape() {
    check::Random random{88172645u};
    int found = 0, none = 0;
    for (int round = 0; round < 20000; ++round) {
        const View view = random_view(random);
        View other;
        std::int64_t left = element_count(view.shape);
        while (left > 1 || random.below(3) == 0) {
            std::int64_t extent = random.between(1, left);
            while (left % extent != 0) --extent;
            other.shape.push_back(extent);
            left /= extent;
        }
        const Axes<1> axes = coalesce(view.shape, view.strides);
        const bool spreads = spread_strides(axes, other.shape, 1, other.strides);
        // The only strides there may be: the steps of the first element.
        View forced{other.shape, Dims(other.shape.size(), 0)};
        const std::vector<std::int64_t> all = places(view);
        std::int64_t inside = 1;
        for (std::size_t k = forced.shape.size(); k-- > 0; inside *= forced.shape[k]) {
            if (forced.shape[k] > 1) forced.strides[k] = all[static_cast<std::size_t>(inside)];
        }
        CHECK(spreads == (places(forced) == all));
        if (spreads) CHECK(places(other) == all);
        (spreads ? found : none) += 1;
    }
    CHECK(found > 1000 && none > 1000);
}

// Axes of several operands are one only where they are for each.
void axes_of_two() {
    check::Random random{362436069u};
    int coalesced = 0;
    for (int round = 0; round < 20000; ++round) {
        const View a = random_view(random);
        View b = a;
        for (std::int64_t& stride : b.strides) stride += random.below(4) == 0;
        const auto both = coalesce<2>(
            a.shape, [&](int k, std::size_t axis) { return (k == 0 ? a : b).strides[axis]; });
        View parts[2];
        for (const auto& [extent, strides] : both) {
            for (int k = 0; k < 2; ++k) {
                parts[k].shape.push_back(extent);
                parts[k].strides.push_back(strides[k]);
            }
        }
        CHECK(places(parts[0]) == places(a) && places(parts[1]) == places(b));
        for (std::size_t k = 1; k < both.size(); ++k) {
            const auto &outer = both[k - 1], &inner = both[k];
            CHECK(!carries(outer.strides[0], inner.strides[0], inner.extent) ||
                  !carries(outer.strides[1], inner.strides[1], inner.extent));
        }
        coalesced += both.size() < a.shape.size();
    }
    CHECK(coalesced > 1000);
}

void orders() {
    const AxisOrder by_stride = stride_order(Dims{8, -160, 8, 0});
    CHECK(by_stride == (AxisOrder{1, 0, 2, 3}));
    // Undecided axes stay inside those that stand before them.
    const AxisOrder undecided = sort_axes(3, [](std::size_t, std::size_t) { return 0; });
    CHECK(undecided == (AxisOrder{0, 1, 2}));
    const AxisOrder past = sort_axes(3, [](std::size_t axis, std::size_t other) {
        return axis == 2 && other == 0 ? 1 : axis == 2 ? 0 : -1;
    });
    CHECK(past == (AxisOrder{2, 0, 1}));
}

}  // namespace

int main() {
    same_elements_in_any_shape();
    common_axes();
    strides_over_another_shape();
    axes_of_two();
    orders();
    return 0;
}
