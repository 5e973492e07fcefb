#pragma once

// Complex functions on planar batches (a batch of real parts, a batch of imaginary parts).
//
// Division and reciprocal follow NumPy operation by operation and are bit-identical. Elementary
// functions other than exp and log (complex_exp.hpp) call the C library lane by lane, as NumPy
// does, and use NumPy's own formulas where it has them (small integer powers, expm1, log1p): so
// they are bit-identical too where both use the same C library.

#include "simd/math/arc.hpp"
#include "simd/math/base.hpp"
#include "simd/math/roots.hpp"
#include "simd/math/round.hpp"

namespace hassium::HS_SIMD_NS::math::cplx {

template <class B>
struct Complex {
    B re;
    B im;
};

#define HS_CPLX        \
    template <class B> \
    [[gnu::always_inline]] inline

// ---- arithmetic ----

HS_CPLX Complex<B> add(Complex<B> a, Complex<B> b) { return {a.re + b.re, a.im + b.im}; }
HS_CPLX Complex<B> subtract(Complex<B> a, Complex<B> b) { return {a.re - b.re, a.im - b.im}; }
HS_CPLX Complex<B> negative(Complex<B> a) { return {math::negative(a.re), math::negative(a.im)}; }
HS_CPLX Complex<B> conjugate(Complex<B> a) { return {a.re, math::negative(a.im)}; }
HS_CPLX Complex<B> multiply(Complex<B> a, Complex<B> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
HS_CPLX Complex<B> square(Complex<B> a) {
    return {a.re * a.re - a.im * a.im, a.re * a.im + a.im * a.re};
}

// x * y + z rounded once on every level; lane by lane without FMA.
HS_CPLX B fused(B x, B y, B z) {
#if HS_FUSED
    return xsimd::fma(x, y, z);
#else
    using T = typename B::value_type;
    alignas(B) T lanes[3][B::size];
    x.store_aligned(lanes[0]);
    y.store_aligned(lanes[1]);
    z.store_aligned(lanes[2]);
    for (unsigned i = 0; i < B::size; ++i) {
        if constexpr (sizeof(T) == 8) {
            lanes[0][i] = ::fma(lanes[0][i], lanes[1][i], lanes[2][i]);
        } else {
            lanes[0][i] = ::fmaf(lanes[0][i], lanes[1][i], lanes[2][i]);
        }
    }
    return B::load_aligned(lanes[0]);
#endif
}

// Computes what NumPy's array loops compute on processors with FMA: the second product of each part
// is rounded and the first is not.
HS_CPLX Complex<B> multiply_as_numpy(Complex<B> a, Complex<B> b) {
    return {cplx::fused(a.re, b.re, math::negative(a.im * b.im)),
            cplx::fused(a.re, b.im, a.im * b.re)};
}
HS_CPLX Complex<B> square_as_numpy(Complex<B> a) { return cplx::multiply_as_numpy(a, a); }

// NumPy compares the parts of a divisor, which raises invalid for NaNs; the comparisons of batches
// are quiet, so that flags do not depend on the level.
template <class M>
[[gnu::always_inline]] inline void raise_where_not_compared(M nan) {
    if (xsimd::any(nan)) [[unlikely]]
        raise_invalid();
}

// Smith's method: divide by the larger part of the divisor first. Lanes in which both parts of the
// divisor are zero divide each part by zero.
HS_CPLX Complex<B> divide(Complex<B> a, Complex<B> b) {
    const B br_abs = absolute(b.re);
    const B bi_abs = absolute(b.im);
    const Mask<B> nan = is_nan(b.re) | is_nan(b.im);
    const Mask<B> by_im = quiet_less(br_abs, bi_abs) | nan;
    raise_where_not_compared(nan);
    const Mask<B> zero = (br_abs == B(0)) & (bi_abs == B(0));
    // An infinity times the ratio of zeros would be invalid.
    Complex<B> n = a;
    if (xsimd::any(zero)) [[unlikely]] {
        n = {select(zero, B(1), a.re), select(zero, B(1), a.im)};
    }
    const B large = select(by_im, b.im, b.re);
    const B small = select(by_im, b.re, b.im);
    const B ratio = small / select(zero, B(1), large);
    const B scale = B(1) / select(zero, B(1), large + small * ratio);
    // Divided by the real part: (ar + ai*ratio, ai - ar*ratio); by the imaginary part:
    // (ar*ratio + ai, ai*ratio - ar).
    const B first = select(by_im, n.im, n.re);
    const B other = select(by_im, n.re, n.im);
    const B re = (first + other * ratio) * scale;
    const B cross = select(by_im, n.im * ratio - n.re, n.im - n.re * ratio);
    const B im = cross * scale;
    if (xsimd::any(zero)) [[unlikely]] {
        const B safe = select(zero, br_abs, B(1));
        return {select(zero, a.re / safe, re), select(zero, a.im / safe, im)};
    }
    return {re, im};
}

HS_CPLX Complex<B> reciprocal(Complex<B> a) {
    const B re_abs = absolute(a.re);
    const B im_abs = absolute(a.im);
    const Mask<B> nan = is_nan(a.re) | is_nan(a.im);
    const Mask<B> by_im = quiet_less(re_abs, im_abs) | nan;
    raise_where_not_compared(nan);
    const B large = select(by_im, a.im, a.re);
    const B small = select(by_im, a.re, a.im);
    const B ratio = small / large;
    const B d = large + small * ratio;
    return {select(by_im, ratio, B(1)) / d, select(by_im, B(-1), math::negative(ratio)) / d};
}

HS_CPLX B absolute(Complex<B> a) { return math::hypot(a.re, a.im); }

// ---- the C library, lane by lane ----

template <class T>
struct ScalarOf;
template <>
struct ScalarOf<double> {
    using Type = __complex__ double;
};
template <>
struct ScalarOf<float> {
    using Type = __complex__ float;
};
template <class T>
using Scalar = typename ScalarOf<T>::Type;

template <class T>
[[gnu::always_inline]] inline Scalar<T> scalar(T re, T im) {
    Scalar<T> z;
    __real__ z = re;
    __imag__ z = im;
    return z;
}

template <class B>
[[gnu::noinline]] Complex<B> lanewise(Scalar<Lane<B>> (*f)(Scalar<Lane<B>>), B re, B im) {
    alignas(64) Lane<B> x[B::size];
    alignas(64) Lane<B> y[B::size];
    re.store_aligned(x);
    im.store_aligned(y);
    for (unsigned i = 0; i < B::size; ++i) {
        const Scalar<Lane<B>> z = f(scalar(x[i], y[i]));
        x[i] = __real__ z;
        y[i] = __imag__ z;
    }
    return {B::load_aligned(x), B::load_aligned(y)};
}

#define HS_CPLX_C(name, function)                      \
    HS_CPLX Complex<B> name(Complex<B> z) {            \
        return lanewise<B>(                            \
            [](Scalar<Lane<B>> x) -> Scalar<Lane<B>> { \
                if constexpr (kIsFloat<B>) {           \
                    return function##f(x);             \
                } else {                               \
                    return function(x);                \
                }                                      \
            },                                         \
            z.re, z.im);                               \
    }

HS_CPLX_C(sqrt, __builtin_csqrt)
HS_CPLX_C(sin, __builtin_csin)
HS_CPLX_C(cos, __builtin_ccos)
HS_CPLX_C(tan, __builtin_ctan)
HS_CPLX_C(sinh, __builtin_csinh)
HS_CPLX_C(cosh, __builtin_ccosh)
HS_CPLX_C(tanh, __builtin_ctanh)
HS_CPLX_C(arcsin, __builtin_casin)
HS_CPLX_C(arccos, __builtin_cacos)
HS_CPLX_C(arctan, __builtin_catan)
HS_CPLX_C(arcsinh, __builtin_casinh)
HS_CPLX_C(arccosh, __builtin_cacosh)
HS_CPLX_C(arctanh, __builtin_catanh)

#undef HS_CPLX_C

// NumPy's formulas, with the C library functions that NumPy calls: where they cancel, the error of
// another library would show.
[[gnu::always_inline]] inline Scalar<double> scalar_expm1(Scalar<double> z) {
    const double x = __real__ z;
    const double y = __imag__ z;
    const double half = ::sin(y / 2);
    const double re = ::expm1(x) * ::cos(y) - 2 * half * half;
    return scalar(re, ::exp(x) * ::sin(y));
}
[[gnu::always_inline]] inline Scalar<float> scalar_expm1(Scalar<float> z) {
    const float x = __real__ z;
    const float y = __imag__ z;
    const float half = ::sinf(y / 2);
    const float re = ::expm1f(x) * ::cosf(y) - 2 * half * half;
    return scalar(re, ::expf(x) * ::sinf(y));
}

[[gnu::always_inline]] inline Scalar<double> scalar_log1p(Scalar<double> z) {
    const double x = __real__ z + 1;
    const double y = __imag__ z;
    return scalar(::log(::hypot(x, y)), ::atan2(y, x));
}
[[gnu::always_inline]] inline Scalar<float> scalar_log1p(Scalar<float> z) {
    const float x = __real__ z + 1;
    const float y = __imag__ z;
    return scalar(::logf(::hypotf(x, y)), ::atan2f(y, x));
}

HS_CPLX Complex<B> expm1(Complex<B> z) {
    return lanewise<B>([](Scalar<Lane<B>> x) { return scalar_expm1(x); }, z.re, z.im);
}

HS_CPLX Complex<B> log1p(Complex<B> z) {
    return lanewise<B>([](Scalar<Lane<B>> x) { return scalar_log1p(x); }, z.re, z.im);
}

HS_CPLX Complex<B> rint(Complex<B> z) { return {math::rint(z.re), math::rint(z.im)}; }

// ---- powers ----

template <class T>
struct Value {
    T re;
    T im;
};

template <class T>
[[gnu::always_inline]] inline Value<T> times(Value<T> a, Value<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// 1 / a as NumPy's general division computes it.
template <class T>
[[gnu::always_inline]] inline Value<T> inverse(Value<T> a) {
    const T re_abs = __builtin_fabs(a.re);
    const T im_abs = __builtin_fabs(a.im);
    if (re_abs >= im_abs) {
        if (re_abs == 0 && im_abs == 0) {
            return {1 / re_abs, 0 / im_abs};
        }
        const T ratio = a.im / a.re;
        const T scale = 1 / (a.re + a.im * ratio);
        return {(1 + 0 * ratio) * scale, (0 - ratio) * scale};
    }
    const T ratio = a.re / a.im;
    const T scale = 1 / (a.im + a.re * ratio);
    return {(ratio + 0) * scale, (0 * ratio - 1) * scale};
}

// a^n for n > 0, in NumPy's order; T is a number or a register.
template <class T>
[[gnu::always_inline]] inline Value<T> repeated(Value<T> a, int n) {
    Value<T> r{T(1), T(0)};
    for (int bit = 1;; a = times(a, a)) {
        if ((n & bit) != 0) {
            r = times(r, a);
        }
        bit <<= 1;
        if (n < bit) {
            return r;
        }
    }
}

template <class T>
[[gnu::always_inline]] inline Value<T> whole_power(Value<T> a, int n) {
    switch (n) {
        case 1:
            return a;
        case 2:
            return times(a, a);
        case 3:
            return times(a, times(a, a));
        default:
            return repeated(a, n);
    }
}

// Exponents from here on use the C library.
inline constexpr int kWholePowers = 100;

template <class T>
[[gnu::always_inline]] inline bool is_whole_power(T exponent) {
    return exponent > -kWholePowers && exponent < kWholePowers &&
           static_cast<T>(static_cast<int>(exponent)) == exponent;
}

// NumPy's rules: a^0 = 1; 0^b is 0 for a positive real part of b and NaN (invalid) otherwise;
// integer exponents below 100 in magnitude by repeated multiplication; the C library for the rest.
template <class T>
[[gnu::always_inline]] inline Value<T> scalar_power(Value<T> a, Value<T> b) {
    if (b.re == 0 && b.im == 0) {
        return {1, 0};
    }
    if (a.re == 0 && a.im == 0) {
        if (b.re > 0) {
            return {0, 0};
        }
        raise_invalid();
        return {FloatTraits<T>::kNan, FloatTraits<T>::kNan};
    }
    if (b.im == 0 && is_whole_power(b.re)) {
        const int n = static_cast<int>(b.re);
        return n < 0 ? inverse(repeated(a, -n)) : whole_power(a, n);
    }
    Scalar<T> z;
    if constexpr (kSame<T, float>) {
        z = __builtin_cpowf(scalar(a.re, a.im), scalar(b.re, b.im));
    } else {
        z = __builtin_cpow(scalar(a.re, a.im), scalar(b.re, b.im));
    }
    return {__real__ z, __imag__ z};
}

template <class B>
[[gnu::noinline]] Complex<B> power(Complex<B> a, Complex<B> b) {
    alignas(64) Lane<B> part[4][B::size];
    a.re.store_aligned(part[0]);
    a.im.store_aligned(part[1]);
    b.re.store_aligned(part[2]);
    b.im.store_aligned(part[3]);
    // One integer exponent for all lanes, as in z**3.
    const Lane<B> n = part[2][0];
    if (n > 0 && is_whole_power(n) && xsimd::all((b.re == B(n)) & (b.im == B(0)))) {
        const Value<B> r = whole_power<B>({a.re, a.im}, static_cast<int>(n));
        const Mask<B> zero = (a.re == B(0)) & (a.im == B(0));
        return {select(zero, B(0), r.re), select(zero, B(0), r.im)};
    }
    for (unsigned i = 0; i < B::size; ++i) {
        const Value<Lane<B>> r =
            scalar_power<Lane<B>>({part[0][i], part[1][i]}, {part[2][i], part[3][i]});
        part[0][i] = r.re;
        part[1][i] = r.im;
    }
    return {B::load_aligned(part[0]), B::load_aligned(part[1])};
}

// Returns |z| rounded as the C library does: a quotient by it would show another rounding.
HS_CPLX B library_length(Complex<B> z) {
    if constexpr (kIsFloat<B>) {
        // A double holds the squares exactly, and their sum but for the last digit.
        const auto x = to_double(z.re), y = to_double(z.im);
        const B size =
            to_float<typename B::arch_type>({xsimd::sqrt(x.low * x.low + y.low * y.low),
                                             xsimd::sqrt(x.high * x.high + y.high * y.high)});
        return select(is_inf(z.re) | is_inf(z.im), B(Traits<B>::kInf), size);
    } else {
        const Binary length = ::hypot;
        return math::lanewise(length, z.re, z.im, z.re, kAllLanes<B>);
    }
}

// z / |z|, zero for zero. Where |z| is infinite NumPy gives the unit of the infinite part, or of
// the imaginary part if |z| overflowed; NaN where both are infinite.
HS_CPLX Complex<B> sign(Complex<B> z) {
    const B size = library_length(z);
    const Mask<B> regular = is_finite(size) & (size != B(0));
    const B safe = select(regular, size, B(1));
    const B re = select(regular, z.re / safe, B(0));
    const B im = select(regular, z.im / safe, B(0));
    if (xsimd::all(regular)) [[likely]] {
        return {re, im};
    }
    const Mask<B> inf = is_inf(size);
    const Mask<B> nan = is_nan(size) | (is_inf(z.re) & is_inf(z.im));
    const Mask<B> unit_re = inf & is_inf(z.re);
    const Mask<B> unit_im = inf & ~is_inf(z.re);
    const B none(Traits<B>::kNan);
    return {select(nan, none, select(unit_re, with_sign(B(1), z.re), re)),
            select(nan, none, select(unit_im, with_sign(B(1), z.im), im))};
}

#undef HS_CPLX

}  // namespace hassium::HS_SIMD_NS::math::cplx
