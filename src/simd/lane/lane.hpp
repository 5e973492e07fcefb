// Functions of lane expressions for registers of integers and floats.
#pragma once

#include "simd/lane/lane_types.hpp"
#include "simd/math/math.hpp"

namespace hassium::HS_SIMD_NS::lane {

#define HS_LANE        \
    template <class T> \
    HS_INLINE

// N registers that a function processes together, as those of math/guarded.hpp do.
template <class T, int N>
using Together = math::Together<Vec<T>, N>;

// ---- functions of floats alone ----
#define HS_LANE_1(name)                                     \
    HS_LANE Vec<T> name(Vec<T> a) { return math::name(a); } \
    template <class T, int N>                               \
    HS_INLINE Together<T, N> name(Together<T, N> a) {       \
        return math::name(a);                               \
    }
#define HS_LANE_2(name)                                                                            \
    HS_LANE Vec<T> name(Vec<T> a, Vec<T> b) { return math::name(a, b); }                           \
    template <class T, int N>                                                                      \
    HS_INLINE Together<T, N> name(Together<T, N> a, Together<T, N> b) {                            \
        return math::in_turn(a, b, [](Vec<T> x, Vec<T> y) HS_LAMBDA { return math::name(x, y); }); \
    }

// Functions with their own implementation for registers processed together.
#define HS_LANE_2_TOGETHER(name)                                         \
    HS_LANE Vec<T> name(Vec<T> a, Vec<T> b) { return math::name(a, b); } \
    template <class T, int N>                                            \
    HS_INLINE Together<T, N> name(Together<T, N> a, Together<T, N> b) {  \
        return math::name(a, b);                                         \
    }

HS_LANE_1(arccos)
HS_LANE_1(arccosh)
HS_LANE_1(arcsin)
HS_LANE_1(arcsinh)
HS_LANE_1(arctan)
HS_LANE_1(arctanh)
HS_LANE_1(cbrt)
HS_LANE_1(cos)
HS_LANE_1(cosh)
HS_LANE_1(deg2rad)
HS_LANE_1(degrees)
HS_LANE_1(exp)
HS_LANE_1(exp2)
HS_LANE_1(expm1)
HS_LANE_1(fabs)
HS_LANE_1(log)
HS_LANE_1(log10)
HS_LANE_1(log1p)
HS_LANE_1(log2)
HS_LANE_1(rad2deg)
HS_LANE_1(radians)
HS_LANE_1(rint)
HS_LANE_1(sin)
HS_LANE_1(sinh)
HS_LANE_1(sqrt)
HS_LANE_1(tan)
HS_LANE_1(tanh)
HS_LANE_2(arctan2)
HS_LANE_2(copysign)
HS_LANE_2(heaviside)
HS_LANE_2(hypot)
HS_LANE_2(logaddexp)
HS_LANE_2(logaddexp2)
HS_LANE_2_TOGETHER(power)
HS_LANE_2_TOGETHER(float_power)

#undef HS_LANE_1
#undef HS_LANE_2
#undef HS_LANE_2_TOGETHER

HS_LANE Pair<Vec<T>, Vec<T>> modf(Vec<T> a) {
    const math::Pair<Vec<T>> r = math::modf(a);
    return {r.hi, r.lo};
}

// ---- arithmetic of integers and floats ----

HS_LANE Vec<T> positive(Vec<T> a) { return a; }
HS_LANE Vec<T> absolute(Vec<T> a) {
    if constexpr (kIsReal<T>) {
        return math::absolute(a);
    } else if constexpr (kIsSigned<T> && sizeof(T) == 8 &&
                         (HS_SIMD_LEVEL == 2 || HS_SIMD_LEVEL == 3)) {
        // Below AVX-512, xsimd's abs works on halves of registers.
        const Vec<T> below((Vec<T>(T(0)) > a).data);
        return (a ^ below) - below;
    } else if constexpr (kIsSigned<T>) {
        return xsimd::abs(a);
    } else {
        return a;
    }
}
HS_LANE Vec<T> square(Vec<T> a) { return a * a; }
HS_LANE Vec<T> conjugate(Vec<T> a) { return a; }
HS_LANE Vec<T> sign(Vec<T> a) {
    if constexpr (kIsReal<T>) {
        return math::sign(a);
    } else {
        const Vec<T> zero(T(0));
        Vec<T> r = xsimd::select(a > zero, Vec<T>(T(1)), zero);
        if constexpr (kIsSigned<T>) r = xsimd::select(a < zero, Vec<T>(T(-1)), r);
        return r;
    }
}

// ---- a math function for floats, an expression for integers ----

#define HS_LANE_REAL(Result, name, integer) \
    HS_LANE Result name(Vec<T> a) {         \
        if constexpr (kIsReal<T>) {         \
            return math::name(a);           \
        } else {                            \
            return integer;                 \
        }                                   \
    }
HS_LANE_REAL(Vec<T>, floor, a)
HS_LANE_REAL(Vec<T>, ceil, a)
HS_LANE_REAL(Vec<T>, trunc, a)
HS_LANE_REAL(Vec<T>, negative, Vec<T>(T(0)) - a)
HS_LANE_REAL(Mask<T>, isnan, a != a)
HS_LANE_REAL(Mask<T>, isinf, a != a)
HS_LANE_REAL(Mask<T>, isfinite, a == a)
HS_LANE_REAL(Mask<T>, signbit, a < Vec<T>(T(0)))
#undef HS_LANE_REAL

// ---- order ----

#define HS_LANE_ORDER(name, integer)          \
    HS_LANE Vec<T> name(Vec<T> a, Vec<T> b) { \
        if constexpr (kIsReal<T>) {           \
            return math::name(a, b);          \
        } else {                              \
            return xsimd::integer(a, b);      \
        }                                     \
    }
HS_LANE_ORDER(maximum, max)
HS_LANE_ORDER(minimum, min)
HS_LANE_ORDER(fmax, max)
HS_LANE_ORDER(fmin, min)
#undef HS_LANE_ORDER

HS_LANE Vec<T> select(Mask<T> m, Vec<T> a, Vec<T> b) { return xsimd::select(m, a, b); }

// ---- tests ----

HS_LANE Mask<T> truth(Vec<T> a) { return a != Vec<T>(T(0)); }
HS_LANE Mask<T> logical_not(Vec<T> a) { return a == Vec<T>(T(0)); }
HS_LANE Mask<T> logical_and(Vec<T> a, Vec<T> b) { return truth(a) & truth(b); }
HS_LANE Mask<T> logical_or(Vec<T> a, Vec<T> b) { return truth(a) | truth(b); }
HS_LANE Mask<T> logical_xor(Vec<T> a, Vec<T> b) { return truth(a) ^ truth(b); }

// ---- bits ----

HS_LANE Vec<T> bitwise_and(Vec<T> a, Vec<T> b) { return a & b; }
HS_LANE Vec<T> bitwise_or(Vec<T> a, Vec<T> b) { return a | b; }
HS_LANE Vec<T> bitwise_xor(Vec<T> a, Vec<T> b) { return a ^ b; }
HS_LANE Vec<T> invert(Vec<T> a) { return ~a; }

// ---- operators spelled as functions ----

HS_LANE auto add(T a, T b) { return a + b; }
HS_LANE auto subtract(T a, T b) { return a - b; }
HS_LANE auto multiply(T a, T b) { return a * b; }
HS_LANE auto divide(T a, T b) { return a / b; }

HS_LANE Vec<T> real(Vec<T> a) { return a; }

}  // namespace hassium::HS_SIMD_NS::lane

#include "simd/lane/lane_bool.hpp"
#include "simd/lane/lane_complex.hpp"
#include "simd/lane/lane_scalar.hpp"

namespace hassium::HS_SIMD_NS::lane {

// As NumPy: minimum(maximum(x, low), high); a NaN in any operand wins.
HS_LANE T clip(T x, T low, T high) { return minimum(maximum(x, low), high); }

}  // namespace hassium::HS_SIMD_NS::lane
