// Numbers for kernels of one dtype, whose results are held against the processor's own.
#pragma once

#include <cmath>
#include <limits>

#include "support/tile_steps.hpp"

namespace tile_tests {

template <class T>
inline constexpr DType kDTypeOf = sizeof(T) == 8 ? DType::F64 : DType::F32;
template <class T>
inline constexpr int kWidth = sizeof(T) == 8 ? 3 : 2;
template <class T>
inline constexpr int kDigits = std::numeric_limits<T>::digits;
template <class T>
inline constexpr int kMaxExponent = std::numeric_limits<T>::max_exponent;

template <class T>
const std::vector<T>& special_numbers() {
    using Limits = std::numeric_limits<T>;
    static const std::vector<T> numbers = {T{0},
                                           -T{0},
                                           Limits::infinity(),
                                           -Limits::infinity(),
                                           Limits::quiet_NaN(),
                                           Limits::denorm_min(),
                                           -Limits::min(),
                                           Limits::max(),
                                           T{1}};
    return numbers;
}
template <class T>
T special_number() {
    return special_numbers<T>()[random_bits() % special_numbers<T>().size()];
}

template <class T>
int random_exponent(int most) {
    return static_cast<int>(random_bits() % static_cast<unsigned>(2 * most + 1)) - most;
}
template <class T>
T scaled(std::int64_t significand, int exponent) {
    const T sign = random_bits() % 2 != 0 ? T{-1} : T{1};
    return sign * std::ldexp(static_cast<T>(significand), exponent - (kDigits<T> - 1));
}
template <class T>
std::int64_t random_significand() {
    const std::uint64_t least = std::uint64_t{1} << (kDigits<T> - 1);
    return static_cast<std::int64_t>(least | (random_bits() & (least - 1)));
}

// By multiplications beside the divider and by the divider alone.
template <class F>
void by_both_ways(F check) {
    for (const char* way : {"on", "off"}) {
        settings().set("newton_division", way);
        check();
    }
    settings().set("newton_division", "auto");
}

// As many tiles as the numbers need through one kernel; place(step): sets its operands.
template <class T, class Place, class F>
void check_tiles(const std::vector<T>& numbers, TileFn fn, Place place, F expected,
                 const std::string& what) {
    for (std::size_t at = 0; at < numbers.size();) {
        Steps steps(kWidth<T>);
        Buffer x(kDTypeOf<T>, steps.elements()), out(x.dtype, x.n);
        Call wanted;
        wanted.outs.emplace_back(x.dtype, x.n);
        clear_fp_flags();
        for (std::int64_t k = 0; k < x.n; ++k, ++at) {
            const volatile T number = numbers[at % numbers.size()];
            const volatile T result = expected(number);
            const T both[2] = {number, result};
            std::memcpy(x.at(k), &both[0], sizeof(T));
            std::memcpy(wanted.outs[0].at(k), &both[1], sizeof(T));
        }
        wanted.raised = read_fp_flags();
        steps.load(x);
        place(steps.add(fn));
        const std::uint8_t raised = steps.run(out);
        compare(out, raised, wanted, std::string(kernels().level) + " " + what);
    }
}

}  // namespace tile_tests
