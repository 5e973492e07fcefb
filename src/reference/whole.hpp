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

// Unsigned 64-bit arithmetic wraps as every narrower type does.
HS_INT T wrap(std::uint64_t value) { return static_cast<T>(value); }
HS_INT std::uint64_t bits(T a) { return static_cast<std::uint64_t>(a); }
HS_INT bool is_negative(T a) { return std::is_signed_v<T> && a < 0; }
HS_INT std::uint64_t magnitude(T a) {
    return is_negative(a) ? std::uint64_t{0} - bits(a) : bits(a);
}

inline bool Add(bool a, bool b) { return a || b; }
inline bool Multiply(bool a, bool b) { return a && b; }
HS_INT T Add(T a, T b) { return wrap<T>(bits(a) + bits(b)); }
HS_INT T Subtract(T a, T b) { return wrap<T>(bits(a) - bits(b)); }
HS_INT T Multiply(T a, T b) { return wrap<T>(bits(a) * bits(b)); }

HS_INT bool least_by_minus_one(T a, T b) {
    return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}
HS_INT T Fmod(T a, T b) {
    if (b == 0) std::feraiseexcept(FE_DIVBYZERO);
    return b == 0 || least_by_minus_one(a, b) ? T{0} : static_cast<T>(a % b);
}
HS_INT T Remainder(T a, T b) {
    T r = Fmod(a, b);
    return r != 0 && is_negative(r) != is_negative(b) ? static_cast<T>(r + b) : r;
}
HS_INT T FloorDivide(T a, T b) {
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
HS_INT T Reciprocal(T a) { return convert<T>(1.0 / static_cast<double>(a)); }
HS_INT T Negative(T a) { return wrap<T>(std::uint64_t{0} - bits(a)); }
inline bool Absolute(bool a) { return a; }
HS_INT T Absolute(T a) { return wrap<T>(magnitude(a)); }
HS_INT T Sign(T a) { return static_cast<T>(a > 0 ? 1 : is_negative(a) ? -1 : 0); }
// Exponents are not negative: those are rejected when the operation is recorded.
HS_INT T Power(T a, T b) {
    std::uint64_t result = 1, base = bits(a);
    for (std::uint64_t n = magnitude(b); n != 0; n >>= 1) {
        if (n & 1) result *= base;
        base *= base;
    }
    return wrap<T>(result);
}
HS_INT T Gcd(T a, T b) { return wrap<T>(std::gcd(magnitude(a), magnitude(b))); }
HS_INT T Lcm(T a, T b) {
    std::uint64_t common = std::gcd(magnitude(a), magnitude(b));
    return common == 0 ? T{0} : wrap<T>(magnitude(a) / common * magnitude(b));
}
HS_INT T LeftShift(T a, T b) {
    return is_negative(b) || bits(b) >= 8 * sizeof(T) ? T{0} : wrap<T>(bits(a) << bits(b));
}
HS_INT T RightShift(T a, T b) {
    bool all = is_negative(b) || bits(b) >= 8 * sizeof(T);
    if (all) return is_negative(a) ? static_cast<T>(-1) : T{0};
    return static_cast<T>(a >> b);
}
HS_INT std::uint8_t BitwiseCount(T a) {
    return static_cast<std::uint8_t>(std::popcount(magnitude(a)));
}
HS_WHOLE T BitwiseAnd(T a, T b) { return static_cast<T>(a & b); }
HS_WHOLE T BitwiseOr(T a, T b) { return static_cast<T>(a | b); }
HS_WHOLE T BitwiseXor(T a, T b) { return static_cast<T>(a ^ b); }
inline bool Invert(bool a) { return !a; }
HS_INT T Invert(T a) { return static_cast<T>(~a); }
HS_WHOLE T Floor(T a) { return a; }
HS_WHOLE T Ceil(T a) { return a; }
HS_WHOLE T Trunc(T a) { return a; }

}  // namespace hassium::reference
