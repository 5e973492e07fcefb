// Register tiles divided by one element, at every level this machine runs: the bits and conditions
// of the processor's own division, also where quotients are as near as they come to the middle
// between two neighbours.
#include "support/quotient_numbers.hpp"
#include "support/tile_numbers.hpp"

using namespace kernel_tests;
using namespace tile_tests;

namespace {

template <class T>
void check_quotients(const std::vector<T>& dividends, T y, const char* what) {
    const auto* forms = tiles().map[static_cast<int>(Op::Divide)][static_cast<int>(kDTypeOf<T>)];
    Buffer by(kDTypeOf<T>, 1);
    std::memcpy(by.data(), &y, sizeof(T));
    check_tiles(
        dividends, forms[kWidth<T>][static_cast<int>(TileForm::AccScalar)],
        [&](TileStep& step) { Steps::place(step, 0, by, true); }, [y](T x) { return x / y; }, what);
}

template <class T>
void check_middles() {
    const std::int64_t below_two = (std::int64_t{1} << kDigits<T>)-1;
    for (int round = 0; round < 3000; ++round) {
        // The last few below 2, where the proof ends, and any.
        const std::int64_t y = round < 200 ? below_two - 2 * round : random_significand<T>() | 1;
        const T by = scaled<T>(y, random_exponent<T>(kMaxExponent<T> / 4 - 1));
        std::vector<T> dividends;
        for (std::int64_t x : near_middles<T>(y)) {
            dividends.push_back(scaled<T>(x, random_exponent<T>(kMaxExponent<T> / 2 - 2)));
        }
        if (!dividends.empty()) check_quotients(dividends, by, "quotients near a middle");
    }
}

// Dividends and divisors of every exponent, one unlike the others among them.
template <class T>
void check_exponents() {
    for (int round = 0; round < 4000; ++round) {
        const int reach = round % 2 == 0 ? kMaxExponent<T> - 2 : kMaxExponent<T> / 2;
        T by = scaled<T>(random_significand<T>(), random_exponent<T>(reach));
        if (round % 10 == 0) by = special_number<T>();
        if (round % 10 == 1) by = scaled<T>(1LL << (kDigits<T> - 1), random_exponent<T>(reach));
        if (round % 10 == 2) {
            // Powers of two whose reciprocal is or is not normal, or a number.
            const int last = kMaxExponent<T> - 1, least = last - 1 + kDigits<T>;
            const int ends[] = {last, last - 1, 1 - last, -last, -last - 1, -least, 0, 1, -1};
            by = std::ldexp(random_bits() % 2 != 0 ? T{1} : T{-1}, ends[round / 10 % 9]);
        }
        std::vector<T> dividends;
        for (int k = 0; k < 64; ++k) {
            dividends.push_back(scaled<T>(random_significand<T>(), random_exponent<T>(reach)));
        }
        if (round % 3 == 0) dividends[random_bits() % 64] = special_number<T>();
        check_quotients(dividends, by, "quotients of any exponent");
    }
}

void check_level() {
    check_middles<double>();
    check_middles<float>();
    check_exponents<double>();
    check_exponents<float>();
}

}  // namespace

int main() {
    return check_levels([] { by_both_ways(check_level); });
}
