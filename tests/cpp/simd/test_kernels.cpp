// Kernel tables of every level this machine runs: properties derived for every row and dtype.
#include "program/reduction_tree.hpp"
#include "support/kernel_calls.hpp"

using namespace kernel_tests;

namespace {

void tables_follow_the_rules() {
    for (int o = 0; o < kOpCount; ++o) {
        for (int t = 0; t < kDTypeCount; ++t) {
            const Op op = static_cast<Op>(o);
            const DType dtype = static_cast<DType>(t);
            const LoopTypes loop = loop_types(info(op).rule, dtype);
            const bool wanted = info(op).cls == OpClass::Map && loop.exists;
            CHECK_AT(has_map(op, dtype) == wanted, where(op, dtype));
            const bool folds = wanted && info(op).has(kReducible) && loop.in[0] == dtype &&
                               loop.in[1] == dtype && loop.out[0] == dtype;
            CHECK_AT((kernels().chunk[o][t] != nullptr) == folds, where(op, dtype));
            CHECK_AT((kernels().tree[o][t] != nullptr) == folds, where(op, dtype));
            CHECK_AT((kernels().scan[o][t] != nullptr) == folds, where(op, dtype));
        }
    }
}

// An element's bits and conditions are its own: neither its position nor its neighbours matter.
void maps_treat_elements_alike(Op op, DType dtype) {
    for (std::int64_t n : {1, 5, 67}) {
        std::vector<Buffer> ins = random_inputs(op, dtype, n);
        Call whole = run_map(op, dtype, ins, 0, n);
        std::uint8_t raised = 0;
        bool same = true;
        for (std::int64_t k = 0; k < n; ++k) {
            std::vector<Buffer> one;
            for (const Buffer& b : ins) one.push_back(element(b, k));
            Call single = run_map(op, dtype, one, 0, 1);
            raised |= single.raised;
            for (std::size_t o = 0; o < whole.outs.size(); ++o) {
                same = same && same_element(whole.outs[o], k, single.outs[o], 0);
            }
        }
        CHECK_AT(same, where(op, dtype) + " bits");
        // A long function may underflow on its way, in one path or another.
        const int counted = info(op).has(kMath) ? ~kUnder : ~0;
        CHECK_AT((whole.raised & counted) == (raised & counted), where(op, dtype) + " conditions");
        for (Buffer& b : whole.outs) CHECK_AT(b.intact(), where(op, dtype) + " guard");
        for (Buffer& b : whole.ins) CHECK_AT(b.intact(), where(op, dtype) + " guard");
    }
}

void scalars_are_broadcast(Op op, DType dtype) {
    constexpr std::int64_t kCount = 37;
    const int nin = info(op).nin;
    for (std::uint32_t scalars = 1; scalars < 1u << nin; ++scalars) {
        std::vector<Buffer> ins = random_inputs(op, dtype, kCount);
        std::vector<Buffer> full = ins;
        for (int k = 0; k < nin; ++k) {
            if (!(scalars >> k & 1)) continue;
            const auto at = static_cast<std::size_t>(k);
            ins[at] = element(full[at], 0);
            for (std::int64_t e = 1; e < kCount; ++e) {
                std::memcpy(full[at].at(e), full[at].at(0),
                            static_cast<std::size_t>(itemsize(full[at].dtype)));
            }
        }
        Call call = run_map(op, dtype, ins, scalars, kCount);
        Call wanted = run_map(op, dtype, full, 0, kCount);
        for (std::size_t o = 0; o < call.outs.size(); ++o) {
            CHECK_AT(call.outs[o].bytes == wanted.outs[o].bytes, where(op, dtype));
        }
        const int counted = info(op).has(kMath) ? ~kUnder : ~0;
        CHECK_AT((call.raised & counted) == (wanted.raised & counted), where(op, dtype));
    }
}

void outputs_may_replace_inputs(Op op, DType dtype) {
    const LoopTypes loop = loop_types(info(op).rule, dtype);
    if (info(op).nout != 1) return;
    constexpr std::int64_t kCount = 45;
    for (int k = 0; k < info(op).nin; ++k) {
        if (loop.in[k] != loop.out[0]) continue;
        std::vector<Buffer> ins = random_inputs(op, dtype, kCount);
        Call wanted = run_map(op, dtype, ins, 0, kCount);
        std::vector<char*> ptr{ins[static_cast<std::size_t>(k)].data()};
        for (Buffer& b : ins) ptr.push_back(b.data());
        kernels().map[static_cast<int>(op)][static_cast<int>(dtype)](ptr.data(), 0, kCount);
        CHECK_AT(ins[static_cast<std::size_t>(k)].bytes == wanted.outs[0].bytes, where(op, dtype));
    }
}

// a op b through the map kernel, whose meaning is tested elsewhere.
void combine(Op op, DType dtype, char* a, char* b) {
    char* ptr[3] = {a, a, b};
    kernels().map[static_cast<int>(op)][static_cast<int>(dtype)](ptr, 0, 1);
}

// Sums of float16 widen within a chunk.
bool folds_like_maps(DType t) { return t != DType::F16; }

void scans_go_in_order(Op op, DType dtype) {
    if (!kernels().scan[static_cast<int>(op)][static_cast<int>(dtype)]) return;
    constexpr std::int64_t kCount = 41;
    Buffer in(dtype, kCount), out(dtype, kCount), wanted(dtype, kCount), state(dtype, 1);
    randomise(in, info(op).has(kMath) && is_integer(dtype));
    const auto size = static_cast<std::size_t>(itemsize(dtype));
    std::memcpy(state.data(), in.data(), size);
    std::memcpy(out.data(), in.data(), size);
    std::memcpy(wanted.data(), in.data(), size);
    kernels().scan[static_cast<int>(op)][static_cast<int>(dtype)](out.at(1), in.at(1), state.data(),
                                                                  kCount - 1);
    for (std::int64_t k = 1; k < kCount; ++k) {
        std::memcpy(wanted.at(k), wanted.at(k - 1), size);
        combine(op, dtype, wanted.at(k), in.at(k));
        CHECK_AT(same_number(out, k, wanted, k), where(op, dtype));
    }
    CHECK_AT(out.intact(), where(op, dtype));
    CHECK_AT(same_number(state, 0, wanted, kCount - 1) && state.intact(), where(op, dtype));
}

// The prose of reduction_tree.hpp, element by element.
Buffer chunk_by_the_book(Op op, DType dtype, Buffer in) {
    const auto size = static_cast<std::size_t>(itemsize(dtype));
    if (!combines_parts(op, dtype) || in.n < ReductionTree::in_order(dtype)) {
        for (std::int64_t k = 1; k < in.n; ++k) combine(op, dtype, in.at(0), in.at(k));
    } else {
        for (std::int64_t k = 64; k < in.n; ++k) combine(op, dtype, in.at(k % 64), in.at(k));
        for (std::int64_t h = 32; h > 0; h /= 2) {
            for (std::int64_t l = 0; l < h && l + h < in.n; ++l) {
                combine(op, dtype, in.at(l), in.at(l + h));
            }
        }
    }
    Buffer out(dtype, 1), zero(dtype, 1);
    std::memset(zero.data(), 0, size);
    if (op == Op::Add) combine(op, dtype, zero.at(0), in.at(0));
    std::memcpy(out.data(), (op == Op::Add ? zero : in).data(), size);
    return out;
}

void chunks_follow_the_tree(Op op, DType dtype) {
    if (!kernels().chunk[static_cast<int>(op)][static_cast<int>(dtype)]) return;
    if (!folds_like_maps(dtype)) return;
    for (std::int64_t n : {1, 2, 3, 7, 8, 9, 31, 64, 65, 127, 128, 600, 1024}) {
        Buffer in(dtype, n), out(dtype, 1);
        randomise(in, info(op).has(kMath) && is_integer(dtype));
        kernels().chunk[static_cast<int>(op)][static_cast<int>(dtype)](out.data(), in.data(), n);
        Buffer wanted = chunk_by_the_book(op, dtype, in);
        CHECK_AT(same_value(out, wanted), where(op, dtype) + " n=" + std::to_string(n));
        CHECK_AT(in.intact(), where(op, dtype));
    }
}

void trees_pair_neighbours(Op op, DType dtype) {
    if (!kernels().tree[static_cast<int>(op)][static_cast<int>(dtype)]) return;
    const auto size = static_cast<std::size_t>(itemsize(dtype));
    for (std::int64_t n : {1, 2, 3, 5, 8, 13, 100}) {
        Buffer partials(dtype, n);
        randomise(partials, info(op).has(kMath) && is_integer(dtype));
        Buffer wanted = partials;
        kernels().tree[static_cast<int>(op)][static_cast<int>(dtype)](partials.data(), n);
        for (std::int64_t left = n; left > 1; left = left / 2 + left % 2) {
            for (std::int64_t k = 0; k < left / 2; ++k) {
                std::memcpy(wanted.at(k), wanted.at(2 * k), size);
                combine(op, dtype, wanted.at(k), wanted.at(2 * k + 1));
            }
            if (left % 2) std::memcpy(wanted.at(left / 2), wanted.at(left - 1), size);
        }
        Buffer got = element(partials, 0), expected = element(wanted, 0);
        CHECK_AT(same_value(got, expected), where(op, dtype));
        CHECK_AT(partials.intact(), where(op, dtype));
    }
}

// Sums and products of one chunk in every dtype; the bits are those of the first level.
void levels_agree(const std::vector<std::string>& levels) {
    for (int o = 0; o < kOpCount; ++o) {
        if (!kOps[o].has(kExact)) continue;  // long functions may differ by an ulp
        for (int t = 0; t < kDTypeCount; ++t) {
            const DType dtype = static_cast<DType>(t);
            Buffer in(dtype, 777);
            randomise(in);
            Buffer first(dtype, 0);
            for (const std::string& level : levels) {
                settings().set("simd", level);
                if (!kernels().chunk[o][t]) continue;
                Buffer out(dtype, 1);
                kernels().chunk[o][t](out.data(), in.data(), in.n);
                if (first.n == 0) first = out;
                CHECK_AT(same_value(out, first), where(static_cast<Op>(o), dtype));
            }
        }
    }
}

void dispatch(const std::vector<std::string>& levels) {
    settings().set("simd", "auto");
    CHECK(kernels().level == levels.back());
    for (const std::string& level : levels) {
        settings().set("simd", level);
        CHECK(kernels().level == level);
    }
}

}  // namespace

int main() {
    const char* const* names;
    const int count = available_levels(&names);
    CHECK(count > 0);
    std::vector<std::string> levels(names, names + count);
    dispatch(levels);
    for (const std::string& level : levels) {
        settings().set("simd", level);
        tables_follow_the_rules();
        for_all_maps(maps_treat_elements_alike);
        for_all_maps(scalars_are_broadcast);
        for_all_maps(outputs_may_replace_inputs);
        for_all_maps(scans_go_in_order);
        for_all_maps(chunks_follow_the_tree);
        for_all_maps(trees_pair_neighbours);
    }
    levels_agree(levels);
    return failures == 0 ? 0 : 1;
}
