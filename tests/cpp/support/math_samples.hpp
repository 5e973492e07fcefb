// Arguments of the functions of src/simd/math: special values, and samples over all exponents.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <vector>

#include "support/math_random.hpp"

namespace {

// Of each range.
long g_points = 40000;

double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next_random() >> 11) * 0x1p-53);
}

template <class T>
T from_random_bits() {
    for (;;) {
        const uint64_t r = next_random();
        T x;
        memcpy(&x, &r, sizeof x);
        if (isfinite(x)) {
            return x;
        }
    }
}

template <class T>
struct Limits;
template <>
struct Limits<double> {
    static constexpr double kMax = 0x1.fffffffffffffp1023;
    static constexpr double kMin = 0x1p-1022;
    static constexpr double kAlmostTiny = 0x1p-960;
    static constexpr double kTiny = 0x1p-1074;
    static constexpr int kDigits = 53;
    static constexpr int kMinExponent = -1022;
    static constexpr double kExpRange = 750;
    static constexpr const char* kName = "float64";
};
template <>
struct Limits<float> {
    static constexpr float kMax = 0x1.fffffep127f;
    static constexpr float kMin = 0x1p-126f;
    static constexpr float kAlmostTiny = 0x1p-100f;
    static constexpr float kTiny = 0x1p-149f;
    static constexpr int kDigits = 24;
    static constexpr int kMinExponent = -126;
    static constexpr double kExpRange = 110;
    static constexpr const char* kName = "float32";
};

template <class T>
std::vector<T> special_values() {
    using L = Limits<T>;
    std::vector<T> v{0,
                     1,
                     2,
                     3,
                     4,
                     5,
                     10,
                     100,
                     1000,
                     T(1e30),
                     T(0.5),
                     T(0.25),
                     T(1.5),
                     T(2.5),
                     T(0.1),
                     T(1) / 3,
                     L::kMax,
                     L::kMin,
                     L::kTiny,
                     T(1e-20),
                     T(1e20),
                     T(1e10),
                     T(1e5),
                     T(65536),
                     T(0x1p52),
                     T(0x1p53),
                     T(0x1p24),
                     T(0x1p23),
                     T(88.5),
                     T(709.5),
                     T(710),
                     T(1.5707963267948966),
                     T(3.141592653589793),
                     T(INFINITY),
                     T(NAN)};
    v.push_back(T(1) - L::kTiny * 0 - (L::kDigits == 53 ? T(0x1p-53) : T(0x1p-24)));
    v.push_back(L::kMin - L::kTiny);
    const size_t n = v.size();
    for (size_t i = 0; i < n; ++i) {
        v.push_back(-v[i]);
    }
    return v;
}

template <class T>
std::vector<T> samples() {
    std::vector<T> v;
    const double range = Limits<T>::kExpRange;
    const long n = g_points;
    for (long i = 0; i < n; ++i) {
        v.push_back(from_random_bits<T>());
        v.push_back(static_cast<T>(uniform(-1.1, 1.1)));
        v.push_back(static_cast<T>(uniform(-10, 10)));
        v.push_back(static_cast<T>(uniform(-range, range)));
        const double near_one = 1 + uniform(-1, 1) * exp2(-uniform(1, 30));
        v.push_back(static_cast<T>(i % 2 != 0 ? near_one : -near_one));
        const double turns = nearbyint(uniform(-1, 1) * exp2(uniform(1, 22)));
        v.push_back(static_cast<T>(turns * 1.5707963267948966 * (1 + uniform(-1e-9, 1e-9))));
        v.push_back(static_cast<T>(exp2(uniform(-60, 60)) * (i % 2 != 0 ? 1 : -1)));
    }
    return v;
}

}  // namespace
