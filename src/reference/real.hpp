// Rows of the op table on real floats; see ops.hpp.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "reference/whole.hpp"

namespace hassium::reference {

HS_FLOATING T Add(T a, T b) { return a + b; }
HS_FLOATING T Subtract(T a, T b) { return a - b; }
HS_FLOATING T Multiply(T a, T b) { return a * b; }
HS_FLOATING T Divide(T a, T b) { return a / b; }
HS_FLOATING T Fmod(T a, T b) { return std::fmod(a, b); }
// NumPy's npy_divmod: from the exact remainder.
HS_FLOATING std::pair<T, T> floor_and_rest(T a, T b) {
    T rest = std::fmod(a, b);
    if (b == 0) return {a / b, rest};
    T quotient = (a - rest) / b;
    if (rest != 0) {
        if (std::isless(b, T{0}) != std::isless(rest, T{0})) {
            rest += b;
            quotient -= T{1};
        }
    } else {
        rest = std::copysign(T{0}, b);
    }
    if (quotient == 0) return {std::copysign(T{0}, a / b), rest};
    T whole = std::floor(quotient);
    if (std::isgreater(quotient - whole, T{0.5})) whole += T{1};
    return {whole, rest};
}
HS_FLOATING T FloorDivide(T a, T b) { return b == 0 ? a / b : floor_and_rest(a, b).first; }
HS_FLOATING T Remainder(T a, T b) { return b == 0 ? std::fmod(a, b) : floor_and_rest(a, b).second; }
HS_ORDERED std::pair<T, T> Divmod(T a, T b) { return {FloorDivide(a, b), Remainder(a, b)}; }
HS_FLOATING T Negative(T a) { return -a; }
HS_FLOATING T Absolute(T a) { return std::fabs(a); }
HS_FLOATING T Fabs(T a) { return std::fabs(a); }
HS_FLOATING T Sign(T a) { return a > 0 ? T{1} : a < 0 ? T{-1} : a == 0 ? T{0} : a; }
HS_FLOATING T Reciprocal(T a) { return T{1} / a; }
HS_FLOATING T Power(T a, T b) { return std::pow(a, b); }
HS_FLOATING T Heaviside(T a, T b) { return std::isnan(a) ? a : a == 0 ? b : a < 0 ? T{0} : T{1}; }
HS_FLOATING T Logaddexp(T a, T b) {
    if (a == b) return a + std::log(T{2});
    T difference = a - b;
    if (difference > 0) return a + std::log1p(std::exp(-difference));
    if (difference <= 0) return b + std::log1p(std::exp(difference));
    return difference;
}
HS_FLOATING T Logaddexp2(T a, T b) {
    T log2e = static_cast<T>(1.442695040888963407359924681001892137);
    if (a == b) return a + T{1};
    T difference = a - b;
    if (difference > 0) return a + log2e * std::log1p(std::exp2(-difference));
    if (difference <= 0) return b + log2e * std::log1p(std::exp2(difference));
    return difference;
}
inline constexpr double kPi = 3.141592653589793238462643383279502884;
HS_FLOATING T Deg2rad(T a) { return a * (static_cast<T>(kPi) / T{180}); }
HS_FLOATING T Radians(T a) { return Deg2rad(a); }
HS_FLOATING T Rad2deg(T a) { return a * (T{180} / static_cast<T>(kPi)); }
HS_FLOATING T Degrees(T a) { return Rad2deg(a); }
HS_FLOATING T Nextafter(T a, T b) { return std::nextafter(a, b); }
HS_FLOATING T Spacing(T a) {
    if (std::isinf(a)) return std::numeric_limits<T>::quiet_NaN();
    if (std::isnan(a)) return a;
    if (a == 0) return std::numeric_limits<T>::denorm_min();
    T away = std::copysign(std::numeric_limits<T>::infinity(), a);
    return std::nextafter(a, away) - a;
}
HS_FLOATING T Ldexp(T a, std::int64_t n) {
    constexpr std::int64_t kMost = 100000;
    return std::ldexp(a, static_cast<int>(n > kMost ? kMost : n < -kMost ? -kMost : n));
}
HS_FLOATING std::pair<T, std::int32_t> Frexp(T a) {
    int exponent = 0;
    T mantissa = std::frexp(a, &exponent);
    return {mantissa, exponent};
}
HS_FLOATING std::pair<T, T> Modf(T a) {
    T whole = 0;
    T fraction = std::modf(a, &whole);
    return {fraction, whole};
}
HS_FLOATING bool Signbit(T a) { return std::signbit(a); }
HS_FLOATING T Rint(T a) { return std::nearbyint(a); }

#define HS_LIBRARY_1(id, function) \
    HS_FLOATING T id(T a) { return std::function(a); }
HS_LIBRARY_1(Sqrt, sqrt)
HS_LIBRARY_1(Cbrt, cbrt)
HS_LIBRARY_1(Exp, exp)
HS_LIBRARY_1(Exp2, exp2)
HS_LIBRARY_1(Expm1, expm1)
HS_LIBRARY_1(Log, log)
HS_LIBRARY_1(Log2, log2)
HS_LIBRARY_1(Log10, log10)
HS_LIBRARY_1(Log1p, log1p)
HS_LIBRARY_1(Sin, sin)
HS_LIBRARY_1(Cos, cos)
HS_LIBRARY_1(Tan, tan)
HS_LIBRARY_1(Arcsin, asin)
HS_LIBRARY_1(Arccos, acos)
HS_LIBRARY_1(Arctan, atan)
HS_LIBRARY_1(Sinh, sinh)
HS_LIBRARY_1(Cosh, cosh)
HS_LIBRARY_1(Tanh, tanh)
HS_LIBRARY_1(Arcsinh, asinh)
HS_LIBRARY_1(Arccosh, acosh)
HS_LIBRARY_1(Arctanh, atanh)
HS_LIBRARY_1(Floor, floor)
HS_LIBRARY_1(Ceil, ceil)
HS_LIBRARY_1(Trunc, trunc)
#undef HS_LIBRARY_1
#define HS_LIBRARY_2(id, function) \
    HS_FLOATING T id(T a, T b) { return std::function(a, b); }
HS_LIBRARY_2(Hypot, hypot)
HS_LIBRARY_2(Arctan2, atan2)
HS_LIBRARY_2(Copysign, copysign)
#undef HS_LIBRARY_2

// Steps to an adjacent float16 number: their bits without sign are in order.
inline Half Nextafter(Half a, Half b) {
    float x = to_float(a), y = to_float(b);
    if (std::isnan(x) || x == y) return a;
    if (std::isnan(y)) return b;
    if (x == 0) return {static_cast<std::uint16_t>((b.bits & 0x8000u) | 1u)};
    Half next{static_cast<std::uint16_t>((x < y) == (x > 0) ? a.bits + 1 : a.bits - 1)};
    if (std::isinf(to_float(next)) && !std::isinf(x)) std::feraiseexcept(FE_OVERFLOW);
    return next;
}
// NumPy's float16 spacing is the distance to the next larger number, and positive.
inline Half Spacing(Half a) {
    if ((a.bits & 0x7c00u) == 0x7c00u) {
        std::feraiseexcept(FE_INVALID);
        return {0x7e00u};
    }
    Half up = Nextafter(a, Half{0x7c00u});
    float distance = to_float(up) - to_float(a);
    return to_half(distance);
}

}  // namespace hassium::reference
