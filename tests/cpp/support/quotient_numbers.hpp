// Dividends whose quotients are hard to round.
#pragma once

#include "support/tile_numbers.hpp"

namespace tile_tests {

__extension__ using Wide = __int128;

// x such that x * a = c modulo m, for odd m.
inline std::int64_t solve(std::int64_t a, std::int64_t c, std::int64_t m) {
    std::int64_t r[2] = {m, a % m}, s[2] = {0, 1};
    while (r[1] != 0) {
        const std::int64_t q = r[0] / r[1];
        r[0] -= q * r[1];
        s[0] -= q * s[1];
        std::swap(r[0], r[1]);
        std::swap(s[0], s[1]);
    }
    const auto x = static_cast<std::int64_t>(static_cast<Wide>(s[0]) * c % m);
    return x < 0 ? x + m : x;
}

// Significands of dividends whose quotient by the odd y is as near to the middle between two
// neighbours as quotients by y come: 2^(p + 1) x = (2 k + 1) y + c, or 2^p for dividends above y.
template <class T>
std::vector<std::int64_t> near_middles(std::int64_t y) {
    const std::int64_t least = std::int64_t{1} << (kDigits<T> - 1);
    std::vector<std::int64_t> found;
    for (int power : {kDigits<T>, kDigits<T> + 1}) {
        const auto a = static_cast<std::int64_t>((static_cast<Wide>(1) << power) % y);
        for (std::int64_t c = -15; c <= 15; c += 2) {
            std::int64_t x = solve(a, c, y);
            if (power == kDigits<T> && x + y < 2 * least) x += y;
            if (x >= least) found.push_back(x);
        }
    }
    return found;
}

}  // namespace tile_tests
