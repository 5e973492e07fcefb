// Rows of the op table on bools and integers; see ops.hpp.
#pragma once

#include <bit>
#include <cfenv>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

#include "reference/cast.hpp"

namespace hassium::reference {

// Arithmetic in 64 bits without sign wraps as every narrower type does.
template <Int T>
T wrap(std::uint64_t value) {
    return static_cast<T>(value);
}
template <Int T>
std::uint64_t bits(T a) {
    return static_cast<std::uint64_t>(a);
}
template <Int T>
bool is_negative(T a) {
    return std::is_signed_v<T> && a < 0;
}
template <Int T>
std::uint64_t magnitude(T a) {
    return is_negative(a) ? std::uint64_t{0} - bits(a) : bits(a);
}

template <Whole T>
T Copy(T a) {
    return a;
}
inline bool Add(bool a, bool b) { return a || b; }
inline bool Multiply(bool a, bool b) { return a && b; }
template <Int T>
T Add(T a, T b) {
    return wrap<T>(bits(a) + bits(b));
}
template <Int T>
T Subtract(T a, T b) {
    return wrap<T>(bits(a) - bits(b));
}
template <Int T>
T Multiply(T a, T b) {
    return wrap<T>(bits(a) * bits(b));
}

template <Int T>
bool least_by_minus_one(T a, T b) {
    return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}
template <Int T>
T Fmod(T a, T b) {
    if (b == 0) std::feraiseexcept(FE_DIVBYZERO);
    return b == 0 || least_by_minus_one(a, b) ? T{0} : static_cast<T>(a % b);
}
template <Int T>
T Remainder(T a, T b) {
    T r = Fmod(a, b);
    return r != 0 && is_negative(r) != is_negative(b) ? static_cast<T>(r + b) : r;
}
template <Int T>
T FloorDivide(T a, T b) {
    if (b == 0) {
        std::feraiseexcept(FE_DIVBYZERO);
        return 0;
    }
    if (least_by_minus_one(a, b)) {
        std::feraiseexcept(FE_OVERFLOW);
        return a;
    }
    T q = static_cast<T>(a / b);
    bool down = a % b != 0 && is_negative(a) != is_negative(b);
    return down ? static_cast<T>(q - 1) : q;
}
// NumPy divides in float64 and casts back.
template <Int T>
T Reciprocal(T a) {
    return convert<T>(1.0 / static_cast<double>(a));
}
template <Int T>
T Negative(T a) {
    return wrap<T>(std::uint64_t{0} - bits(a));
}
template <Whole T>
T Positive(T a) {
    return a;
}
inline bool Absolute(bool a) { return a; }
template <Int T>
T Absolute(T a) {
    return wrap<T>(magnitude(a));
}
template <Int T>
T Sign(T a) {
    return static_cast<T>(a > 0 ? 1 : is_negative(a) ? -1 : 0);
}
template <Whole T>
T Conjugate(T a) {
    return a;
}
template <Int T>
T Square(T a) {
    return Multiply(a, a);
}
// Negative exponents never come here: they are refused when the operation is recorded.
template <Int T>
T Power(T a, T b) {
    std::uint64_t result = 1, base = bits(a);
    for (std::uint64_t n = magnitude(b); n != 0; n >>= 1) {
        if (n & 1) result *= base;
        base *= base;
    }
    return wrap<T>(result);
}
template <Int T>
T Gcd(T a, T b) {
    return wrap<T>(std::gcd(magnitude(a), magnitude(b)));
}
template <Int T>
T Lcm(T a, T b) {
    std::uint64_t common = std::gcd(magnitude(a), magnitude(b));
    return common == 0 ? T{0} : wrap<T>(magnitude(a) / common * magnitude(b));
}
template <Int T>
T LeftShift(T a, T b) {
    return is_negative(b) || bits(b) >= 8 * sizeof(T) ? T{0} : wrap<T>(bits(a) << bits(b));
}
template <Int T>
T RightShift(T a, T b) {
    bool all = is_negative(b) || bits(b) >= 8 * sizeof(T);
    if (all) return is_negative(a) ? static_cast<T>(-1) : T{0};
    return static_cast<T>(a >> b);
}
template <Int T>
std::uint8_t BitwiseCount(T a) {
    return static_cast<std::uint8_t>(std::popcount(magnitude(a)));
}
template <Whole T>
T BitwiseAnd(T a, T b) {
    return static_cast<T>(a & b);
}
template <Whole T>
T BitwiseOr(T a, T b) {
    return static_cast<T>(a | b);
}
template <Whole T>
T BitwiseXor(T a, T b) {
    return static_cast<T>(a ^ b);
}
inline bool Invert(bool a) { return !a; }
template <Int T>
T Invert(T a) {
    return static_cast<T>(~a);
}
template <Whole T>
T Floor(T a) {
    return a;
}
template <Whole T>
T Ceil(T a) {
    return a;
}
template <Whole T>
T Trunc(T a) {
    return a;
}

}  // namespace hassium::reference
