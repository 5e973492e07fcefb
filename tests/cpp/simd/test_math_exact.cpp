// Functions of src/simd/math whose results are exact: representation, scaling, complex arithmetic.
// Every result must equal, bit for bit, what plain scalar code computes; one program per
// instruction set.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <vector>

#include "simd/math/math.hpp"
#include "support/math_random.hpp"

namespace {

namespace math = hassium::HS_SIMD_NS::math;
namespace cplx = math::cplx;

#ifdef HS_SIMD_ARCH
using Arch = HS_SIMD_ARCH;
#else
using Arch = xsimd::default_arch;
#endif

int g_failures = 0;

template <class T>
std::vector<T> values() {
    std::vector<T> v{0,        T(-0.0),   1,           -1,           T(0.5),  T(1.5),   2,
                     3,        T(1e-320), T(1e300),    T(-1e300),    T(1e30), T(-1e30), T(0.1),
                     T(1e-42), T(-7),     T(INFINITY), T(-INFINITY), T(NAN)};
    while (v.size() % 64 != 32) {
        v.push_back(static_cast<T>(static_cast<int64_t>(next_random() % 41) - 20) / 2);
    }
    while (v.size() < 8192) {
        const uint64_t r = next_random();
        T x;
        memcpy(&x, &r, sizeof x);
        // Payloads of nans are not compared, and a signalling one may turn into a quiet one.
        v.push_back(isnan(x) ? T(NAN) : x);
    }
    return v;
}

template <class T>
bool same(T a, T b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

// A product rounded however this program is compiled: a unit's flags must not merge it either.
template <class T>
T rounded(T x) {
    volatile T y = x;
    return y;
}

template <class T>
void expect(const char* name, T got, T want, T x, T y) {
    if (!same(got, want)) {
        if (g_failures < 40) {
            printf("%s(%a, %a): %a instead of %a\n", name, static_cast<double>(x),
                   static_cast<double>(y), static_cast<double>(got), static_cast<double>(want));
        }
        ++g_failures;
    }
}

template <class T>
void check_real() {
    using B = xsimd::batch<T, Arch>;
    using I = math::IntBatch<B>;
    using Int = typename math::Traits<B>::Int;
    const std::vector<T> x = values<T>();
    T a[B::size];
    T b[B::size];
    Int e[B::size];
    for (size_t i = 0; i + B::size <= x.size(); i += B::size) {
        const B v = B::load_unaligned(&x[i]);
        const math::Pair<B> parts = math::modf(v);
        parts.hi.store_unaligned(a);
        parts.lo.store_unaligned(b);
        for (size_t j = 0; j < B::size; ++j) {
            double whole = 0;
            const double fraction = modf(static_cast<double>(x[i + j]), &whole);
            expect("modf fraction", a[j], static_cast<T>(fraction), x[i + j], T(0));
            expect("modf whole", b[j], static_cast<T>(whole), x[i + j], T(0));
        }
        const math::Split<B> split = math::frexp(v);
        split.mantissa.store_unaligned(a);
        split.exponent.store_unaligned(e);
        for (size_t j = 0; j < B::size; ++j) {
            int exponent = 0;
            const double mantissa = frexp(static_cast<double>(x[i + j]), &exponent);
            expect("frexp mantissa", a[j], static_cast<T>(mantissa), x[i + j], T(0));
            const bool finite = isfinite(x[i + j]);
            expect("frexp exponent", static_cast<T>(e[j]), static_cast<T>(finite ? exponent : 0),
                   x[i + j], T(0));
        }
        for (size_t j = 0; j < B::size; ++j) {
            e[j] = static_cast<Int>(next_random() % 4400) - 2200;
            e[j] = j % 7 == 0 ? static_cast<Int>(INT32_MIN) : j % 5 == 0 ? e[j] / 20 : e[j];
        }
        math::ldexp(v, I::load_unaligned(e)).store_unaligned(a);
        for (size_t j = 0; j < B::size; ++j) {
            const int n = static_cast<int>(e[j]);
            const T want = sizeof(T) == 8 ? static_cast<T>(ldexp(static_cast<double>(x[i + j]), n))
                                          : static_cast<T>(ldexpf(static_cast<float>(x[i + j]), n));
            expect("ldexp", a[j], want, x[i + j], static_cast<T>(e[j]));
        }
        math::deg2rad(v).store_unaligned(a);
        math::rad2deg(v).store_unaligned(b);
        constexpr T kPi = static_cast<T>(3.14159265358979323846L);
        for (size_t j = 0; j < B::size; ++j) {
            expect("deg2rad", a[j], x[i + j] * (kPi / T(180)), x[i + j], T(0));
            expect("rad2deg", b[j], x[i + j] * (T(180) / kPi), x[i + j], T(0));
        }
    }
}

template <class T>
struct Number {
    T re;
    T im;
};

template <class T>
Number<T> multiply(Number<T> a, Number<T> b) {
    return {rounded(a.re * b.re) - rounded(a.im * b.im),
            rounded(a.re * b.im) + rounded(a.im * b.re)};
}

// Smith's method in the order of NumPy's loop.
template <class T>
Number<T> divide(Number<T> a, Number<T> b) {
    const T re = fabs(b.re);
    const T im = fabs(b.im);
    if (isgreaterequal(re, im)) {
        if (re == 0 && im == 0) {
            return {a.re / re, a.im / re};
        }
        const T ratio = b.im / b.re;
        const T scale = 1 / (b.re + rounded(b.im * ratio));
        return {rounded(a.re + rounded(a.im * ratio)) * scale,
                rounded(a.im - rounded(a.re * ratio)) * scale};
    }
    const T ratio = b.re / b.im;
    const T scale = 1 / (b.im + rounded(b.re * ratio));
    return {rounded(rounded(a.re * ratio) + a.im) * scale,
            rounded(rounded(a.im * ratio) - a.re) * scale};
}

template <class T>
Number<T> fused_multiply(Number<T> a, Number<T> b) {
    if constexpr (sizeof(T) == 8) {
        return {fma(a.re, b.re, -rounded(a.im * b.im)), fma(a.re, b.im, rounded(a.im * b.re))};
    } else {
        return {fmaf(a.re, b.re, -rounded(a.im * b.im)), fmaf(a.re, b.im, rounded(a.im * b.re))};
    }
}

template <class T, class Vector, class Plain>
void check_binary(const char* name, Vector vector, Plain plain) {
    using B = xsimd::batch<T, Arch>;
    const std::vector<T> x = values<T>();
    const size_t n = x.size();
    for (size_t i = 0; i < n; ++i) {
        T part[4][B::size];
        T re[B::size];
        T im[B::size];
        for (size_t j = 0; j < B::size; ++j) {
            for (auto& p : part) {
                // Half of the operands from the short list, whose pairs meet often.
                const uint64_t r = next_random();
                p[j] = x[r % 2 != 0 ? (r >> 8) % n : (r >> 8) % 32];
            }
        }
        const cplx::Complex<B> result =
            vector(cplx::Complex<B>{B::load_unaligned(part[0]), B::load_unaligned(part[1])},
                   cplx::Complex<B>{B::load_unaligned(part[2]), B::load_unaligned(part[3])});
        result.re.store_unaligned(re);
        result.im.store_unaligned(im);
        for (size_t j = 0; j < B::size; ++j) {
            const Number<T> want =
                plain(Number<T>{part[0][j], part[1][j]}, Number<T>{part[2][j], part[3][j]});
            expect(name, re[j], want.re, part[0][j], part[2][j]);
            expect(name, im[j], want.im, part[1][j], part[3][j]);
        }
    }
}

template <class T>
void check_complex() {
    check_binary<T>("multiply", [](auto a, auto b) { return cplx::multiply(a, b); }, multiply<T>);
    check_binary<T>(
        "multiply_as_numpy", [](auto a, auto b) { return cplx::multiply_as_numpy(a, b); },
        fused_multiply<T>);
    check_binary<T>(
        "square", [](auto a, auto) { return cplx::square(a); },
        [](Number<T> a, Number<T>) { return multiply(a, a); });
    check_binary<T>("divide", [](auto a, auto b) { return cplx::divide(a, b); }, divide<T>);
    check_binary<T>(
        "cube",
        [](auto a, auto) {
            using B = decltype(a.re);
            return cplx::power(a, cplx::Complex<B>{B(3), B(0)});
        },
        [](Number<T> a, Number<T>) {
            return a.re == 0 && a.im == 0 ? Number<T>{0, 0} : multiply(a, multiply(a, a));
        });
    check_binary<T>(
        "power 0",
        [](auto a, auto) {
            using B = decltype(a.re);
            return cplx::power(a, cplx::Complex<B>{B(0), B(0)});
        },
        [](Number<T>, Number<T>) { return Number<T>{1, 0}; });
    check_binary<T>(
        "conjugate", [](auto a, auto) { return cplx::conjugate(a); },
        [](Number<T> a, Number<T>) { return Number<T>{a.re, -a.im}; });
}

}  // namespace

int main() {
    check_real<double>();
    check_real<float>();
    check_complex<double>();
    check_complex<float>();
    printf("%d results differ\n", g_failures);
    return g_failures == 0 ? 0 : 1;
}
