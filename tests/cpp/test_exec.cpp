// Blocks lowered, compiled and run, against the naive interpreter: exactly, since only correctly
// rounded operations are used. Tiles, threads and fusion must not change a bit.
#include <algorithm>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "runtime/memory_pool.hpp"
#include "support/blocks.hpp"

namespace {

using namespace blocks;

void fill_inputs(const Program& p, Memory& memory, check::Random& random) {
    for (std::size_t b = 0; b < p.bases.size(); ++b) {
        if (!p.bases[b].input) continue;
        std::int64_t bytes = itemsize(p.bases[b].dtype);
        for (std::int64_t at = 0; at < p.bases[b].bytes; at += bytes) {
            bool truth = p.bases[b].dtype == DType::Bool;
            double value = truth ? static_cast<double>(random.below(2))
                                 : static_cast<double>(random.between(-99, 99)) / 7 + 15;
            write(memory.bytes[b].data() + at, p.bases[b].dtype, value);
        }
    }
}

struct How {
    std::int64_t tile = 0;  // 0: as planned
    int threads = 1;
    bool fused = true;
};

std::vector<Block> blocks_of(const Program& p, bool fused) {
    auto count = static_cast<std::uint32_t>(p.instructions.size());
    if (fused) return {block_of(0, count)};
    std::vector<Block> blocks;
    for (std::uint32_t i = 0; i < count; ++i) blocks.push_back(block_of(i, i + 1));
    return blocks;
}

// Runs the program on copies of `start`; bases that are deleted keep the start's bytes.
Memory run(const Program& p, const Memory& start, const How& how, std::uint8_t* raised = nullptr) {
    settings().set("threads", std::to_string(how.threads));
    std::vector<Binding> bases;
    for (std::size_t b = 0; b < p.bases.size(); ++b) {
        char* data = nullptr;
        if (p.bases[b].input) {
            data = memory_pool().acquire(p.bases[b].bytes);
            std::memcpy(data, start.bytes[b].data(), static_cast<std::size_t>(p.bases[b].bytes));
        }
        bases.push_back({data, p.bases[b].bytes});
    }
    RunState state;
    for (const Block& block : blocks_of(p, how.fused)) {
        LoopPlan plan = lower(p, block);
        plan.verify();
        if (how.tile && plan.reductions.empty() && plan.span == 1) {
            plan.tile = plan.unit = how.tile;
        }
        if (how.threads > 1) plan.seconds = 1;
        auto code = compile(plan);
        run_block(p, plan, *code, bases, state);
        release_dead(plan, bases);
    }
    if (raised) *raised = state.raised;
    Memory out = start;
    for (std::size_t b = 0; b < p.bases.size(); ++b) {
        if (!bases[b].data) continue;
        std::memcpy(out.bytes[b].data(), bases[b].data, static_cast<std::size_t>(p.bases[b].bytes));
        memory_pool().release(bases[b].data, bases[b].bytes);
    }
    return out;
}

bool equal(const Program& p, Memory& a, Memory& b, const std::vector<View>& views) {
    for (const View& v : views) {
        auto bytes = static_cast<std::size_t>(p.bases[v.base].bytes);
        if (std::memcmp(a.bytes[v.base].data(), b.bytes[v.base].data(), bytes) != 0) return false;
    }
    return true;
}

void check_everywhere(const Program& p, const std::vector<View>& results, check::Random& random) {
    Memory start(p);
    fill_inputs(p, start, random);
    Memory wanted = start;
    naive(p, wanted);
    for (bool fused : {true, false}) {
        for (int threads : {1, 3}) {
            for (std::int64_t tile : {0, 7, 64}) {
                Memory got = run(p, start, {tile, threads, fused});
                if (!equal(p, wanted, got, results)) {
                    std::string text = "fused " + std::to_string(fused) + " threads " +
                                       std::to_string(threads) + " tile " + std::to_string(tile);
                    for (const Block& b : blocks_of(p, fused)) text += "\n" + lower(p, b).dump();
                    check::fail(__FILE__, __LINE__, text);
                }
            }
        }
    }
}

// A view of a fresh input that has `shape`: sliced, transposed, reversed or broadcast.
View random_view(Builder& b, DType dtype, const Dims& shape, check::Random& random) {
    Dims order, big(shape.size(), 0), step(shape.size(), 1);
    for (std::size_t k = 0; k < shape.size(); ++k) order.push_back(static_cast<std::int64_t>(k));
    if (random.below(3) == 0 && shape.size() > 1) {
        std::swap(
            order[0],
            order[static_cast<std::size_t>(random.below(static_cast<long long>(shape.size())))]);
    }
    bool sliced = random.below(2) == 0;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (sliced) step[k] = random.between(1, 3);
        big[k] = shape[k] * step[k] + (sliced ? random.below(3) : 0);
    }
    Dims laid;
    for (std::int64_t axis : order) laid.push_back(big[static_cast<std::size_t>(axis)]);
    View v = b.array(dtype, laid, true);
    Dims strides(shape.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        strides[static_cast<std::size_t>(order[k])] = v.strides[k];
    }
    for (std::size_t k = 0; k < shape.size(); ++k) {
        strides[k] *= step[k];
        if (shape[k] == 0) continue;
        if (random.below(6) == 0) {
            v.offset += strides[k] * (shape[k] - 1);
            strides[k] = -strides[k];
        } else if (random.below(8) == 0) {
            strides[k] = 0;
        }
    }
    v.shape = shape;
    v.strides = strides;
    return v;
}

Dims random_shape(check::Random& random) {
    static const std::int64_t kExtents[] = {1, 2, 3, 4, 7, 19, 40, 130, 600, 1025, 3000};
    for (;;) {
        Dims shape;
        for (long long k = random.between(0, 4); k > 0; --k) {
            shape.push_back(kExtents[random.below(11)]);
        }
        if (element_count(shape) <= 70000) return shape;
    }
}

void random_programs() {
    check::Random random{12345};
    const Op ops[] = {Op::Add, Op::Subtract, Op::Multiply, Op::Copy};
    for (int round = 0; round < 400; ++round) {
        Builder b;
        Dims shape = random_shape(random);
        std::vector<View> values, temporaries, results;
        for (int k = 0; k < 3; ++k) values.push_back(random_view(b, DType::F64, shape, random));
        values.push_back(random_view(b, DType::F32, shape, random));
        View mask = random_view(b, DType::Bool, shape, random);
        auto pick = [&]() -> View {
            if (random.below(6) == 0) return Builder::constant(DType::F64, 0.75);
            return values[static_cast<std::size_t>(
                random.below(static_cast<long long>(values.size())))];
        };
        for (long long k = random.between(1, 7); k > 0; --k) {
            Op op = ops[random.below(4)];
            bool again = !temporaries.empty() && random.below(3) == 0;
            View out = again ? temporaries.back()
                             : b.array(random.below(5) == 0 ? DType::F32 : DType::F64, shape);
            std::vector<View> in = {pick()};
            if (op != Op::Copy) in.push_back(pick());
            bool masked = again && random.below(2) == 0;
            b.add(op, DType::F64, {out}, in, masked ? &mask : nullptr);
            if (!again) {
                temporaries.push_back(out);
                values.push_back(out);
            }
        }
        if (random.below(2) == 0) {
            std::uint64_t axes = 0;
            Dims kept;
            for (std::size_t k = 0; k < shape.size(); ++k) {
                if (random.below(2) == 0) {
                    axes |= std::uint64_t{1} << k;
                } else {
                    kept.push_back(shape[k]);
                }
            }
            View sum = b.array(DType::F64, kept);
            // Only rows that may be reordered reduce several axes.
            bool several = (axes & (axes - 1)) != 0;
            bool ordered = !several && axes != 0 && random.below(2) == 0;
            b.add(ordered ? Op::Subtract : Op::Add, DType::F64, {sum}, {values.back()}, nullptr,
                  Method::Reduce, axes);
            results.push_back(sum);
        }
        for (const View& t : temporaries) {
            if (random.below(2) == 0) {
                b.del(t);
            } else {
                results.push_back(t);
            }
        }
        check_everywhere(b.program, results, random);
    }
}

void deleted_bases_are_contracted() {
    Builder b;
    View a = b.array(DType::F64, {5000}, true);
    View t = b.array(DType::F64, {5000}), u = b.array(DType::F64, {5000});
    View out = b.array(DType::F64, {5000});
    b.add(Op::Multiply, DType::F64, {t}, {a, a});
    b.add(Op::Add, DType::F64, {u}, {t, Builder::constant(DType::F64, 1)});
    b.add(Op::Subtract, DType::F64, {out}, {u, t});
    b.del(t);
    b.del(u);
    std::vector<Binding> bases;
    std::vector<double> in(5000, 3.0);
    bases.push_back({reinterpret_cast<char*>(in.data()), 40000});
    for (int k = 0; k < 3; ++k) bases.push_back({nullptr, 40000});
    LoopPlan plan = lower(b.program, block_of(0, 5));
    CHECK(plan.contracted.size() == 2);
    RunState state;
    run_block(b.program, plan, *compile(plan), bases, state);
    CHECK(!bases[t.base].data && !bases[u.base].data && bases[out.base].data);
    CHECK(reinterpret_cast<double*>(bases[out.base].data)[4999] == 1.0);
    memory_pool().release(bases[out.base].data, 40000);
}

void unselected_elements_raise_nothing() {
    Builder b;
    View a = b.array(DType::F64, {3000}, true), mask = b.array(DType::Bool, {3000}, true);
    View out = b.array(DType::F64, {3000}, true);
    b.add(Op::Divide, DType::F64, {out}, {Builder::constant(DType::F64, 1), a}, &mask);
    Memory start(b.program);
    for (int k = 0; k < 3000; ++k) {
        start.f64(a)[k] = k % 3 ? 0.0 : 2.0;
        start.bytes[mask.base][static_cast<std::size_t>(k)] = k % 3 == 0 && k < 2000;
        start.f64(out)[k] = 7;
    }
    std::uint8_t raised = 99;
    Memory got = run(b.program, start, {}, &raised);
    CHECK(raised == 0);
    for (int k = 0; k < 3000; ++k) {
        CHECK(got.f64(out)[k] == (k % 3 == 0 && k < 2000 ? 0.5 : 7.0));
    }
    start.bytes[mask.base][1] = 1;
    run(b.program, start, {}, &raised);
    CHECK(raised == kDivide);
}

// A temporary that is one number everywhere is kept as one, until a mask picks some elements.
void single_numbers_are_spread_before_a_mask() {
    for (int selected : {0, 1}) {
        Builder b;
        View a = b.array(DType::F64, {100}, true), mask = b.array(DType::Bool, {100}, true);
        View t = b.array(DType::F64, {100}), u = b.array(DType::F32, {100});
        View out = b.array(DType::F64, {100}), narrow = b.array(DType::F64, {100});
        View three = Builder::constant(DType::F64, 3);
        b.add(Op::Multiply, DType::F64, {t}, {three, three});
        b.add(Op::Multiply, DType::F64, {t}, {a, three}, &mask);
        b.add(Op::Add, DType::F64, {out}, {t, a});
        b.del(t);
        b.add(Op::Add, DType::F64, {u}, {three, three});
        b.add(Op::Add, DType::F64, {u}, {u, a});
        b.add(Op::Add, DType::F64, {narrow}, {u, three});
        b.del(u);
        Memory start(b.program);
        for (int k = 0; k < 100; ++k) start.f64(a)[k] = k;
        start.bytes[mask.base][70] = static_cast<char>(selected);
        Memory wanted = start;
        naive(b.program, wanted);
        Memory got = run(b.program, start, {});
        CHECK(equal(b.program, wanted, got, {out, narrow}));
    }
}

void generators_count() {
    check::Random random{5};
    Builder b;
    View out = b.array(DType::F64, {4001});
    b.add(Op::Range, DType::F64, {out},
          {Builder::constant(DType::F64, 3), Builder::constant(DType::F64, 0.5)});
    View reversed = b.array(DType::I64, {4001});
    View whole = reversed;
    reversed.offset = 4000 * 8;
    reversed.strides = Dims{-8};
    b.add(Op::Range, DType::I64, {reversed},
          {Builder::constant(DType::I64, 3), Builder::constant(DType::I64, 2)});
    check_everywhere(b.program, {out, whole}, random);
}

void empty_reductions_give_the_identity() {
    Builder b;
    View a = b.array(DType::F64, {4, 0}, true);
    View sum = b.array(DType::F64, {4}), product = b.array(DType::F32, {});
    b.add(Op::Add, DType::F64, {sum}, {a}, nullptr, Method::Reduce, 2);
    b.add(Op::Multiply, DType::F64, {product}, {a}, nullptr, Method::Reduce, 3);
    Memory start(b.program);
    Memory wanted = start;
    naive(b.program, wanted);
    Memory got = run(b.program, start, {0, 1, false});
    CHECK(equal(b.program, wanted, got, {sum, product}));
}

bool always_interrupted() { return true; }

void long_blocks_can_be_interrupted() {
    Builder b;
    View a = b.array(DType::F64, {1 << 20}, true), out = b.array(DType::F64, {1 << 20});
    b.add(Op::Add, DType::F64, {out}, {a, a});
    b.add(Op::Add, DType::F64, {a}, {a, a});
    std::vector<double> in(1 << 20, 1.0);
    std::vector<Binding> bases = {{reinterpret_cast<char*>(in.data()), 8 << 20},
                                  {nullptr, 8 << 20}};
    RunState state;
    state.interrupted = always_interrupted;
    bool thrown = false;
    LoopPlan plan = lower(b.program, block_of(0, 1));
    plan.seconds = 1000;  // as many chunks as there are tiles
    try {
        for (int k = 0; k < 1000 && !thrown; ++k) {
            run_block(b.program, plan, *compile(plan), bases, state);
        }
    } catch (const Interrupted&) {
        thrown = true;
    }
    // A fast machine may finish each run within the time between two questions.
    LoopPlan in_place = lower(b.program, block_of(1, 2));
    in_place.seconds = 1000;
    run_block(b.program, in_place, *compile(in_place), bases, state);
    CHECK(in[77] == 2.0);
    memory_pool().release(bases[1].data, bases[1].bytes);
}

}  // namespace

int main() {
    deleted_bases_are_contracted();
    unselected_elements_raise_nothing();
    single_numbers_are_spread_before_a_mask();
    generators_count();
    empty_reductions_give_the_identity();
    long_blocks_can_be_interrupted();
    random_programs();
    return 0;
}
