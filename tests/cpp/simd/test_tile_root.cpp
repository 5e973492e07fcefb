// Square roots of register tiles, at every level this machine runs: the bits and conditions of the
// processor's own, also where roots are as near as they come to the middle between two neighbours.
#include <algorithm>

#include "support/tile_numbers.hpp"

using namespace kernel_tests;
using namespace tile_tests;

namespace {

void check_roots(const std::vector<double>& numbers, const char* what) {
    const auto* forms = tiles().map[static_cast<int>(Op::Sqrt)][static_cast<int>(DType::F64)];
    check_tiles(
        numbers, forms[kWidth<double>][static_cast<int>(TileForm::Acc)], [](TileStep&) {},
        [](double x) { return std::sqrt(x); }, what);
}

// o such that o^2 = c modulo 2^54, for c = 1 modulo 8.
std::uint64_t root_modulo(std::uint64_t c) {
    std::uint64_t o = 1;
    for (int k = 3; k < 54; ++k) {
        if (((o * o - c) >> k & 1) != 0) o += std::uint64_t{1} << (k - 1);
    }
    return o;
}

// Numbers from 1 to 4 whose roots are c 2^-107 / m from a middle m: x = X 2^-52, m = O 2^-53, and
// X 2^54 = O^2 - c.
std::vector<double> near_middles(std::int64_t c) {
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 53;
    std::vector<double> found;
    const std::uint64_t root = root_modulo(static_cast<std::uint64_t>(c));
    for (std::uint64_t odd : {root, 0 - root, root + kHalf, kHalf - root}) {
        odd %= 2 * kHalf;
        if (odd < kHalf) continue;
        const Wide square = static_cast<Wide>(odd) * odd - static_cast<Wide>(c);
        const auto x = static_cast<std::uint64_t>(square >> 54);
        const bool exists = x >= kHalf / 2 && x < 2 * kHalf && (x < kHalf || x % 2 == 0);
        if (exists) found.push_back(std::ldexp(static_cast<double>(x), -52));
    }
    return found;
}

// Of exponents that no root needs the divider for.
void check_middles() {
    std::vector<double> numbers;
    for (std::int64_t c = 1 - 8 * 400; c < 8 * 400; c += 8) {
        for (double x : near_middles(c)) {
            numbers.push_back(std::ldexp(x, 2 * random_exponent<double>(250)));
        }
    }
    // Wherever in a tile they come.
    for (int turned = 0; turned < 64; ++turned) {
        check_roots(numbers, "roots near a middle");
        std::rotate(numbers.begin(), numbers.begin() + 1, numbers.end());
    }
}

// The ends of a binade, where the proof leaves some out, one in a tile of others. Without the
// divider these may come right as well: that depends on the processor's estimate.
void check_ends() {
    for (int k = 0; k < 52; ++k) {
        for (double x : {1 + std::ldexp(1, -k), 2 - std::ldexp(1, -k), 2 + std::ldexp(1, -k),
                         4 - std::ldexp(1, -k), std::nextafter(4 - std::ldexp(1, -k), 0)}) {
            for (std::size_t at = 0; at < 64; at += 9) {
                std::vector<double> numbers(64, 0.25);
                numbers[at] = x;
                check_roots(numbers, "roots at the ends of a binade");
                check_roots(std::vector<double>(64, x), "equal roots at the ends of a binade");
            }
        }
    }
}

// Numbers of every exponent, one unlike the others among them.
void check_exponents() {
    for (int round = 0; round < 4000; ++round) {
        const int reach = round % 2 == 0 ? 1022 : 500;
        std::vector<double> numbers;
        for (int k = 0; k < 64; ++k) {
            const double x =
                scaled<double>(random_significand<double>(), random_exponent<double>(reach));
            numbers.push_back(std::fabs(x));
        }
        if (round % 3 == 0) numbers[random_bits() % 64] = special_number<double>();
        if (round % 7 == 0) numbers[random_bits() % 64] *= -1;
        check_roots(numbers, "roots of any exponent");
    }
}

void check_level() {
    check_middles();
    check_ends();
    check_exponents();
}

}  // namespace

int main() {
    return check_levels([] { by_both_ways(check_level); });
}
