// Overlap against enumeration of every byte, on random small views.
#include "program/overlap.hpp"

#include <set>
#include <vector>

#include "base/counters.hpp"
#include "base/small_vec.hpp"
#include "support/check.hpp"

using namespace hassium;

namespace {

struct View {
    std::int64_t offset;
    std::int64_t itemsize;
    Dims shape, strides;
    Extent extent() const { return {offset, itemsize, shape, strides}; }
};

// Calls visit(byte) for every byte of every element.
template <class F>
void each_byte(const View& v, F visit) {
    std::int64_t total = element_count(v.shape);
    for (std::int64_t n = 0; n < total; ++n) {
        std::int64_t at = v.offset, rest = n;
        for (std::size_t k = v.shape.size(); k-- > 0;) {
            at += rest % v.shape[k] * v.strides[k];
            rest /= v.shape[k];
        }
        for (std::int64_t p = 0; p < v.itemsize; ++p) visit(at + p);
    }
}

View random_view(check::Random& random) {
    View v;
    v.itemsize = std::int64_t{1} << random.below(4);
    v.offset = random.below(60);
    for (std::int64_t k = random.below(4); k > 0; --k) {
        v.shape.push_back(random.below(6));
        v.strides.push_back(random.between(-12, 12) * (random.below(2) ? v.itemsize : 1));
    }
    return v;
}

void against_enumeration() {
    check::Random random{88172645463325252u};
    int overlapping = 0, apart = 0, self = 0;
    for (int round = 0; round < 60000; ++round) {
        View a = random_view(random), b = random_view(random);
        std::multiset<std::int64_t> bytes;
        each_byte(a, [&](std::int64_t byte) { bytes.insert(byte); });
        bool twice = false;
        for (std::int64_t byte : bytes) twice = twice || bytes.count(byte) > 1;
        bool common = false;
        each_byte(b, [&](std::int64_t byte) { common = common || bytes.count(byte) > 0; });
        CHECK(may_overlap(a.extent(), b.extent()) == common);
        CHECK(may_overlap(b.extent(), a.extent()) == common);
        CHECK(overlaps_itself(a.extent()) == twice);
        std::int64_t first, last;
        byte_bounds(a.extent(), first, last);
        if (bytes.empty()) {
            CHECK(first == last);
        } else {
            CHECK(first == *bytes.begin() && last == *bytes.rbegin() + 1);
        }
        (common ? overlapping : apart) += 1;
        self += twice;
    }
    // Both answers were really asked for, and nothing was given up.
    CHECK(overlapping > 5000 && apart > 5000 && self > 5000);
    CHECK(counters().get(Counter::overlap_unknown) == 0);
}

void large_views() {
    // Two halves of a chessboard of 10^6 x 10^6 elements, exact at once.
    View even{0, 8, {1000000, 500000}, {8000000, 16}};
    View odd{8, 8, {1000000, 500000}, {8000000, 16}};
    CHECK(!may_overlap(even.extent(), odd.extent()));
    CHECK(may_overlap(even.extent(), even.extent()));
    CHECK(!overlaps_itself(even.extent()));
    View column{0, 8, {1000000}, {8000000}};
    View other{8, 8, {1000000}, {8000000}};
    CHECK(!may_overlap(column.extent(), other.extent()));
    CHECK(counters().get(Counter::overlap_unknown) == 0);
    // A knapsack: the effort is bounded, and giving up is counted and means yes.
    View hard{0, 1, {40, 40, 40, 40, 40}, {1000003, 1000033, 1000037, 1000039, 1000081}};
    View harder{7, 1, {40, 40, 40, 40}, {1000099, 1000117, 1000121, 1000133}};
    CHECK(may_overlap(hard.extent(), harder.extent()));
    CHECK(counters().get(Counter::overlap_unknown) == 1);
}

void same() {
    View a{8, 8, {3, 1, 4}, {32, 8, 8}};
    View b{8, 8, {3, 1, 4}, {32, 999, 8}};
    View c{8, 8, {3, 1, 4}, {40, 8, 8}};
    CHECK(same_view(a.extent(), b.extent()));
    CHECK(!same_view(a.extent(), c.extent()));
    b.offset = 0;
    CHECK(!same_view(a.extent(), b.extent()));
}

}  // namespace

int main() {
    against_enumeration();
    large_views();
    same();
    return 0;
}
