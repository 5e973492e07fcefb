// Properties of the reduction order that every stage relies on.
#include "program/reduction_tree.hpp"

#include "support/check.hpp"

using namespace hassium;

namespace {

ReductionTree tree(Dims shape, Dims strides, std::uint64_t axes, bool associative = true) {
    return reduction_tree(shape, strides, axes, associative);
}

void forms() {
    // C order, all axes: the row is collapsed only until it is long enough.
    ReductionTree all = tree({10, 20, 30}, {4800, 240, 8}, 7);
    CHECK(all.row_form && all.row_axes == 2 && all.row_elements == 600);
    CHECK(all.outer_reduced == 10 && all.chunks == 1 && all.outputs == 1 && all.partials() == 10);
    ReductionTree rows = tree({10, 5000}, {40000, 8}, 2);
    CHECK(rows.row_form && rows.row_axes == 1 && rows.chunks == 5 && rows.outputs == 10);
    CHECK(rows.partials() == 5);
    ReductionTree columns = tree({1000, 7}, {56, 8}, 1);
    CHECK(!columns.row_form && columns.chunks == 4 && columns.outputs == 7);
    // A kept axis ends the run.
    ReductionTree split = tree({6, 5, 4}, {160, 32, 8}, 5);
    CHECK(split.row_form && split.row_axes == 1 && split.row_elements == 4);
    CHECK(split.outer_reduced == 6 && split.outputs == 5 && split.partials() == 6);
}

void stride_order() {
    // The transpose has the same tree but for the names of its axes.
    ReductionTree c = tree({30, 40}, {320, 8}, 2);
    ReductionTree f = tree({40, 30}, {8, 320}, 1);
    CHECK(c.row_elements == f.row_elements && c.chunks == f.chunks && c.row_form == f.row_form);
    CHECK(f.order[0] == 1 && f.order[1] == 0);
    // Reversed axes count by magnitude, ties by position.
    ReductionTree reversed = tree({3, 4, 5}, {8, -160, 8}, 1);
    CHECK(reversed.order[0] == 1 && reversed.order[1] == 0 && reversed.order[2] == 2);
    // The stride of an axis of extent 1 decides nothing.
    ReductionTree near = tree({1000, 1}, {8, 8}, 1), far = tree({1000, 1}, {8, 800}, 1);
    CHECK(near == far && near.row_form && near.row_elements == 1000);
}

void corners() {
    ReductionTree zero = tree({}, {}, 0);
    CHECK(!zero.row_form && zero.partials() == 1 && zero.outputs == 1);
    ReductionTree kept = tree({3, 4}, {32, 8}, 0);
    CHECK(!kept.row_form && kept.partials() == 1 && kept.outputs == 12);
    ReductionTree nothing = tree({0}, {8}, 1);
    CHECK(nothing.partials() == 0 && nothing.outputs == 1);
    ReductionTree no_column = tree({0, 3}, {24, 8}, 1);
    CHECK(no_column.partials() == 0 && no_column.outputs == 3);
    ReductionTree no_outer = tree({0, 600, 2}, {9600, 16, 8}, 7);
    CHECK(no_outer.partials() == 0);
    ReductionTree ones = tree({1, 1}, {8, 8}, 3);
    CHECK(ones.row_form && ones.row_elements == 1 && ones.partials() == 1);
    ReductionTree sequential = tree({5000}, {8}, 1, false);
    CHECK(sequential.sequential && sequential.partials() == 1 && sequential.row_elements == 5000);
    ReductionTree down = tree({5000, 3}, {24, 8}, 1, false);
    CHECK(!down.row_form && down.partials() == 1);
}

// Every element of the input belongs to exactly one output and one place of its tree.
void counts() {
    check::Random random{42};
    for (int round = 0; round < 5000; ++round) {
        Dims shape, strides;
        std::int64_t step = 8;
        for (std::int64_t k = random.below(5); k > 0; --k) {
            shape.push_back(random.below(4) ? random.below(40) : 1);
            strides.push_back(step);
            step *= shape.back() ? shape.back() : 1;
        }
        std::uint64_t axes = random.next() & ((1u << shape.size()) - 1);
        ReductionTree t = tree(shape, strides, axes);
        std::int64_t reduced = 1, kept = 1;
        for (std::size_t k = 0; k < shape.size(); ++k) (axes >> k & 1 ? reduced : kept) *= shape[k];
        CHECK(t.outputs == kept);
        CHECK(t.order.size() == shape.size());
        if (t.row_form) {
            CHECK(t.outer_reduced * t.row_elements == reduced);
            CHECK((t.row_elements + ReductionTree::kChunk - 1) / ReductionTree::kChunk == t.chunks);
        } else {
            CHECK((reduced + ReductionTree::kColumnChunk - 1) / ReductionTree::kColumnChunk ==
                  t.chunks);
        }
    }
}

}  // namespace

int main() {
    forms();
    stride_order();
    corners();
    counts();
    return 0;
}
