// What each row of the op table computes for one element: written from NumPy's definitions and the
// C library, independently of the lanes in src/simd, so that one can be held against the other.
//
// A function bears the id of its row. A Map row without one does not compile (table.cpp).
// bool is logical, integers wrap around, float16 comes in as float and is rounded by the caller;
// the two functions that step through the float16 numbers take Half itself. Conditions are raised
// as the floating-point environment's flags; integer rows raise theirs here.
#pragma once

#include <utility>

#include "reference/complex.hpp"
#include "reference/real.hpp"
#include "reference/whole.hpp"

namespace hassium::reference {

// Here: order and truth, over all kinds.

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
// A nan wins; fmax and fmin prefer what is none. Of 0.0 and -0.0, which are equal, NumPy's vectors
// take the second; of equal complex numbers its loops take the first.
template <Number T>
bool comes_before(T a, T b) {
    if constexpr (Complex<T>) {
        return LessEqual(a, b);
    } else {
        return Less(a, b);
    }
}
template <Number T>
T Maximum(T a, T b) {
    return comes_before(b, a) || is_nan(a) ? a : b;
}
template <Number T>
T Minimum(T a, T b) {
    return comes_before(a, b) || is_nan(a) ? a : b;
}
template <Number T>
T Fmax(T a, T b) {
    return comes_before(b, a) || is_nan(b) ? a : b;
}
template <Number T>
T Fmin(T a, T b) {
    return comes_before(a, b) || is_nan(b) ? a : b;
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
template <Floating T>
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
