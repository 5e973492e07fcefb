// How far results are from those in long double, and which floating-point flags they raised.
#pragma once

#include <fenv.h>
#include <math.h>
#include <stdio.h>

#include "support/math_samples.hpp"

namespace {

constexpr double kWrong = 1e300;

int g_failures = 0;

// Error in units of the last place of the reference; kWrong for a wrong class or sign.
template <class T>
double ulp_error(T got, long double want) {
    const T rounded = static_cast<T>(want);
    if (isnan(want) || isnan(got)) {
        return isnan(want) && isnan(got) ? 0 : kWrong;
    }
    if (isinf(got) || isinf(rounded)) {
        if (isinf(got) && isinf(rounded)) {
            return signbit(got) == signbit(rounded) ? 0 : kWrong;
        }
        // The neighbour of the threshold counts as an error of one unit, no more.
        const long double edge = ldexpl(1, 1 - Limits<T>::kMinExponent + 1);
        const long double a = isinf(got) ? copysignl(edge, static_cast<long double>(got))
                                         : static_cast<long double>(got);
        const long double b = isinf(rounded) && isinf(want) ? copysignl(edge, want) : want;
        if (isinf(want)) {
            return kWrong;
        }
        return static_cast<double>(fabsl(a - b) /
                                   ldexpl(1, 2 - Limits<T>::kMinExponent - Limits<T>::kDigits));
    }
    if (got == 0 && want == 0) {
        return signbit(got) == signbit(want) ? 0 : kWrong;
    }
    int e = 0;
    frexpl(want, &e);
    e = e - 1 < Limits<T>::kMinExponent ? Limits<T>::kMinExponent : e - 1;
    const long double unit = ldexpl(1, e - Limits<T>::kDigits + 1);
    return static_cast<double>(fabsl(static_cast<long double>(got) - want) / unit);
}

constexpr int kSerious = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

// The sum of logarithms loses digits where the result is smaller than its terms, in NumPy's formula
// too; its error is counted in units of the largest one (the logarithm of a ratio is up to 1).
bool g_unit_of_operands = false;

// A quotient may underflow on the way to an ordinary angle.
bool g_any_underflow = false;

template <class T>
double error_of(T got, long double want, T x, T y) {
    const double e = ulp_error(got, want);
    if (!g_unit_of_operands || e >= kWrong || !isfinite(want)) {
        return e;
    }
    const long double size = fmaxl(fmaxl(fabsl(want), 0.5L), fmaxl(fabsl(x), fabsl(y)));
    int exponent = 0;
    frexpl(size, &exponent);
    const long double unit = ldexpl(1, exponent - Limits<T>::kDigits);
    return static_cast<double>(fabsl(static_cast<long double>(got) - want) / unit);
}

struct Worst {
    double ulp = 0;
    double x = 0;
    double y = 0;
    double got = 0;
    int bad_flags = 0;
    double flag_x = 0;
    double flag_y = 0;
    int flags_got = 0;
    int flags_want = 0;
};

template <class T>
void note_ulp(Worst& w, T got, long double want, T x, T y) {
    const double e = error_of(got, want, x, y);
    if (e > w.ulp) {
        w.ulp = e;
        w.x = static_cast<double>(x);
        w.y = static_cast<double>(y);
        w.got = static_cast<double>(got);
    }
}

// Invalid, divide and overflow must agree; near the threshold of overflow the flag follows the
// result. Underflow may be raised for a tiny result, and by powers of an argument whose
// fifth power is subnormal.
template <class T>
bool is_tiny(T x, T limit) {
    return isless(fabs(x), limit) && x != 0;
}

template <class T>
void note_flags(Worst& w, int got, int want, T result, T expected, T x, T y) {
    int wrong = (got ^ want) & kSerious;
    if (isinf(result) != isinf(expected)) {
        wrong &= ~FE_OVERFLOW;
    }
    if (!g_any_underflow && (got & FE_UNDERFLOW) != 0 && (want & FE_UNDERFLOW) == 0 &&
        !is_tiny(result, 2 * Limits<T>::kMin) && !is_tiny(x, Limits<T>::kAlmostTiny) &&
        !is_tiny(y, Limits<T>::kAlmostTiny)) {
        wrong |= FE_UNDERFLOW;
    }
    if (wrong != 0) {
        if (w.bad_flags == 0) {
            w.flag_x = static_cast<double>(x);
            w.flag_y = static_cast<double>(y);
            w.flags_got = got;
            w.flags_want = want;
        }
        ++w.bad_flags;
    }
}

template <class T>
void report(const char* name, const Worst& w, double bound) {
    const bool bad = w.ulp > bound || w.bad_flags != 0;
    printf("%-12s %s %8.3f ulp (bound %4.2f) at x=%a y=%a got %a; %s\n", name, Limits<T>::kName,
           w.ulp, bound, w.x, w.y, w.got, w.bad_flags == 0 ? "flags clean" : "FLAGS WRONG");
    if (w.bad_flags != 0) {
        printf("    %d points with wrong flags, first x=%a y=%a: %x instead of %x\n", w.bad_flags,
               w.flag_x, w.flag_y, static_cast<unsigned>(w.flags_got),
               static_cast<unsigned>(w.flags_want));
    }
    if (bad) {
        printf("    FAILED\n");
        ++g_failures;
    }
}

}  // namespace
