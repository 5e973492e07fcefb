// Sums that compute their elements on the way, and counts of the bools that rows make, on every
// level: the bits and conditions of the maps and the fold that they stand for.
#include <algorithm>

#include "support/kernel_calls.hpp"

using namespace kernel_tests;

namespace {

Buffer first(Buffer& b, std::int64_t n) {
    Buffer part(b.dtype, n);
    std::memcpy(part.data(), b.data(), static_cast<std::size_t>(n * itemsize(b.dtype)));
    return part;
}

Buffer map(Op op, const Buffer& a, const Buffer& b, std::uint32_t scalars, std::uint8_t& raised) {
    Call call = run_map(op, a.dtype, {a, b}, scalars, a.n);
    raised |= call.raised;
    return call.outs[0];
}

Buffer elements_of(FoldOf of, const Buffer& p, const Buffer& q, std::uint8_t& raised) {
    if (of == FoldOf::Product) return map(Op::Multiply, p, q, 0, raised);
    if (of == FoldOf::Square) return map(Op::Multiply, p, p, 0, raised);
    const bool one = of == FoldOf::SquaredDeviation;
    Buffer d = map(Op::Subtract, p, one ? element(q, 0) : q, one ? 2 : 0, raised);
    return map(Op::Multiply, d, d, 0, raised);
}

void check(FoldOf of, DType dtype, std::int64_t n) {
    const SumFn sum = kernels().sum_of[static_cast<int>(of)][static_cast<int>(dtype)];
    if (!sum) return;
    // What lies behind the elements is as wild as they are, and must not be met.
    Buffer all_p(dtype, n + 64), all_q(dtype, n + 64), out(dtype, 1), wanted(dtype, 1);
    randomise(all_p);
    randomise(all_q);
    Buffer p = first(all_p, n), q = first(all_q, n);
    std::uint8_t raised = 0;
    Buffer elements = elements_of(of, p, q, raised);
    clear_fp_flags();
    kernels().chunk[static_cast<int>(Op::Add)][static_cast<int>(dtype)](wanted.data(),
                                                                        elements.data(), n);
    raised |= read_fp_flags();
    clear_fp_flags();
    sum(out.data(), all_p.data(), all_q.data(), n);
    const std::uint8_t found = read_fp_flags();
    const std::string what = where(Op::Add, dtype) + " of " + std::to_string(static_cast<int>(of)) +
                             " n=" + std::to_string(n);
    CHECK_AT(same_value(out, wanted), what);
    CHECK_AT(found == raised, what + " conditions");
    CHECK_AT(out.intact(), what);
}

// Bools of any byte, and behind them bytes that are not counted.
template <class T>
void check_count(DType dtype, std::int64_t n) {
    const SumFn sum = kernels().sum_of[static_cast<int>(FoldOf::Truth)][static_cast<int>(dtype)];
    CHECK(sum);
    std::vector<char> bools(static_cast<std::size_t>(n + 64));
    for (char& b : bools) b = static_cast<char>(random_bits() % 2 != 0 ? random_bits() : 0);
    const auto wanted = n - std::count(bools.begin(), bools.begin() + n, 0);
    T found = -1;
    sum(reinterpret_cast<char*>(&found), bools.data(), nullptr, n);
    CHECK_AT(found == static_cast<T>(wanted), "count of bools n=" + std::to_string(n));
}

// Of an array and another, or the first element of that.
void check_count_of(Op op, DType dtype, std::int64_t n, bool element_wanted) {
    const CountFn count = kernels().count[static_cast<int>(op)][static_cast<int>(dtype)];
    std::vector<Buffer> all = random_inputs(op, dtype, n + 64), ins;
    for (Buffer& b : all) ins.push_back(first(b, n));
    const bool one = element_wanted && ins.size() == 2;
    if (one) ins[1] = element(all[1], 0);
    Call call = run_map(op, dtype, ins, one ? 2 : 0, n);
    const char* const bools = call.outs[0].data();
    const auto wanted = std::count(bools, bools + n, 1);
    clear_fp_flags();
    const std::int64_t found = count(all[0].data(), all.back().data(), one, n);
    const std::string what = where(op, dtype) + " counted, n=" + std::to_string(n);
    CHECK_AT(found == wanted, what);
    CHECK_AT(read_fp_flags() == call.raised, what + " conditions");
}

void check_counts_of_rows() {
    int some = 0;
    for_all_maps([&](Op op, DType dtype) {
        if (!kernels().count[static_cast<int>(op)][static_cast<int>(dtype)]) return;
        ++some;
        for (std::int64_t n : {1, 2, 7, 15, 16, 31, 63, 64, 65, 200, 256, 1000, 1024}) {
            check_count_of(op, dtype, n, false);
            check_count_of(op, dtype, n, true);
        }
    });
    CHECK(some > 60);
}

void check_all() {
    check_counts_of_rows();
    for (std::int64_t n : {1, 7, 8, 9, 31, 64, 100, 127, 1000, 1024, 16320, 16321, 50000}) {
        check_count<std::int64_t>(DType::I64, n);
        check_count<double>(DType::F64, n);
    }
    int some = 0;
    for (int of = 0; of < static_cast<int>(FoldOf::Truth); ++of) {
        for (DType dtype : {DType::F32, DType::F64}) {
            some += kernels().sum_of[of][static_cast<int>(dtype)] != nullptr;
            for (std::int64_t n = 1; n < 200; ++n) check(static_cast<FoldOf>(of), dtype, n);
            for (int turn = 0; turn < 40; ++turn) {
                for (std::int64_t n : {316, 1000, 1023, 1024}) {
                    check(static_cast<FoldOf>(of), dtype, n);
                }
            }
        }
    }
    CHECK(some > 0);
}

}  // namespace

int main() { return check_levels(check_all); }
