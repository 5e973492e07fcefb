// Lowering without executing: axes, merging, contraction, tiles and trees as the dump shows them.
#include "base/processor.hpp"
#include "base/settings.hpp"
#include "plan/sweep/sweep.hpp"
#include "support/blocks.hpp"

namespace {

using namespace blocks;

View sliced(View v, std::initializer_list<std::int64_t> first,
            std::initializer_list<std::int64_t> shape) {
    auto at = first.begin();
    for (std::size_t k = 0; k < v.shape.size(); ++k) v.offset += *at++ * v.strides[k];
    v.shape = Dims(shape);
    return v;
}

LoopPlan plan_all(const Builder& b) {
    LoopPlan plan =
        lower(b.program, block_of(0, static_cast<std::uint32_t>(b.program.instructions.size())));
    plan.verify();
    return plan;
}

void contiguous_axes_merge() {
    Builder b;
    View x = b.array(DType::F64, {30, 40, 50}, true), y = b.array(DType::F64, {30, 40, 50});
    b.add(Op::Add, DType::F64, {y}, {x, Builder::constant(DType::F64, 1)});
    LoopPlan plan = plan_all(b);
    CHECK_TEXT(plan.dump(),
               "nest (60000) span 1 swept 0 tile 512 unit 512 i0\n"
               "  add[float64] b1:float64@0(8) <- b0:float64@0(8), c0:float64\n"
               "  acquires b1\n"
               "  bytes 960000\n");
}

void a_broadcast_row_keeps_its_axis() {
    Builder b;
    View x = b.array(DType::F64, {300, 400}, true), row = b.array(DType::F64, {400}, true);
    View y = b.array(DType::F64, {300, 400});
    row.shape = Dims{300, 400};
    row.strides = Dims{0, 8};
    b.add(Op::Add, DType::F64, {y}, {x, row});
    LoopPlan plan = plan_all(b);
    CHECK((plan.extents == Dims{300, 400}));
    CHECK(plan.bytes == 2 * 300 * 400 * 8 + 400 * 8);
}

void the_output_orders_the_axes() {
    Builder b;
    View x = b.array(DType::F64, {300, 400}, true), y = b.array(DType::F64, {400, 300});
    std::swap(y.shape[0], y.shape[1]);
    std::swap(y.strides[0], y.strides[1]);
    b.add(Op::Copy, DType::F64, {y}, {x});
    LoopPlan plan = plan_all(b);
    CHECK((plan.extents == Dims{400, 300}));
    CHECK(plan.order[0] == 1 && plan.order[1] == 0);
    CHECK((plan.operands[plan.statements[0].operands[0]].strides == Dims{2400, 8}));
}

void an_output_without_memory_orders_none() {
    Builder b;
    View x = b.array(DType::F64, {400, 300}, true), y = b.array(DType::F64, {300, 400}, true);
    View turned = b.array(DType::F64, {400, 300}), out = b.array(DType::F64, {300, 400});
    for (View* v : {&x, &turned}) {
        std::swap(v->shape[0], v->shape[1]);
        std::swap(v->strides[0], v->strides[1]);
    }
    b.add(Op::Square, DType::F64, {turned}, {x});
    b.add(Op::Add, DType::F64, {out}, {turned, y});
    b.del(turned);
    LoopPlan plan = plan_all(b);
    CHECK(plan.contracted.size() == 1);
    CHECK(plan.order[0] == 0 && plan.order[1] == 1);
    CHECK((plan.operands[plan.statements[1].operands[0]].strides == Dims{3200, 8}));
}

void axes_of_one_element_vanish() {
    Builder b;
    View x = b.array(DType::F64, {1, 300, 1, 400, 1}, true);
    View y = b.array(DType::F64, {1, 300, 1, 400, 1});
    x.strides[2] = 12345;
    b.add(Op::Sqrt, DType::F64, {y}, {x});
    CHECK((plan_all(b).extents == Dims{120000}));
}

void short_rows_share_a_tile() {
    Builder b;
    View x = b.array(DType::F64, {1000, 4}, true), y = b.array(DType::F64, {1000, 3});
    x = sliced(x, {0, 1}, {1000, 3});
    b.add(Op::Copy, DType::F64, {y}, {x});
    LoopPlan plan = plan_all(b);
    CHECK(plan.span == 2 && plan.tile == 510);
}

void temporaries_take_slots_in_turn() {
    Builder b;
    View x = b.array(DType::F64, {5000}, true), y = b.array(DType::F64, {5000});
    std::vector<View> t;
    for (int k = 0; k < 4; ++k) t.push_back(b.array(DType::F64, {5000}));
    b.add(Op::Sqrt, DType::F64, {t[0]}, {x});
    for (int k = 1; k < 4; ++k) b.add(Op::Sqrt, DType::F64, {t[k]}, {t[k - 1]});
    b.add(Op::Add, DType::F64, {y}, {t[3], x});
    for (const View& v : t) b.del(v);
    LoopPlan plan = plan_all(b);
    CHECK(plan.contracted.size() == 4 && plan.slots.size() == 1);
    CHECK(plan.acquires.size() == 1 && plan.releases.empty());
    CHECK(plan.bytes == 2 * 5000 * 8);
}

void who_is_seen_is_not_contracted() {
    Builder b;
    View x = b.array(DType::F64, {500}, true);
    View kept = b.array(DType::F64, {500}), synced = b.array(DType::F64, {500});
    View read_first = b.array(DType::F64, {500}), outside = b.array(DType::F64, {500});
    View out = b.array(DType::F64, {500}), two = b.array(DType::F64, {1000});
    b.add(Op::Sqrt, DType::F64, {outside}, {x});
    b.add(Op::Sqrt, DType::F64, {kept}, {x});
    b.add(Op::Sqrt, DType::F64, {synced}, {x});
    b.add(Op::Add, DType::F64, {out}, {read_first, outside});
    b.add(Op::Copy, DType::F64, {read_first}, {x});
    b.add(Op::Copy, DType::F64, {sliced(two, {0}, {500})}, {x});
    b.add(Op::Add, DType::F64, {x}, {sliced(two, {0}, {500}), sliced(two, {500}, {500})});
    b.sync(synced);
    for (const View& v : {synced, read_first, outside, two}) b.del(v);
    auto count = static_cast<std::uint32_t>(b.program.instructions.size());
    LoopPlan plan = lower(b.program, block_of(1, count));
    plan.verify();
    CHECK(plan.contracted.empty());
    CHECK(plan.releases.size() == 4);
}

void reductions_keep_the_row() {
    Builder b;
    View x = b.array(DType::F64, {20, 30, 4000}, true), t = b.array(DType::F64, {20, 30, 4000});
    View sum = b.array(DType::F64, {20, 30});
    b.add(Op::Multiply, DType::F64, {t}, {x, x});
    b.add(Op::Add, DType::F64, {sum}, {t}, nullptr, Method::Reduce, 4);
    b.del(t);
    LoopPlan plan = plan_all(b);
    CHECK_TEXT(plan.dump(),
               "nest (600,4000) span 1 swept 0 tile 1024 unit 1024 i0 i1 i2\n"
               "  multiply[float64] t0:float64 <- b0:float64@0(32000,8), b0:float64@0(32000,8)\n"
               "  add.reduce[float64] b2:float64@0(8,0) <- t0:float64\n"
               "  tree row 4000 chunks 4 outer 1 roles 02 in float64\n"
               "  acquires b2\n"
               "  contracted b1\n"
               "  bytes 19204800 ahead\n");
}

void columns_sweep_the_reduced_axis() {
    Builder b;
    View x = b.array(DType::F64, {1000, 20, 300}, true), sum = b.array(DType::F64, {20, 300});
    b.add(Op::Add, DType::F64, {sum}, {x}, nullptr, Method::Reduce, 1);
    LoopPlan plan = plan_all(b);
    CHECK((plan.extents == Dims{1000, 6000}));
    CHECK(plan.swept == 1 && plan.run == ReductionTree::kColumnChunk);
}

void half_accumulates_in_single() {
    Builder b;
    View x = b.array(DType::F16, {1000}, true), sum = b.array(DType::F16, {});
    b.add(Op::Add, DType::F16, {sum}, {x}, nullptr, Method::Reduce, 1);
    LoopPlan plan = plan_all(b);
    CHECK(plan.reductions[0].accumulator == DType::F32);
}

// What of a block beyond the caches is fetched ahead: each base once, by the view in front.
void large_operands_are_fetched_ahead() {
    for (std::int64_t n : {100'000, 1'000'000}) {
        Builder b;
        View x = b.array(DType::F64, {n + 2}, true), y = b.array(DType::F64, {n}, true);
        View t = b.array(DType::F64, {n}), z = b.array(DType::F64, {n});
        View one = b.array(DType::F64, {1}, true);
        one.shape = Dims{n};
        one.strides = Dims{0};
        b.add(Op::Add, DType::F64, {t}, {sliced(x, {2}, {n}), sliced(x, {0}, {n})});
        b.add(Op::Multiply, DType::F64, {z}, {y, one});
        LoopPlan plan = plan_all(b);
        CHECK(plan.ahead == (n == 1'000'000));
        settings().set("prefetch", "off");
        CHECK(!plan_all(b).ahead);
        settings().set("prefetch", "auto");
        for (const PlanOperand& o : plan_all(b).operands) {
            if (o.index == 0) CHECK(o.ahead == (n == 1'000'000 && o.offset == 16));
        }
        settings().set("prefetch", "on");
        for (const PlanOperand& o : plan.operands) {
            bool leads = (o.index == 0 && o.offset == 16) || o.index == 1;
            CHECK(o.ahead == (plan.ahead && o.home == Home::Base && leads));
        }
    }
}

// The fetches take every line on their way: of a view that strides past lines, all between.
void what_strides_past_lines_is_not_fetched() {
    constexpr std::int64_t n = 1'000'000;
    for (std::int64_t step : {8, 9}) {
        Builder b;
        View x = b.array(DType::F64, {n * step}, true), y = b.array(DType::F64, {n}, true);
        View z = b.array(DType::F64, {n});
        View apart = sliced(x, {0}, {n});
        apart.strides = Dims{step * 8};
        b.add(Op::Add, DType::F64, {z}, {apart, y});
        for (const PlanOperand& o : plan_all(b).operands) {
            if (o.index != z.base) CHECK(o.ahead == (o.index == y.base || step == 8));
        }
    }
}

// Three large arrays that are hardly computed with: the processor's own prefetching does better.
void many_arrays_are_left_to_the_processor() {
    auto ahead = [](std::int64_t n, std::initializer_list<Op> ops) {
        Builder b;
        View sum = b.array(DType::F64, {n}, true);
        for (Op op : ops) {
            View x = b.array(DType::F64, {n}, true);
            b.add(op, DType::F64, {b.array(DType::F64, {n})}, {sum, x});
        }
        return plan_all(b).ahead;
    };
    CHECK(ahead(4'000'000, {Op::Add, Op::Multiply}));
    settings().set("prefetch", "auto");
    CHECK(!ahead(4'000'000, {Op::Add, Op::Multiply}));
    auto gains = [](std::int64_t bytes, bool mostly_moves) {
        return bytes >= fetches_gain_from(mostly_moves);
    };
    CHECK(ahead(1'000'000, {Op::Add, Op::Multiply}) == gains(40'000'000, true));
    CHECK(ahead(4'000'000, {Op::Add}) == gains(96'000'000, true));
    CHECK(ahead(4'000'000, {Op::Add, Op::Arctan2}) == gains(160'000'000, false));
    settings().set("prefetch", "on");
}

// Of views that run backwards over one array the lowest comes first.
void backwards_the_lowest_leads() {
    constexpr std::int64_t n = 2'000'000;
    Builder b;
    View x = b.array(DType::F64, {n + 2}, true), z = b.array(DType::F64, {n});
    View low = sliced(x, {n - 1}, {n}), high = sliced(x, {n + 1}, {n});
    low.strides = high.strides = Dims{-8};
    b.add(Op::Add, DType::F64, {z}, {low, high});
    LoopPlan plan = plan_all(b);
    CHECK(plan.ahead);
    for (const PlanOperand& o : plan.operands) CHECK(o.ahead == (o.offset == low.offset));
}

// Two time steps of a stencil with its copy: four nests, the temporaries rings.
void time_steps_sweep_together() {
    constexpr std::uint32_t kSteps = 2;
    Builder b;
    View u = b.array(DType::F64, {402, 402}, true);
    View inside = sliced(u, {1, 1}, {400, 400});
    std::vector<LoopPlan> plans;
    for (std::uint32_t k = 0; k < kSteps; ++k) {
        View t = b.array(DType::F64, {400, 400});
        b.add(Op::Add, DType::F64, {t},
              {sliced(u, {0, 1}, {400, 400}), sliced(u, {2, 1}, {400, 400})});
        b.add(Op::Copy, DType::F64, {inside}, {t});
        b.del(t);
    }
    for (std::uint32_t k = 0; k < kSteps; ++k) {
        plans.push_back(lower(b.program, block_of(3 * k, 3 * k + 1)));
        plans.push_back(lower(b.program, block_of(3 * k + 1, 3 * k + 3)));
    }
    find_sweeps(plans, swept_sizes());
    CHECK(plans[0].sweep.nests == 4);
    CHECK(plans[0].sweep.rings.size() == kSteps);
    for (std::int64_t k = 0; k < 4; ++k) {
        const Sweep& sweep = plans[static_cast<std::size_t>(k)].sweep;
        CHECK(sweep.rows == 400 && sweep.lag == k && sweep.lead == k);
        plans[static_cast<std::size_t>(k)].verify();
    }
    const SweepRing& second = plans[0].sweep.rings[1];
    CHECK(second.lag == 2 && second.back == 3 && second.front == -2);
}

// Nine planes of one array: a nest over all of their elements, of which each is a temporary, and a
// nest each that moves a temporary. The rows of the first are those of the others.
void flat_nests_take_the_rows_of_their_neighbours() {
    constexpr std::uint32_t kPlanes = 9;
    constexpr std::int64_t kSide = 300;
    Builder b;
    View f = b.array(DType::F64, {kPlanes, kSide, kSide}, true);
    View g = b.array(DType::F64, {kPlanes, kSide, kSide}, true);
    auto plane = [](const View& v, std::int64_t k) {
        View one = sliced(v, {k, 0, 0}, {1, kSide, kSide});
        one.shape = Dims{kSide, kSide};
        one.strides = Dims{kSide * 8, 8};
        return one;
    };
    std::vector<View> made;
    for (std::uint32_t k = 0; k < kPlanes; ++k) {
        made.push_back(b.array(DType::F64, {kSide, kSide}));
        b.add(Op::Add, DType::F64, {made[k]}, {plane(f, k), plane(f, (k + 1) % kPlanes)});
    }
    for (std::uint32_t k = 0; k < kPlanes; ++k) {
        View to = sliced(plane(g, k), {1, 1}, {kSide - 2, kSide - 2});
        View from = sliced(made[k], {k % 3, k / 3}, {kSide - 2, kSide - 2});
        b.add(Op::Copy, DType::F64, {to}, {from});
        b.del(made[k]);
    }
    std::vector<LoopPlan> plans{lower(b.program, block_of(0, kPlanes))};
    for (std::uint32_t k = 0; k < kPlanes; ++k) {
        plans.push_back(lower(b.program, block_of(kPlanes + 2 * k, kPlanes + 2 * k + 2)));
    }
    CHECK((plans[0].extents == Dims{kSide * kSide}));
    find_sweeps(plans, swept_sizes());
    CHECK(plans[0].sweep.nests == 1 + kPlanes && plans[0].sweep.rings.size() == kPlanes);
    CHECK(plans[0].sweep.unit == kSide && plans[0].sweep.rows == kSide);
    CHECK(plans[1].sweep.unit == 0 && plans[1].sweep.lag == 0 && plans[3].sweep.lag == 2);
    for (const LoopPlan& plan : plans) plan.verify();
}

// A copy, then work on every second element of it: as many bytes a row.
void flat_nests_agree_on_rows() {
    constexpr std::int64_t n = 400'000;
    Builder b;
    View x = b.array(DType::F64, {n}, true), u = b.array(DType::F64, {n});
    View even = sliced(u, {0}, {n / 2 - 1}), odd = sliced(u, {1}, {n / 2 - 1});
    even.strides = odd.strides = Dims{16};
    View next = even;
    next.offset += 16;
    b.add(Op::Copy, DType::F64, {u}, {x});
    b.add(Op::Add, DType::F64, {odd}, {even, next});
    std::vector<LoopPlan> plans{lower(b.program, block_of(0, 1)), lower(b.program, block_of(1, 2))};
    find_sweeps(plans, swept_sizes());
    CHECK(plans[0].sweep.nests == 2 && plans[0].sweep.unit == 0);
    CHECK(2 * plans[1].sweep.unit == plans[0].unit && plans[1].sweep.lag == 1);
}

void single_and_system_blocks() {
    Builder b;
    View x = b.array(DType::F64, {1000}, true), y = b.array(DType::F64, {1000});
    b.add(Op::Add, DType::F64, {y}, {x}, nullptr, Method::Accumulate, 1);
    b.del(x);
    CHECK(plan_all(b).kind == BlockKind::Single);
    LoopPlan system = lower(b.program, block_of(1, 2));
    system.verify();
    CHECK(system.kind == BlockKind::System && system.releases.size() == 1);
    CHECK(system.acquires.empty());
}

void casts_count_as_conditions() {
    Builder b;
    View x = b.array(DType::F64, {1000}, true), y = b.array(DType::I32, {1000});
    b.add(Op::Copy, DType::I32, {y}, {x});
    CHECK(plan_all(b).raises == kInvalid);
}

}  // namespace

int main() {
    settings().set("prefetch", "on");
    contiguous_axes_merge();
    a_broadcast_row_keeps_its_axis();
    the_output_orders_the_axes();
    an_output_without_memory_orders_none();
    axes_of_one_element_vanish();
    short_rows_share_a_tile();
    temporaries_take_slots_in_turn();
    who_is_seen_is_not_contracted();
    reductions_keep_the_row();
    columns_sweep_the_reduced_axis();
    half_accumulates_in_single();
    large_operands_are_fetched_ahead();
    what_strides_past_lines_is_not_fetched();
    many_arrays_are_left_to_the_processor();
    backwards_the_lowest_leads();
    time_steps_sweep_together();
    flat_nests_take_the_rows_of_their_neighbours();
    flat_nests_agree_on_rows();
    single_and_system_blocks();
    casts_count_as_conditions();
    return 0;
}
