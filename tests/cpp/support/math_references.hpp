// References for functions that the C library lacks, named as it names: for double, for float with
// an f and for long double with an l. Flags are NumPy's, which compares with operators that are
// invalid of what is not a number in some functions and not in others.
#pragma once

#include <math.h>

namespace {

#define OWN1(name, T, suffix, expression) \
    T name##suffix(T x) { return expression; }
#define OWN2(name, T, suffix, expression) \
    T name##suffix(T x, T y) { return expression; }
#define OWN1_ALL(name, expression)   \
    OWN1(name, double, , expression) \
    OWN1(name, float, f, expression) \
    OWN1(name, long double, l, expression)
#define OWN2_ALL(name, expression)   \
    OWN2(name, double, , expression) \
    OWN2(name, float, f, expression) \
    OWN2(name, long double, l, expression)

// clang-format off
OWN1_ALL(ref_reciprocal, 1 / x)
OWN1_ALL(ref_square, x * x)
OWN1_ALL(ref_negative, -x)
OWN1_ALL(ref_sign, isnan(x) ? x : x == 0 ? 0 : isgreater(x, 0) ? 1 : -1)
OWN2_ALL(ref_maximum, isgreater(x, y) || isnan(x) ? x : y)
OWN2_ALL(ref_minimum, isless(x, y) || isnan(x) ? x : y)
OWN2_ALL(ref_fmax, isgreater(x, y) || isnan(y) ? x : y)
OWN2_ALL(ref_fmin, isless(x, y) || isnan(y) ? x : y)
OWN2_ALL(ref_heaviside, isnan(x) ? x : x == 0 ? y : isgreater(x, 0) ? 1 : 0)
// clang-format on

// x + log(1 + e^(y-x)) with the larger one first; the difference is compared.
long double ref_logaddexpl(long double x, long double y) {
    if (x == y) {
        return x + 0.693147180559945309417232121458176568L;
    }
    const long double high = fmaxl(x, y);
    return isnan(x - y) ? x + y : high + log1pl(expl(fminl(x, y) - high));
}
double ref_logaddexp(double x, double y) {
    const double d = x - y;
    return x == y   ? x + 0.6931471805599453
           : d > 0  ? x + log1p(exp(-d))
           : d <= 0 ? y + log1p(exp(d))
                    : d;
}
float ref_logaddexpf(float x, float y) {
    return static_cast<float>(ref_logaddexp(static_cast<double>(x), static_cast<double>(y)));
}
long double ref_logaddexp2l(long double x, long double y) {
    if (x == y) {
        return x + 1;
    }
    const long double high = fmaxl(x, y);
    return isnan(x - y) ? x + y
                        : high + log1pl(exp2l(fminl(x, y) - high)) * 1.44269504088896340735992L;
}
double ref_logaddexp2(double x, double y) {
    const double d = x - y;
    return x == y   ? x + 1
           : d > 0  ? x + 1.4426950408889634 * log1p(exp2(-d))
           : d <= 0 ? y + 1.4426950408889634 * log1p(exp2(d))
                    : d;
}
float ref_logaddexp2f(float x, float y) {
    return static_cast<float>(ref_logaddexp2(static_cast<double>(x), static_cast<double>(y)));
}

// The neighbour depends on the type, so the reference is exact only in the type tested.
long double ref_nextafter64(long double x, long double y) {
    return nextafter(static_cast<double>(x), static_cast<double>(y));
}
long double ref_nextafter32(long double x, long double y) {
    return nextafterf(static_cast<float>(x), static_cast<float>(y));
}

}  // namespace
