// The function of each row of the op table on one element: written from NumPy's definitions and the
// C library, independently of the lanes in src/simd, so that tests can compare the two.
//
// Functions have the id of their row. A Map row without one does not compile (table.cpp). bool is
// logical, integers wrap around, float16 is passed as float and the caller rounds the result; the
// two functions that step through the float16 numbers take Half itself. Floating-point conditions
// are raised as flags of the floating-point environment; integer rows raise theirs here.
#pragma once

#include <utility>

#include "reference/complex.hpp"
#include "reference/real.hpp"
#include "reference/whole.hpp"

namespace hassium::reference {

// Rows shared by several kinds of dtypes, comparisons and logical functions.

HS_NUMBER T Copy(T a) { return a; }
HS_NUMBER T Positive(T a) { return a; }
HS_ORDERED T Conjugate(T a) { return a; }
HS_NUMBER T Square(T a) { return Multiply(a, a); }

HS_ORDERED bool is_nan(T a) { return a != a; }
HS_COMPLEX bool is_nan(T a) { return std::isnan(a.real()) || std::isnan(a.imag()); }

HS_ORDERED bool Less(T a, T b) { return a < b; }
HS_ORDERED bool LessEqual(T a, T b) { return a <= b; }
HS_ORDERED bool Equal(T a, T b) { return a == b; }
// Lexicographic; NaN in either imaginary part makes unequal real parts incomparable.
HS_COMPLEX bool Less(T a, T b) {
    bool whole = !std::isnan(a.imag()) && !std::isnan(b.imag());
    return (a.real() < b.real() && whole) || (a.real() == b.real() && a.imag() < b.imag());
}
HS_COMPLEX bool LessEqual(T a, T b) {
    bool whole = !std::isnan(a.imag()) && !std::isnan(b.imag());
    return (a.real() < b.real() && whole) || (a.real() == b.real() && a.imag() <= b.imag());
}
HS_COMPLEX bool Equal(T a, T b) { return a.real() == b.real() && a.imag() == b.imag(); }
HS_NUMBER bool NotEqual(T a, T b) { return !Equal(a, b); }
HS_NUMBER bool Greater(T a, T b) { return Less(b, a); }
HS_NUMBER bool GreaterEqual(T a, T b) { return LessEqual(b, a); }
// NaN propagates in Maximum and Minimum; Fmax and Fmin prefer non-NaN. Of the equal 0.0 and -0.0
// NumPy's vector loops return the second; of equal complex numbers its loops return the first.
HS_NUMBER bool comes_before(T a, T b) {
    if constexpr (Complex<T>) {
        return LessEqual(a, b);
    } else {
        return Less(a, b);
    }
}
HS_NUMBER T Maximum(T a, T b) { return comes_before(b, a) || is_nan(a) ? a : b; }
HS_NUMBER T Minimum(T a, T b) { return comes_before(a, b) || is_nan(a) ? a : b; }
HS_NUMBER T Fmax(T a, T b) { return comes_before(b, a) || is_nan(b) ? a : b; }
HS_NUMBER T Fmin(T a, T b) { return comes_before(a, b) || is_nan(b) ? a : b; }
HS_NUMBER T Where(bool condition, T a, T b) { return condition ? a : b; }
HS_NUMBER T Clip(T a, T least, T most) { return Minimum(Maximum(a, least), most); }

// Comparisons of integers of different signedness.
#define HS_MIXED(id, function)      \
    template <class T, class U>     \
    bool id(T a, U b) {             \
        return std::function(a, b); \
    }
HS_MIXED(EqualMixed, cmp_equal)
HS_MIXED(NotEqualMixed, cmp_not_equal)
HS_MIXED(LessMixed, cmp_less)
HS_MIXED(LessEqualMixed, cmp_less_equal)
HS_MIXED(GreaterMixed, cmp_greater)
HS_MIXED(GreaterEqualMixed, cmp_greater_equal)
#undef HS_MIXED

HS_NUMBER bool truth(T a) { return !Equal(a, T{0}); }
HS_NUMBER bool LogicalAnd(T a, T b) { return truth(a) && truth(b); }
HS_NUMBER bool LogicalOr(T a, T b) { return truth(a) || truth(b); }
HS_NUMBER bool LogicalXor(T a, T b) { return truth(a) != truth(b); }
HS_NUMBER bool LogicalNot(T a) { return !truth(a); }
HS_WHOLE bool Isinf(T) { return false; }
HS_FLOATING bool Isinf(T a) { return std::isinf(a); }
HS_COMPLEX bool Isinf(T a) { return std::isinf(a.real()) || std::isinf(a.imag()); }
HS_NUMBER bool Isnan(T a) { return is_nan(a); }
HS_NUMBER bool Isfinite(T a) { return !is_nan(a) && !Isinf(a); }

// NumPy's float_power is power in at least float64.
HS_NUMBER T FloatPower(T a, T b) { return Power(a, b); }

}  // namespace hassium::reference
