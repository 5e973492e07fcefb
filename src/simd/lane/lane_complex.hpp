// Complex lanes: a register of real and one of imaginary parts.
#pragma once

#include "simd/lane/lane_types.hpp"
#include "simd/math/math.hpp"

// Operators are declared beside their type, where argument-dependent lookup finds them.
namespace hassium::HS_SIMD_NS::math::cplx {

#define HS_CPLX_OP(op, name)                                       \
    template <class B>                                             \
    HS_INLINE Complex<B> operator op(Complex<B> a, Complex<B> b) { \
        return cplx::name(a, b);                                   \
    }
HS_CPLX_OP(+, add)
HS_CPLX_OP(-, subtract)
HS_CPLX_OP(/, divide)
#undef HS_CPLX_OP

HS_MATH Complex<B> operator*(Complex<B> a, Complex<B> b) { return cplx::multiply_as_numpy(a, b); }

HS_MATH auto operator==(Complex<B> a, Complex<B> b) { return (a.re == b.re) & (a.im == b.im); }
HS_MATH auto operator!=(Complex<B> a, Complex<B> b) { return (a.re != b.re) | (a.im != b.im); }
// Lexicographic order, as NumPy's: imaginary parts are compared only where the real parts are
// equal, and a smaller real part does not count when an imaginary part is NaN.
HS_MATH auto operator<(Complex<B> a, Complex<B> b) {
    const auto ordered = (a.im == a.im) & (b.im == b.im);
    return (quiet_less(a.re, b.re) & ordered) | ((a.re == b.re) & quiet_less(a.im, b.im));
}
HS_MATH auto operator<=(Complex<B> a, Complex<B> b) {
    const auto ordered = (a.im == a.im) & (b.im == b.im);
    return (quiet_less(a.re, b.re) & ordered) |
           ((a.re == b.re) & (quiet_less(a.im, b.im) | (a.im == b.im)));
}
HS_MATH auto operator>(Complex<B> a, Complex<B> b) { return b < a; }
HS_MATH auto operator>=(Complex<B> a, Complex<B> b) { return b <= a; }

}  // namespace hassium::HS_SIMD_NS::math::cplx

namespace hassium::HS_SIMD_NS::lane {

#define HS_LANE_CX(name) \
    HS_LANE Cx<T> name(Cx<T> a) { return math::cplx::name(a); }
HS_LANE_CX(arccos)
HS_LANE_CX(arccosh)
HS_LANE_CX(arcsin)
HS_LANE_CX(arcsinh)
HS_LANE_CX(arctan)
HS_LANE_CX(arctanh)
HS_LANE_CX(conjugate)
HS_LANE_CX(cos)
HS_LANE_CX(cosh)
HS_LANE_CX(exp)
HS_LANE_CX(exp2)
HS_LANE_CX(expm1)
HS_LANE_CX(log)
HS_LANE_CX(log10)
HS_LANE_CX(log1p)
HS_LANE_CX(log2)
HS_LANE_CX(negative)
HS_LANE_CX(reciprocal)
HS_LANE_CX(rint)
HS_LANE_CX(sign)
HS_LANE_CX(sin)
HS_LANE_CX(sinh)
HS_LANE_CX(sqrt)
HS_LANE_CX(tan)
HS_LANE_CX(tanh)
#undef HS_LANE_CX

HS_LANE Cx<T> positive(Cx<T> a) { return a; }
HS_LANE Cx<T> square(Cx<T> a) { return math::cplx::square_as_numpy(a); }

HS_LANE Vec<T> absolute(Cx<T> a) { return math::cplx::absolute(a); }
HS_LANE Vec<T> real(Cx<T> a) { return a.re; }
HS_LANE Vec<T> imag(Cx<T> a) { return a.im; }
HS_LANE Cx<T> power(Cx<T> a, Cx<T> b) { return math::cplx::power(a, b); }
HS_LANE Cx<T> float_power(Cx<T> a, Cx<T> b) { return math::cplx::power(a, b); }

HS_LANE Mask<T> isnan(Cx<T> a) { return math::isnan(a.re) | math::isnan(a.im); }
HS_LANE Mask<T> isinf(Cx<T> a) { return math::isinf(a.re) | math::isinf(a.im); }
HS_LANE Mask<T> isfinite(Cx<T> a) { return math::isfinite(a.re) & math::isfinite(a.im); }
HS_LANE Mask<T> truth(Cx<T> a) { return truth(a.re) | truth(a.im); }
HS_LANE Mask<T> logical_not(Cx<T> a) { return ~truth(a); }
HS_LANE Mask<T> logical_and(Cx<T> a, Cx<T> b) { return truth(a) & truth(b); }
HS_LANE Mask<T> logical_or(Cx<T> a, Cx<T> b) { return truth(a) | truth(b); }
HS_LANE Mask<T> logical_xor(Cx<T> a, Cx<T> b) { return truth(a) ^ truth(b); }

HS_LANE Cx<T> select(Mask<T> m, Cx<T> a, Cx<T> b) {
    return {xsimd::select(m, a.re, b.re), xsimd::select(m, a.im, b.im)};
}
// Return the first of equal operands; a NaN in either part wins (in fmax and fmin it loses).
HS_LANE Cx<T> maximum(Cx<T> a, Cx<T> b) { return select((a >= b) | isnan(a), a, b); }
HS_LANE Cx<T> minimum(Cx<T> a, Cx<T> b) { return select((a <= b) | isnan(a), a, b); }
HS_LANE Cx<T> fmax(Cx<T> a, Cx<T> b) { return select((a >= b) | isnan(b), a, b); }
HS_LANE Cx<T> fmin(Cx<T> a, Cx<T> b) { return select((a <= b) | isnan(b), a, b); }

}  // namespace hassium::HS_SIMD_NS::lane
