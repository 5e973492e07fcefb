// Quotients of two register tiles, and of one element and a tile, at every level this machine runs:
// the bits and conditions of the processor's own, also where quotients are as near as they come to
// the middle between two neighbours.
#include "support/quotient_numbers.hpp"
#include "support/tile_numbers.hpp"

using namespace kernel_tests;
using namespace tile_tests;

namespace {

struct Pair {
    double a, b;
};

// As many tiles as the pairs need, in one form of the kernel. One element is divided by all of the
// divisors in its form.
void check_form(const std::vector<Pair>& pairs, TileForm form, const char* what) {
    const auto* forms = tiles().map[static_cast<int>(Op::Divide)][static_cast<int>(DType::F64)];
    const bool single = form == TileForm::ScalarAcc;
    for (std::size_t at = 0; at < pairs.size();) {
        Steps steps(kWidth<double>);
        Buffer a(DType::F64, steps.elements()), b(DType::F64, a.n), out(DType::F64, a.n);
        Call wanted;
        wanted.outs.emplace_back(DType::F64, a.n);
        clear_fp_flags();
        const Pair first = pairs[at];
        for (std::int64_t k = 0; k < a.n; ++k, ++at) {
            const Pair& pair = pairs[at % pairs.size()];
            const volatile double x = single ? first.a : pair.a, y = pair.b;
            const volatile double quotient = x / y;
            const double all[3] = {x, y, quotient};
            std::memcpy(a.at(k), &all[0], sizeof(double));
            std::memcpy(b.at(k), &all[1], sizeof(double));
            std::memcpy(wanted.outs[0].at(k), &all[2], sizeof(double));
        }
        wanted.raised = read_fp_flags();
        if (form != TileForm::MemMem) steps.load(form == TileForm::AccMem ? a : b);
        TileStep& step = steps.add(forms[kWidth<double>][static_cast<int>(form)]);
        Steps::place(step, 0, form == TileForm::AccMem ? b : a, single);
        if (form == TileForm::MemMem) Steps::place(step, 1, b);
        const std::uint8_t raised = steps.run(out);
        compare(out, raised, wanted, std::string(kernels().level) + " " + what);
    }
}

void check_pairs(const std::vector<Pair>& pairs, const char* what) {
    for (TileForm form :
         {TileForm::AccMem, TileForm::MemAcc, TileForm::MemMem, TileForm::ScalarAcc}) {
        check_form(pairs, form, what);
    }
}

// Of exponents that no quotient needs the divider for.
void check_middles() {
    const std::int64_t below_two = (std::int64_t{1} << kDigits<double>)-1;
    std::vector<Pair> pairs;
    for (int round = 0; round < 6000; ++round) {
        // Divisors near 2, where the proof ends, and any.
        std::int64_t y = random_significand<double>() | 1;
        if (round < 1000) y = below_two - 2 * round;
        if (round >= 1000 && round < 3000)
            y = below_two - (std::int64_t{y >> 1} >> round % 26) / 2 * 2;
        if (y <= below_two / 2) continue;
        for (std::int64_t x : near_middles<double>(y)) {
            const auto a = scaled<double>(x, random_exponent<double>(250));
            pairs.push_back({a, scaled<double>(y, random_exponent<double>(250))});
        }
    }
    check_pairs(pairs, "quotients near a middle");
}

// Dividends and divisors of every exponent, one unlike the others among them.
void check_exponents() {
    std::vector<Pair> pairs;
    for (int round = 0; round < 8000; ++round) {
        const int reach = round % 2 == 0 ? 1022 : round % 4 == 1 ? 260 : 255;
        auto any = [reach] {
            return scaled<double>(random_significand<double>(), random_exponent<double>(reach));
        };
        for (int k = 0; k < 64; ++k) pairs.push_back({any(), any()});
        Pair& odd = pairs[pairs.size() - 1 - random_bits() % 64];
        if (round % 3 == 0) odd.a = special_number<double>();
        if (round % 5 == 0) odd.b = special_number<double>();
    }
    check_pairs(pairs, "quotients of any exponent");
}

void check_level() {
    check_middles();
    check_exponents();
}

}  // namespace

int main() {
    return check_levels([] { by_both_ways(check_level); });
}
