// Register tiles of every level this machine runs: each row, dtype, width and form does what the
// loop over memory of the same row does, bits and conditions.
#include "simd/tables/tiles.hpp"

#include <cstring>

#include "support/tile_steps.hpp"

using namespace kernel_tests;
using namespace tile_tests;

namespace {

// Which of two values is the accumulator, and which is one element for all.
struct Roles {
    bool first_held, second_held, first_single, second_single;
};
Roles roles_of(TileForm form) {
    switch (form) {
        case TileForm::AccMem:
            return {true, false, false, false};
        case TileForm::MemAcc:
            return {false, true, false, false};
        case TileForm::AccScalar:
            return {true, false, false, true};
        case TileForm::ScalarAcc:
            return {false, true, true, false};
        case TileForm::MemMem:
            return {false, false, false, false};
        default:
            return {true, true, false, false};
    }
}

void check_form(Op op, DType dtype, int width, TileForm form, TileFn fn) {
    Steps steps(width);
    std::vector<Buffer> ins = random_inputs(op, dtype, steps.elements());
    const bool select = ins.size() == 3;
    const std::size_t first = select ? 1 : 0;
    Roles roles = roles_of(form);
    if (form == TileForm::Acc && select) {
        roles = roles_of(TileForm::MemMem);
        steps.load(ins[0]);
    } else if (form == TileForm::Acc && ins.size() == 2) {
        ins[1] = ins[0];
    }
    if (roles.first_held) steps.load(ins[first]);
    if (roles.second_held && !roles.first_held) steps.load(ins[first + 1]);
    TileStep& step = steps.add(fn);
    int next = 0;
    std::uint32_t scalars = 0;
    if (!roles.first_held) Steps::place(step, next++, ins[first], roles.first_single);
    if (!roles.second_held && ins.size() > 1) {
        Steps::place(step, next++, ins[first + 1], roles.second_single);
    }
    if (select && form != TileForm::Acc) Steps::place(step, 2, ins[0]);
    if (roles.first_single) scalars |= 1u << first;
    if (roles.second_single) scalars |= 1u << (first + 1);
    Call wanted = run_map(op, dtype, ins, scalars, steps.elements());
    Buffer out(wanted.outs[0].dtype, steps.elements());
    std::uint8_t raised = steps.run(out);
    compare(out, raised, wanted,
            where(op, dtype) + " width " + std::to_string(width) + " form " +
                std::to_string(static_cast<int>(form)));
}

void check_row(Op op, DType dtype) {
    for (int width = 0; width < kTileWidths; ++width) {
        const TileFn* forms = tiles().map[static_cast<int>(op)][static_cast<int>(dtype)][width];
        bool fits = itemsize(dtype) <= std::int64_t{1} << width;
        for (int form = 0; form < kTileForms; ++form) {
            if (!forms[form]) continue;
            CHECK_AT(fits, where(op, dtype));
            check_form(op, dtype, width, static_cast<TileForm>(form), forms[form]);
        }
    }
}

void check_cast(DType from, DType to, int width) {
    TileFn fn = tiles().cast[static_cast<int>(from)][static_cast<int>(to)][width];
    if (!fn) return;
    Steps steps(width);
    Buffer in(from, steps.elements()), out(to, steps.elements());
    randomise(in);
    Call wanted{{Buffer(to, steps.elements())}, {in}, 0};
    clear_fp_flags();
    kernels().cast[static_cast<int>(from)][static_cast<int>(to)](wanted.outs[0].data(), in.data(),
                                                                 steps.elements());
    wanted.raised = read_fp_flags();
    steps.load(in);
    steps.add(fn);
    std::uint8_t raised = steps.run(out);
    compare(out, raised, wanted,
            std::string(kernels().level) + " " + std::string(info(from).name) + " to " +
                std::string(info(to).name) + " width " + std::to_string(width));
}

void check_splat(DType dtype, int width) {
    TileFn fn = tiles().splat[static_cast<int>(dtype)][width];
    if (!fn) return;
    Steps steps(width);
    Buffer in(dtype, 1), out(dtype, steps.elements());
    randomise(in);
    Steps::place(steps.add(fn), 0, in, true);
    steps.run(out);
    bool same = true;
    for (std::int64_t k = 0; k < out.n; ++k) same = same && same_element(out, k, in, 0);
    CHECK_AT(same, std::string(info(dtype).name) + " splat");
}

// Elements that lie `stride` elements apart: number k of `n` in a buffer that ends with the last of
// them and begins `before` elements before the first.
struct Apart {
    std::int64_t stride;
    std::int64_t n;
    std::int64_t before = 0;
    TileStrided how() const {
        return stride == 2    ? TileStrided::Second
               : stride == -1 ? TileStrided::Backward
                              : TileStrided::Strided;
    }
    std::int64_t size() const { return before + std::abs(stride) * (n - 1) + 1; }
    std::int64_t at(std::int64_t k) const {
        return before + (stride > 0 ? stride * k : stride * (k + 1 - n));
    }
    void place(TileStep& step, Buffer& b, int operand = 0) const {
        step.p[operand] = b.at(at(0));
        step.s[operand] = static_cast<std::int32_t>(stride * itemsize(b.dtype));
    }
};

void check_take_and_put(std::int64_t stride, DType dtype, int width, std::int64_t before) {
    if (!tiles().load[static_cast<int>(dtype)][width]) return;
    const int log2 = item_log2(itemsize(dtype));
    Steps steps(width), back(width);
    const Apart apart{stride, steps.elements(), before};
    TileFn take = tiles().take[static_cast<int>(apart.how())][log2][width];
    TileFn put = tiles().put[static_cast<int>(apart.how())][log2][width];
    if (!take) return;
    Buffer in(dtype, apart.size()), out(dtype, apart.n), to(dtype, apart.size()), same(to);
    randomise(in);
    apart.place(steps.add(take), in);
    steps.run(out);
    back.load(out);
    apart.place(back.add(put), to);
    Buffer rest(dtype, apart.n);
    back.run(rest);
    bool taken = true, written = true, between = true;
    for (std::int64_t k = 0; k < apart.n; ++k) {
        taken = taken && same_element(out, k, in, apart.at(k));
        written = written && same_element(to, apart.at(k), in, apart.at(k));
    }
    for (std::int64_t k = 0; k < apart.size(); ++k) {
        const bool element = k >= before && (k - before) % std::abs(stride) == 0;
        between = between && (element || same_element(to, k, same, k));
    }
    const std::string what = std::string(info(dtype).name) + " width " + std::to_string(width);
    CHECK_AT(taken, what + " taken");
    CHECK_AT(written, what + " put");
    CHECK_AT(between && to.intact(), what + " between");
}

void check_map_taken(Op op, DType dtype, int width) {
    for (int second = 0; second < 2; ++second) {
        TileFn fn = tiles().map_taken[static_cast<int>(op)][static_cast<int>(dtype)][width][second];
        if (!fn) return;
        Steps steps(width);
        const Apart apart{2, steps.elements()};
        std::vector<Buffer> ins = random_inputs(op, dtype, apart.n);
        Buffer wide(dtype, apart.size());
        randomise(wide);
        Buffer& taken = ins[second ? 0 : 1];
        for (std::int64_t k = 0; k < apart.n; ++k) {
            std::memcpy(wide.at(2 * k), taken.at(k), static_cast<std::size_t>(itemsize(dtype)));
        }
        steps.load(ins[second ? 1 : 0]);
        apart.place(steps.add(fn), wide);
        Call wanted = run_map(op, dtype, ins, 0, apart.n);
        Buffer out(wanted.outs[0].dtype, apart.n);
        std::uint8_t raised = steps.run(out);
        compare(out, raised, wanted, where(op, dtype) + " taken " + std::to_string(second));
    }
}

// Both inputs are second elements of one buffer, the second one `ahead` of the first.
void check_pair_taken(Op op, DType dtype, int width, std::int64_t ahead) {
    TileFn fn = tiles().map_taken[static_cast<int>(op)][static_cast<int>(dtype)][width][2];
    if (!fn) return;
    Steps steps(width);
    const std::int64_t n = steps.elements();
    std::vector<Buffer> ins = {Buffer(dtype, n), Buffer(dtype, n)};
    const Apart views[2] = {{2, n, 2 * std::max<std::int64_t>(-ahead, 0)},
                            {2, n, 2 * std::max<std::int64_t>(ahead, 0)}};
    Buffer wide = random_buffer(dtype, std::max(views[0].size(), views[1].size()));
    TileStep& step = steps.add(fn);
    for (int which = 0; which < 2; ++which) {
        for (std::int64_t k = 0; k < n; ++k) {
            std::memcpy(ins[static_cast<std::size_t>(which)].at(k), wide.at(views[which].at(k)),
                        static_cast<std::size_t>(itemsize(dtype)));
        }
        views[which].place(step, wide, which);
    }
    Call wanted = run_map(op, dtype, ins, 0, n);
    Buffer out(wanted.outs[0].dtype, n);
    std::uint8_t raised = steps.run(out);
    compare(out, raised, wanted, where(op, dtype) + " pair " + std::to_string(ahead));
}

void check_joined(DType dtype, ArithmeticOp first, ArithmeticForm form, ArithmeticOp second,
                  ArithmeticEnd end, TileFn fn) {
    Steps steps(item_log2(itemsize(dtype)));
    const std::int64_t n = steps.elements();
    const bool scalar = end == ArithmeticEnd::Scalar;
    const bool held = form != ArithmeticForm::MemMem && form != ArithmeticForm::MemScalar;
    const bool one = form == ArithmeticForm::AccScalar || form == ArithmeticForm::MemScalar;
    Buffer value = random_buffer(dtype, n), operand = random_buffer(dtype, one ? 1 : n);
    if (form == ArithmeticForm::Acc) operand = value;
    Buffer last = random_buffer(dtype, scalar ? 1 : n), out(dtype, n);
    Call start = transpose_block(first, dtype, value, operand, n);
    Call wanted = transpose_block(second, dtype, start.outs[0], last, n);
    wanted.raised |= start.raised;
    if (held) steps.load(value);
    if (end == ArithmeticEnd::Acc) steps.load(last);
    TileStep& step = steps.add(fn);
    if (!held) Steps::place(step, 0, value);
    if (form != ArithmeticForm::Acc) Steps::place(step, held ? 0 : 2, operand, one);
    if (end != ArithmeticEnd::Acc) Steps::place(step, 1, last, scalar);
    compare(out, steps.run(out), wanted,
            std::string(kernels().level) + " " + std::string(info(dtype).name) + " turns " +
                std::to_string(static_cast<int>(first)) + " and " +
                std::to_string(static_cast<int>(second)) + " form " +
                std::to_string(static_cast<int>(form)) + " end " +
                std::to_string(static_cast<int>(end)));
}

int check_all_joined(DType dtype) {
    int found = 0;
    for (int first = 0; first < kArithmeticOps; ++first) {
        for (int form = 0; form < kArithmeticForms; ++form) {
            for (int second = 0; second < kArithmeticOps; ++second) {
                for (int end = 0; end < kArithmeticEnds; ++end) {
                    TileFn fn = tiles().joined[static_cast<int>(dtype)][first][form][second][end];
                    if (!fn) continue;
                    ++found;
                    check_joined(
                        dtype, static_cast<ArithmeticOp>(first), static_cast<ArithmeticForm>(form),
                        static_cast<ArithmeticOp>(second), static_cast<ArithmeticEnd>(end), fn);
                }
            }
        }
    }
    return found;
}

// (value * x + element) * x + element .., where bits of `away` subtract; of `starts` the value is
// one element, times x.
void check_polynomial(DType dtype, TileFn fn, bool starts, int terms, std::uintptr_t away) {
    Steps steps(item_log2(itemsize(dtype)));
    const std::int64_t n = steps.elements();
    Buffer value = random_buffer(dtype, starts ? 1 : n), x = random_buffer(dtype, n), out(dtype, n);
    std::vector<Buffer> elements;
    Call wanted;
    Buffer spread(dtype, n);
    for (std::int64_t k = 0; k < n; ++k) {
        std::memcpy(spread.at(k), value.at(starts ? 0 : k),
                    static_cast<std::size_t>(itemsize(dtype)));
    }
    wanted.outs.push_back(spread);
    std::uint8_t raised = 0;
    for (int k = 0; k < terms; ++k) {
        elements.push_back(random_buffer(dtype, 1));
        wanted = transpose_block(ArithmeticOp::Multiply, dtype, wanted.outs[0], x, n);
        raised |= wanted.raised;
        const ArithmeticOp turn = away >> k & 1 ? ArithmeticOp::Subtract : ArithmeticOp::Add;
        wanted = transpose_block(turn, dtype, wanted.outs[0], elements.back(), n);
        raised |= wanted.raised;
    }
    wanted.raised = raised;
    if (!starts) steps.load(value);
    TileStep* step = &steps.add(fn);
    Steps::place(*step, 0, x);
    step->p[1] = reinterpret_cast<char*>(away);
    if (starts) Steps::place(*step, 2, value, true);
    for (int k = 0; k < terms; ++k) {
        const int operand = 2 + starts + k;
        if (operand % 3 == 0) step = &steps.add(tiles().end);
        Steps::place(*step, operand % 3, elements[static_cast<std::size_t>(k)], true);
    }
    compare(out, steps.run(out), wanted,
            std::string(info(dtype).name) + " polynomial of " + std::to_string(terms) +
                (starts ? " from x" : " from a value") + " away " + std::to_string(away));
}

int check_all_polynomials(DType dtype) {
    int found = 0;
    for (int starts = 0; starts < 2; ++starts) {
        for (int terms = 2; terms <= kMostTerms; ++terms) {
            TileFn fn = tiles().polynomial[static_cast<int>(dtype)][starts][terms - 2];
            if (!fn) continue;
            ++found;
            for (std::uintptr_t away = 0; away < std::uintptr_t{1} << terms; ++away) {
                check_polynomial(dtype, fn, starts, terms, away);
            }
        }
    }
    return found;
}

int check_with_bools(DType dtype, int width) {
    int found = 0;
    for (int turn = 0; turn < kArithmeticOps; ++turn) {
        TileFn fn = tiles().with_bools[static_cast<int>(dtype)][width][turn];
        if (!fn) continue;
        ++found;
        Steps steps(width);
        const std::int64_t n = steps.elements();
        Buffer value = random_buffer(dtype, n), bools = random_buffer(DType::Bool, n);
        Buffer numbers(dtype, n), out(dtype, n);
        kernels().cast[static_cast<int>(DType::Bool)][static_cast<int>(dtype)](numbers.data(),
                                                                               bools.data(), n);
        Call wanted = transpose_block(static_cast<ArithmeticOp>(turn), dtype, value, numbers, n);
        steps.load(value);
        Steps::place(steps.add(fn), 0, bools);
        compare(out, steps.run(out), wanted,
                std::string(info(dtype).name) + " with bools, turn " + std::to_string(turn));
    }
    return found;
}

void check_two_at_once() {
    int joined = 0, polynomials = 0, with_bools = 0;
    for (int dtype = 0; dtype < kDTypeCount; ++dtype) {
        joined += check_all_joined(static_cast<DType>(dtype));
        polynomials += check_all_polynomials(static_cast<DType>(dtype));
        for (int width = 0; width < kTileWidths; ++width) {
            with_bools += check_with_bools(static_cast<DType>(dtype), width);
        }
    }
    CHECK_AT(joined >= 296 && polynomials == 20 && with_bools >= 24,
             "steps that do several things");
}

void check_level() {
    int rows = 0;
    for_all_maps([&rows](Op op, DType dtype) {
        rows += tiles().map[static_cast<int>(op)][static_cast<int>(dtype)][kTileWidths - 1]
                           [static_cast<int>(TileForm::Acc)] != nullptr;
        check_row(op, dtype);
        for (int width = 0; width < kTileWidths; ++width) {
            check_map_taken(op, dtype, width);
            for (std::int64_t ahead : {-3, -1, 0, 1, 2}) check_pair_taken(op, dtype, width, ahead);
        }
    });
    CHECK_AT(rows > 200, "rows have tile forms");
    check_two_at_once();
    CHECK_AT(runs_outer_loop > 1000, "steps run across lines");
    runs_outer_loop = 0;
    for (int width = 0; width < kTileWidths; ++width) {
        for (int from = 0; from < kDTypeCount; ++from) {
            check_splat(static_cast<DType>(from), width);
            // Wherever in a cache line they begin.
            for (std::int64_t before = 0; before <= 16; ++before) {
                for (std::int64_t stride : {2, -1, 3, -2, 8, 131}) {
                    check_take_and_put(stride, static_cast<DType>(from), width, before);
                }
            }
            for (int to = 0; to < kDTypeCount; ++to) {
                check_cast(static_cast<DType>(from), static_cast<DType>(to), width);
            }
        }
    }
}

}  // namespace

int main() { return check_levels(check_level); }
