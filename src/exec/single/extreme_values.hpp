// Comparison of values in the order of argmin and argmax, for every native dtype.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/types.hpp"

namespace hassium {

template <class T>
T value_at(const char* p) {
    T x;
    std::memcpy(&x, p, sizeof(T));
    return x;
}

// Maps the bits of a half to integers in order: sign and magnitude to two's complement.
inline int order_of(Half h) {
    const int magnitude = h.bits & 0x7fff;
    return h.bits & 0x8000 ? -magnitude : magnitude;
}
inline bool is_nan(Half h) { return (h.bits & 0x7fff) > 0x7c00; }
inline bool is_nan(float x) { return x != x; }
inline bool is_nan(double x) { return x != x; }
inline bool is_nan(Complex64 z) { return is_nan(z.re) || is_nan(z.im); }
inline bool is_nan(Complex128 z) { return is_nan(z.re) || is_nan(z.im); }
template <class T>
bool is_nan(T) {
    return false;
}

template <class T>
bool less(T a, T b) {
    return a < b;
}
inline bool less(Half a, Half b) { return order_of(a) < order_of(b); }
template <class T>
bool less_complex(T a, T b) {
    return (a.re < b.re) | ((a.re == b.re) & (a.im < b.im));
}
inline bool less(Complex64 a, Complex64 b) { return less_complex(a, b); }
inline bool less(Complex128 a, Complex128 b) { return less_complex(a, b); }

// Reads an element; any nonzero byte is a true bool.
template <class T>
T element_at(const char* p) {
    if constexpr (std::is_same_v<T, bool>) {
        return *p != 0;
    } else {
        return value_at<T>(p);
    }
}

template <class T, bool Largest>
std::int64_t first_extreme(const char* in, std::int64_t stride, std::int64_t n) {
    T best = element_at<T>(in);
    std::int64_t found = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const T x = element_at<T>(in + k * stride);
        if (is_nan(x)) return k;
        // Branch-free: the position of the extremum is unpredictable.
        const bool better = Largest ? less(best, x) : less(x, best);
        best = better ? x : best;
        found = better ? k : found;
    }
    return found;
}

}  // namespace hassium
