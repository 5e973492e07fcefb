// What each row of the op table computes for one element: written from NumPy's definitions and the
// C library, independently of the lanes in src/simd, so that one can be held against the other.
//
// A function bears the id of its row. A Map row without one does not compile (reference_table.cpp).
// bool is logical, integers wrap around, float16 comes in as float and is rounded by the caller;
// the two functions that step through the float16 numbers take Half itself. Conditions are raised
// as the floating-point environment's flags; integer rows raise theirs here.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "exec/reference_cast.hpp"

namespace hassium::reference {

// --- whole numbers
// ---------------------------------------------------------------------------------

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

// --- real numbers
// ----------------------------------------------------------------------------------

template <Real T>
T Copy(T a) {
    return a;
}
template <Real T>
T Add(T a, T b) {
    return a + b;
}
template <Real T>
T Subtract(T a, T b) {
    return a - b;
}
template <Real T>
T Multiply(T a, T b) {
    return a * b;
}
template <Real T>
T Divide(T a, T b) {
    return a / b;
}
template <Real T>
T Fmod(T a, T b) {
    return std::fmod(a, b);
}
// NumPy's npy_divmod: from the exact remainder.
template <Real T>
std::pair<T, T> floor_and_rest(T a, T b) {
    T rest = std::fmod(a, b);
    if (b == 0) return {a / b, rest};
    T quotient = (a - rest) / b;
    if (rest != 0) {
        if ((b < 0) != (rest < 0)) {
            rest += b;
            quotient -= T{1};
        }
    } else {
        rest = std::copysign(T{0}, b);
    }
    if (quotient == 0) return {std::copysign(T{0}, a / b), rest};
    T whole = std::floor(quotient);
    if (quotient - whole > T{0.5}) whole += T{1};
    return {whole, rest};
}
template <Real T>
T FloorDivide(T a, T b) {
    return b == 0 ? a / b : floor_and_rest(a, b).first;
}
template <Real T>
T Remainder(T a, T b) {
    return b == 0 ? std::fmod(a, b) : floor_and_rest(a, b).second;
}
template <Ordered T>
std::pair<T, T> Divmod(T a, T b) {
    return {FloorDivide(a, b), Remainder(a, b)};
}
template <Real T>
T Negative(T a) {
    return -a;
}
template <Real T>
T Positive(T a) {
    return a;
}
template <Real T>
T Absolute(T a) {
    return std::fabs(a);
}
template <Real T>
T Fabs(T a) {
    return std::fabs(a);
}
template <Real T>
T Sign(T a) {
    return a > 0 ? T{1} : a < 0 ? T{-1} : a == 0 ? T{0} : a;
}
template <Real T>
T Conjugate(T a) {
    return a;
}
template <Real T>
T Square(T a) {
    return a * a;
}
template <Real T>
T Reciprocal(T a) {
    return T{1} / a;
}
template <Real T>
T Power(T a, T b) {
    return std::pow(a, b);
}
template <Real T>
T Heaviside(T a, T b) {
    return std::isnan(a) ? a : a == 0 ? b : a < 0 ? T{0} : T{1};
}
template <Real T>
T Logaddexp(T a, T b) {
    if (a == b) return a + std::log(T{2});
    T difference = a - b;
    if (difference > 0) return a + std::log1p(std::exp(-difference));
    if (difference <= 0) return b + std::log1p(std::exp(difference));
    return difference;
}
template <Real T>
T Logaddexp2(T a, T b) {
    T log2e = static_cast<T>(1.442695040888963407359924681001892137);
    if (a == b) return a + T{1};
    T difference = a - b;
    if (difference > 0) return a + log2e * std::log1p(std::exp2(-difference));
    if (difference <= 0) return b + log2e * std::log1p(std::exp2(difference));
    return difference;
}
inline constexpr double kPi = 3.141592653589793238462643383279502884;
template <Real T>
T Deg2rad(T a) {
    return a * (static_cast<T>(kPi) / T{180});
}
template <Real T>
T Radians(T a) {
    return Deg2rad(a);
}
template <Real T>
T Rad2deg(T a) {
    return a * (T{180} / static_cast<T>(kPi));
}
template <Real T>
T Degrees(T a) {
    return Rad2deg(a);
}
template <Real T>
T Nextafter(T a, T b) {
    return std::nextafter(a, b);
}
template <Real T>
T Spacing(T a) {
    if (std::isinf(a)) {
        std::feraiseexcept(FE_INVALID);
        return std::numeric_limits<T>::quiet_NaN();
    }
    if (std::isnan(a)) return a;
    T away = std::copysign(std::numeric_limits<T>::infinity(), a);
    return std::nextafter(a, away) - a;
}
template <Real T>
T Ldexp(T a, std::int64_t n) {
    constexpr std::int64_t kMost = 100000;
    return std::ldexp(a, static_cast<int>(n > kMost ? kMost : n < -kMost ? -kMost : n));
}
template <Real T>
std::pair<T, std::int32_t> Frexp(T a) {
    int exponent = 0;
    T mantissa = std::frexp(a, &exponent);
    return {mantissa, exponent};
}
template <Real T>
std::pair<T, T> Modf(T a) {
    T whole = 0;
    T fraction = std::modf(a, &whole);
    return {fraction, whole};
}
template <Real T>
bool Signbit(T a) {
    return std::signbit(a);
}
template <Real T>
T Rint(T a) {
    return std::nearbyint(a);
}

#define HS_LIBRARY_1(id, function) \
    template <Real T>              \
    T id(T a) {                    \
        return std::function(a);   \
    }
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
#define HS_LIBRARY_2(id, function)  \
    template <Real T>               \
    T id(T a, T b) {                \
        return std::function(a, b); \
    }
HS_LIBRARY_2(Hypot, hypot)
HS_LIBRARY_2(Arctan2, atan2)
HS_LIBRARY_2(Copysign, copysign)
#undef HS_LIBRARY_2

// Steps among the float16 numbers: their bits without sign are in order.
inline Half Nextafter(Half a, Half b) {
    float x = to_float(a), y = to_float(b);
    if (std::isnan(x)) return a;
    if (std::isnan(y) || x == y) return b;
    if (x == 0) return {static_cast<std::uint16_t>((b.bits & 0x8000u) | 1u)};
    Half next{static_cast<std::uint16_t>((x < y) == (x > 0) ? a.bits + 1 : a.bits - 1)};
    if (std::isinf(to_float(next)) && !std::isinf(x)) std::feraiseexcept(FE_OVERFLOW);
    return next;
}
// NumPy's float16 spacing is the distance to the next number upwards, and positive.
inline Half Spacing(Half a) {
    if ((a.bits & 0x7c00u) == 0x7c00u) {
        std::feraiseexcept(FE_INVALID);
        return {0x7e00u};
    }
    Half up = Nextafter(a, Half{0x7c00u});
    float distance = to_float(up) - to_float(a);
    return to_half(distance);
}

// --- complex numbers
// -------------------------------------------------------------------------------

template <Complex T>
T Copy(T a) {
    return a;
}
template <Complex T>
T Add(T a, T b) {
    return {a.real() + b.real(), a.imag() + b.imag()};
}
template <Complex T>
T Subtract(T a, T b) {
    return {a.real() - b.real(), a.imag() - b.imag()};
}
// The plain formula, as NumPy: std::complex repairs products of infinities.
template <Complex T>
T Multiply(T a, T b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
// Smith's algorithm, in NumPy's order of operations.
template <Complex T>
T Divide(T a, T b) {
    using R = typename T::value_type;
    R re = std::fabs(b.real()), im = std::fabs(b.imag());
    if (re >= im) {
        if (re == 0 && im == 0) return {a.real() / re, a.imag() / re};
        R ratio = b.imag() / b.real(), scale = R{1} / (b.real() + b.imag() * ratio);
        return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
    }
    R ratio = b.real() / b.imag(), scale = R{1} / (b.imag() + b.real() * ratio);
    return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}
template <Complex T>
T Negative(T a) {
    return {-a.real(), -a.imag()};
}
template <Complex T>
T Positive(T a) {
    return a;
}
template <Complex T>
typename T::value_type Absolute(T a) {
    return std::hypot(a.real(), a.imag());
}
template <Complex T>
T Sign(T a) {
    using R = typename T::value_type;
    R size = std::hypot(a.real(), a.imag());
    R nan = std::numeric_limits<R>::quiet_NaN();
    if (std::isnan(size)) return {nan, nan};
    if (size == 0) return {0, 0};
    if (!std::isinf(size)) return {a.real() / size, a.imag() / size};
    if (!std::isinf(a.real())) return {0, std::copysign(R{1}, a.imag())};
    if (std::isinf(a.imag())) return {nan, nan};
    return {std::copysign(R{1}, a.real()), 0};
}
template <Complex T>
T Conjugate(T a) {
    return {a.real(), -a.imag()};
}
template <Complex T>
T Square(T a) {
    return Multiply(a, a);
}
template <Complex T>
T Reciprocal(T a) {
    using R = typename T::value_type;
    if (std::fabs(a.imag()) <= std::fabs(a.real())) {
        R ratio = a.imag() / a.real(), scale = a.real() + a.imag() * ratio;
        return {R{1} / scale, -ratio / scale};
    }
    R ratio = a.real() / a.imag(), scale = a.real() * ratio + a.imag();
    return {ratio / scale, R{-1} / scale};
}
// NumPy's npy_cpow: small whole exponents by multiplication.
template <Complex T>
T Power(T a, T b) {
    using R = typename T::value_type;
    if (b == T{0}) return {1, 0};
    if (a == T{0}) {
        if (b.real() > 0) return {0, 0};
        std::feraiseexcept(FE_INVALID);
        R nan = std::numeric_limits<R>::quiet_NaN();
        return {nan, nan};
    }
    bool small = b.imag() == 0 && std::fabs(b.real()) < 100 && b.real() == std::trunc(b.real());
    if (!small) return std::pow(a, b);
    T result{1, 0}, factor = a;
    for (int n = static_cast<int>(std::fabs(b.real())); n != 0; n >>= 1) {
        if (n & 1) result = Multiply(result, factor);
        if (n > 1) factor = Multiply(factor, factor);
    }
    return b.real() < 0 ? Divide(T{1, 0}, result) : result;
}
template <Complex T>
T Rint(T a) {
    return {std::nearbyint(a.real()), std::nearbyint(a.imag())};
}
template <Complex T>
T Expm1(T a) {
    using R = typename T::value_type;
    R half = std::sin(a.imag() / 2);
    return {std::expm1(a.real()) * std::cos(a.imag()) - 2 * half * half,
            std::exp(a.real()) * std::sin(a.imag())};
}
template <Complex T>
T Log1p(T a) {
    return {std::log(std::hypot(a.real() + 1, a.imag())), std::atan2(a.imag(), a.real() + 1)};
}
template <Complex T>
T Exp2(T a) {
    using R = typename T::value_type;
    R ln2 = static_cast<R>(0.6931471805599453094172321214581765681);
    return std::exp(T{a.real() * ln2, a.imag() * ln2});
}
template <Complex T>
T Log2(T a) {
    using R = typename T::value_type;
    R log2e = static_cast<R>(1.442695040888963407359924681001892137);
    T l = std::log(a);
    return {l.real() * log2e, l.imag() * log2e};
}
template <Complex T>
T Log10(T a) {
    using R = typename T::value_type;
    R log10e = static_cast<R>(0.4342944819032518276511289189166050823);
    T l = std::log(a);
    return {l.real() * log10e, l.imag() * log10e};
}
#define HS_LIBRARY_COMPLEX(id, function) \
    template <Complex T>                 \
    T id(T a) {                          \
        return std::function(a);         \
    }
HS_LIBRARY_COMPLEX(Sqrt, sqrt)
HS_LIBRARY_COMPLEX(Exp, exp)
HS_LIBRARY_COMPLEX(Log, log)
HS_LIBRARY_COMPLEX(Sin, sin)
HS_LIBRARY_COMPLEX(Cos, cos)
HS_LIBRARY_COMPLEX(Tan, tan)
HS_LIBRARY_COMPLEX(Arcsin, asin)
HS_LIBRARY_COMPLEX(Arccos, acos)
HS_LIBRARY_COMPLEX(Arctan, atan)
HS_LIBRARY_COMPLEX(Sinh, sinh)
HS_LIBRARY_COMPLEX(Cosh, cosh)
HS_LIBRARY_COMPLEX(Tanh, tanh)
HS_LIBRARY_COMPLEX(Arcsinh, asinh)
HS_LIBRARY_COMPLEX(Arccosh, acosh)
HS_LIBRARY_COMPLEX(Arctanh, atanh)
#undef HS_LIBRARY_COMPLEX

// --- order and truth, over all kinds
// ---------------------------------------------------------------

template <Ordered T>
bool is_nan(T a) {
    return a != a;
}
template <Complex T>
bool is_nan(T a) {
    return std::isnan(a.real()) || std::isnan(a.imag());
}

template <Ordered T>
bool Less(T a, T b) {
    return a < b;
}
template <Ordered T>
bool LessEqual(T a, T b) {
    return a <= b;
}
template <Ordered T>
bool Equal(T a, T b) {
    return a == b;
}
// Lexicographic; a nan in either imaginary part makes unequal real parts incomparable.
template <Complex T>
bool Less(T a, T b) {
    bool whole = !std::isnan(a.imag()) && !std::isnan(b.imag());
    return (a.real() < b.real() && whole) || (a.real() == b.real() && a.imag() < b.imag());
}
template <Complex T>
bool LessEqual(T a, T b) {
    bool whole = !std::isnan(a.imag()) && !std::isnan(b.imag());
    return (a.real() < b.real() && whole) || (a.real() == b.real() && a.imag() <= b.imag());
}
template <Complex T>
bool Equal(T a, T b) {
    return a.real() == b.real() && a.imag() == b.imag();
}
template <Number T>
bool NotEqual(T a, T b) {
    return !Equal(a, b);
}
template <Number T>
bool Greater(T a, T b) {
    return Less(b, a);
}
template <Number T>
bool GreaterEqual(T a, T b) {
    return LessEqual(b, a);
}
// A nan wins; fmax and fmin prefer what is none.
template <Number T>
T Maximum(T a, T b) {
    return GreaterEqual(a, b) || is_nan(a) ? a : b;
}
template <Number T>
T Minimum(T a, T b) {
    return LessEqual(a, b) || is_nan(a) ? a : b;
}
template <Number T>
T Fmax(T a, T b) {
    return GreaterEqual(a, b) || is_nan(b) ? a : b;
}
template <Number T>
T Fmin(T a, T b) {
    return LessEqual(a, b) || is_nan(b) ? a : b;
}
template <Number T>
T Where(bool condition, T a, T b) {
    return condition ? a : b;
}
template <Number T>
T Clip(T a, T least, T most) {
    return Minimum(Maximum(a, least), most);
}

template <class T, class U>
bool EqualMixed(T a, U b) {
    return std::cmp_equal(a, b);
}
template <class T, class U>
bool NotEqualMixed(T a, U b) {
    return std::cmp_not_equal(a, b);
}
template <class T, class U>
bool LessMixed(T a, U b) {
    return std::cmp_less(a, b);
}
template <class T, class U>
bool LessEqualMixed(T a, U b) {
    return std::cmp_less_equal(a, b);
}
template <class T, class U>
bool GreaterMixed(T a, U b) {
    return std::cmp_greater(a, b);
}
template <class T, class U>
bool GreaterEqualMixed(T a, U b) {
    return std::cmp_greater_equal(a, b);
}

template <Number T>
bool truth(T a) {
    return !Equal(a, T{0});
}
template <Number T>
bool LogicalAnd(T a, T b) {
    return truth(a) && truth(b);
}
template <Number T>
bool LogicalOr(T a, T b) {
    return truth(a) || truth(b);
}
template <Number T>
bool LogicalXor(T a, T b) {
    return truth(a) != truth(b);
}
template <Number T>
bool LogicalNot(T a) {
    return !truth(a);
}
template <Whole T>
bool Isinf(T) {
    return false;
}
template <Real T>
bool Isinf(T a) {
    return std::isinf(a);
}
template <Complex T>
bool Isinf(T a) {
    return std::isinf(a.real()) || std::isinf(a.imag());
}
template <Number T>
bool Isnan(T a) {
    return is_nan(a);
}
template <Number T>
bool Isfinite(T a) {
    return !is_nan(a) && !Isinf(a);
}

// NumPy's float_power is power in at least float64.
template <Number T>
T FloatPower(T a, T b) {
    return Power(a, b);
}

}  // namespace hassium::reference
