// Accuracy of the real functions of src/simd/math, one program per instruction set.
//
// Every function is compared with the C library in long double: on samples over the whole range of
// exponents, around 0, around +-1, near multiples of pi/2 and near the thresholds of overflow; on
// special values, whose class and sign must agree; and by its floating-point flags, which must be
// those of the C function. Prints the largest error seen and fails above the bound of a row.
//
// Usage: test_math_ulp [points per range] [name]

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simd/math/math.hpp"
#include "support/math_errors.hpp"
#include "support/math_references.hpp"

namespace {

namespace math = hassium::HS_SIMD_NS::math;

#ifdef HS_SIMD_ARCH
using Arch = HS_SIMD_ARCH;
#else
using Arch = xsimd::default_arch;
#endif

const char* g_only = nullptr;

template <class T>
using Map1 = void (*)(const T*, T*, size_t);
template <class T>
using Map2 = void (*)(const T*, const T*, T*, size_t);

// One value in all lanes, so that its flags are its own.
template <class T, class Map, class... X>
T run_one(Map map, int* flags, X... x) {
    constexpr size_t kLanes = xsimd::batch<T, Arch>::size;
    T in[2][kLanes];
    T out[kLanes];
    const T args[] = {x...};
    for (size_t i = 0; i < kLanes; ++i) {
        in[0][i] = args[0];
        in[1][i] = args[sizeof...(x) - 1];
    }
    feclearexcept(FE_ALL_EXCEPT);
    if constexpr (sizeof...(x) == 1) {
        map(in[0], out, kLanes);
    } else {
        map(in[0], in[1], out, kLanes);
    }
    *flags = fetestexcept(FE_ALL_EXCEPT);
    return out[0];
}

bool wanted(const char* name) { return g_only == nullptr || strcmp(g_only, name) == 0; }

template <class T>
void check1(const char* name, Map1<T> map, long double (*exact)(long double), T (*plain)(T),
            double bound) {
    if (!wanted(name)) {
        return;
    }
    Worst w;
    const std::vector<T> special = special_values<T>();
    std::vector<T> x = samples<T>();
    for (size_t i = 0; i < x.size(); i += 97) {  // special lanes among ordinary ones
        x[i] = special[i % special.size()];
    }
    x.resize(x.size() & ~size_t{63});
    std::vector<T> y(x.size());
    map(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        note_ulp(w, y[i], exact(static_cast<long double>(x[i])), x[i], T(0));
    }
    const size_t step = x.size() > 40000 ? x.size() / 40000 : 1;
    std::vector<T> single(special);
    for (size_t i = 0; i < x.size(); i += step) {
        single.push_back(x[i]);
    }
    for (const T v : single) {
        int got = 0;
        const T r = run_one<T>(map, &got, v);
        volatile T hidden = v;
        feclearexcept(FE_ALL_EXCEPT);
        volatile T expected = plain(hidden);
        const int want = fetestexcept(FE_ALL_EXCEPT);
        note_flags<T>(w, got, want, r, expected, v, T(0));
        note_ulp(w, r, exact(static_cast<long double>(v)), v, T(0));
    }
    report<T>(name, w, bound);
}

template <class T>
void check2(const char* name, Map2<T> map, long double (*exact)(long double, long double),
            T (*plain)(T, T), void (*shape)(double&, double&), double bound) {
    if (!wanted(name)) {
        return;
    }
    Worst w;
    const std::vector<T> special = special_values<T>();
    std::vector<T> a = samples<T>();
    a.resize(a.size() & ~size_t{63});
    std::vector<T> b = a;
    for (size_t i = b.size() - 1; i > 0; --i) {
        const size_t j = next_random() % (i + 1);
        const T t = b[i];
        b[i] = b[j];
        b[j] = t;
    }
    for (size_t i = 0; i < a.size(); ++i) {
        double x = static_cast<double>(a[i]);
        double y = static_cast<double>(b[i]);
        shape(x, y);
        a[i] = static_cast<T>(x);
        b[i] = static_cast<T>(y);
        if (i % 97 == 0) {
            b[i] = special[i % special.size()];
        }
    }
    std::vector<T> r(a.size());
    map(a.data(), b.data(), r.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) {
        note_ulp(w, r[i], exact(static_cast<long double>(a[i]), static_cast<long double>(b[i])),
                 a[i], b[i]);
    }
    const auto single = [&](T x, T y) {
        int got = 0;
        const T result = run_one<T>(map, &got, x, y);
        volatile T hidden = x;
        feclearexcept(FE_ALL_EXCEPT);
        volatile T expected = plain(hidden, y);
        const int want = fetestexcept(FE_ALL_EXCEPT);
        note_flags<T>(w, got, want, result, expected, x, y);
        note_ulp(w, result, exact(static_cast<long double>(x), static_cast<long double>(y)), x, y);
    };
    for (const T x : special) {
        for (const T y : special) {
            single(x, y);
        }
    }
    const size_t step = a.size() > 20000 ? a.size() / 20000 : 1;
    for (size_t i = 0; i < a.size(); i += step) {
        single(a[i], b[i]);
    }
    report<T>(name, w, bound);
}

#define ROW1(name, c, bound64, bound32)                                  \
    check1<double>(#name, &map1<double, Op_##name>, &c##l, &c, bound64); \
    check1<float>(#name, &map1<float, Op_##name>, &c##l, &c##f, bound32);

#define ROW2(name, c, shape, bound64, bound32)                                  \
    check2<double>(#name, &map2<double, Op_##name>, &c##l, &c, shape, bound64); \
    check2<float>(#name, &map2<float, Op_##name>, &c##l, &c##f, shape, bound32);

template <class T, class Op>
[[gnu::noinline]] void map1(const T* x, T* y, size_t n) {
    using B = xsimd::batch<T, Arch>;
    for (size_t i = 0; i < n; i += B::size) {
        Op::f(B::load_unaligned(x + i)).store_unaligned(y + i);
    }
}

template <class T, class Op>
[[gnu::noinline]] void map2(const T* a, const T* b, T* y, size_t n) {
    using B = xsimd::batch<T, Arch>;
    for (size_t i = 0; i < n; i += B::size) {
        Op::f(B::load_unaligned(a + i), B::load_unaligned(b + i)).store_unaligned(y + i);
    }
}

#define OP1(name)                 \
    struct Op_##name {            \
        template <class B>        \
        static B f(B x) {         \
            return math::name(x); \
        }                         \
    };
#define OP2(name)                    \
    struct Op_##name {               \
        template <class B>           \
        static B f(B x, B y) {       \
            return math::name(x, y); \
        }                            \
    };

// clang-format off
// Its way with these lines is another on every run.
OP1(exp) OP1(exp2) OP1(expm1) OP1(log) OP1(log2) OP1(log10) OP1(log1p) OP1(sin) OP1(cos) OP1(tan)
OP1(arcsin) OP1(arccos) OP1(arctan) OP1(sinh) OP1(cosh) OP1(tanh) OP1(arcsinh) OP1(arccosh)
OP1(arctanh) OP1(cbrt) OP1(sqrt) OP1(rint) OP1(floor) OP1(ceil) OP1(trunc) OP1(absolute) OP1(fabs)
OP1(reciprocal) OP1(square) OP1(sign) OP1(negative) OP2(power) OP2(arctan2)
OP2(hypot) OP2(logaddexp) OP2(logaddexp2) OP2(nextafter) OP2(copysign) OP2(maximum) OP2(minimum)
OP2(fmax) OP2(fmin) OP2(heaviside)
// clang-format on

// Parts of complex functions, each a function of two.
#define COMPLEX_PART_OF(name, function, chosen, T) \
    T name(T x, T y) {                             \
        __complex__ T z;                           \
        __real__ z = x;                            \
        __imag__ z = y;                            \
        return chosen function(z);                 \
    }
#define COMPLEX_PART(name, function, part, chosen)                                           \
    struct Op_##name {                                                                       \
        template <class B>                                                                   \
        static B f(B x, B y) {                                                               \
            const auto z = math::cplx::function(math::cplx::Complex<B>{x, y});               \
            asm volatile("" : : "x"(z.re.data), "x"(z.im.data)); /* for the flags of both */ \
            return z.part;                                                                   \
        }                                                                                    \
    };                                                                                       \
    COMPLEX_PART_OF(name##l, __builtin_c##function##l, chosen, long double)                  \
    COMPLEX_PART_OF(name, __builtin_c##function, chosen, double)                             \
    COMPLEX_PART_OF(name##f, __builtin_c##function##f, chosen, float)

                        COMPLEX_PART(exp_re, exp, re, __real__)
                            COMPLEX_PART(exp_im, exp, im, __imag__)
                                COMPLEX_PART(log_re, log, re, __real__)
                                    COMPLEX_PART(log_im, log, im, __imag__)

    // Half with a result in range.
    void exp_pair(double& x, double& y) {
    if (next_random() % 2 != 0) {
        x = uniform(-720, 720) / (next_random() % 8 != 0 ? 8 : 1);
        y = uniform(-30, 30);
    }
}

// A quarter as long as 1, or nearly, a quarter in the direction of an axis, or nearly.
void turned_pair(double& x, double& y) {
    const double angle = uniform(-3.2, 3.2);
    switch (next_random() % 4) {
        case 0:
            x = cos(angle);
            y = sin(angle) * (next_random() % 2 != 0 ? 1 : 1 + uniform(-1e-9, 1e-9));
            break;
        case 1:
            y = x * exp2(uniform(-60, 60));
            break;
        case 2:
            x = uniform(0.5, 1.5);
            y = exp2(uniform(-60, 0));
            break;
        default:
            break;
    }
}

void any_pair(double&, double&) {}

// Half of the pairs with a result in range, a quarter with small integer exponents.
void power_pair(double& x, double& y) {
    switch (next_random() % 4) {
        case 0:
            break;
        case 1:
            x = exp2(uniform(-60, 60)) * (next_random() % 2 != 0 ? 1 : -1);
            y = nearbyint(uniform(-20, 20));
            break;
        case 2:
            x = exp2(uniform(-4, 4));
            y = uniform(-140, 140) / fmax(fabs(log2(x)), 1e-3);
            break;
        default:
            x = exp2(uniform(-1000, 1000));
            y = uniform(-1075, 1025) / log2(x);
            break;
    }
}

// Operands of similar size.
void close_pair(double& x, double& y) {
    if (next_random() % 2 != 0) {
        y = x * exp2(uniform(-3, 3));
    }
}

void log_pair(double& x, double& y) {
    if (next_random() % 4 != 0) {
        y = x + uniform(-40, 40);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) {
        g_points = atol(argv[1]);
    }
    if (argc > 2) {
        g_only = argv[2];
    }
    ROW1(exp, exp, 1.2, 1.3)
    ROW1(exp2, exp2, 1.2, 1.2)
    ROW1(expm1, expm1, 1.3, 1.5)
    ROW1(log, log, 1.0, 1.0)
    ROW1(log2, log2, 1.0, 1.0)
    ROW1(log10, log10, 1.0, 1.0)
    ROW1(log1p, log1p, 1.0, 1.2)
    ROW1(sin, sin, 1.0, 0.6)
    ROW1(cos, cos, 1.0, 0.6)
    ROW1(tan, tan, 1.0, 0.6)
    ROW1(arcsin, asin, 1.0, 1.0)
    ROW1(arccos, acos, 1.0, 1.0)
    ROW1(arctan, atan, 1.0, 1.0)
    ROW1(sinh, sinh, 1.6, 1.2)
    ROW1(cosh, cosh, 1.6, 1.5)
    ROW1(tanh, tanh, 1.6, 1.8)
    ROW1(arcsinh, asinh, 1.4, 1.4)
    ROW1(arccosh, acosh, 1.2, 1.3)
    ROW1(arctanh, atanh, 1.3, 1.4)
    ROW1(cbrt, cbrt, 0.6, 0.6)
    ROW1(sqrt, sqrt, 0.5, 0.5)
    ROW1(rint, rint, 0, 0)
    ROW1(floor, floor, 0, 0)
    ROW1(ceil, ceil, 0, 0)
    ROW1(trunc, trunc, 0, 0)
    ROW1(absolute, fabs, 0, 0)
    ROW1(fabs, fabs, 0, 0)
    ROW1(reciprocal, ref_reciprocal, 0.5, 0.5)
    ROW1(square, ref_square, 0.5, 0.5)
    ROW1(negative, ref_negative, 0, 0)
    ROW1(sign, ref_sign, 0, 0)
    ROW2(power, pow, power_pair, 1.0, 0.6)
    g_any_underflow = true;
    ROW2(arctan2, atan2, close_pair, 1.6, 1.6)
    g_any_underflow = false;
    ROW2(hypot, hypot, close_pair, 1.3, 0.6)
    ROW2(exp_re, exp_re, exp_pair, 2.0, 0.6)
    ROW2(exp_im, exp_im, exp_pair, 2.0, 0.6)
    g_any_underflow = true;
    ROW2(log_re, log_re, turned_pair, 1.5, 0.6)
    ROW2(log_im, log_im, turned_pair, 1.6, 1.6)
    g_any_underflow = false;
    g_unit_of_operands = true;
    ROW2(logaddexp, ref_logaddexp, log_pair, 2.0, 1.0)
    ROW2(logaddexp2, ref_logaddexp2, log_pair, 2.0, 1.0)
    g_unit_of_operands = false;
    check2<double>("nextafter", &map2<double, Op_nextafter>, &ref_nextafter64, &nextafter,
                   close_pair, 0);
    check2<float>("nextafter", &map2<float, Op_nextafter>, &ref_nextafter32, &nextafterf,
                  close_pair, 0);
    ROW2(copysign, copysign, any_pair, 0, 0)
    ROW2(maximum, ref_maximum, close_pair, 0, 0)
    ROW2(minimum, ref_minimum, close_pair, 0, 0)
    ROW2(fmax, ref_fmax, close_pair, 0, 0)
    ROW2(fmin, ref_fmin, close_pair, 0, 0)
    ROW2(heaviside, ref_heaviside, any_pair, 0, 0)
    if (g_failures != 0) {
        printf("%d rows failed\n", g_failures);
    }
    return g_failures == 0 ? 0 : 1;
}
