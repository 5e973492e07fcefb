// Rows of the op table on complex numbers; see ops.hpp.
#pragma once

#include <cfenv>
#include <cmath>
#include <limits>

#include "reference/cast.hpp"

namespace hassium::reference {

HS_COMPLEX typename T::value_type Real(T a) { return a.real(); }
HS_COMPLEX typename T::value_type Imag(T a) { return a.imag(); }
HS_COMPLEX T Add(T a, T b) { return {a.real() + b.real(), a.imag() + b.imag()}; }
HS_COMPLEX T Subtract(T a, T b) { return {a.real() - b.real(), a.imag() - b.imag()}; }
// As NumPy's array loops: the second product of each part is rounded and the first is fused with
// it. Products of infinities are not repaired, unlike in std::complex.
HS_COMPLEX T Multiply(T a, T b) {
    return {std::fma(a.real(), b.real(), -(a.imag() * b.imag())),
            std::fma(a.real(), b.imag(), a.imag() * b.real())};
}
// Smith's algorithm, in NumPy's order of operations.
HS_COMPLEX T Divide(T a, T b) {
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
HS_COMPLEX T Negative(T a) { return {-a.real(), -a.imag()}; }
HS_COMPLEX typename T::value_type Absolute(T a) { return std::hypot(a.real(), a.imag()); }
HS_COMPLEX T Sign(T a) {
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
HS_COMPLEX T Conjugate(T a) { return {a.real(), -a.imag()}; }
HS_COMPLEX T Reciprocal(T a) {
    using R = typename T::value_type;
    if (std::fabs(a.imag()) <= std::fabs(a.real())) {
        R ratio = a.imag() / a.real(), scale = a.real() + a.imag() * ratio;
        return {R{1} / scale, -ratio / scale};
    }
    R ratio = a.real() / a.imag(), scale = a.real() * ratio + a.imag();
    return {ratio / scale, R{-1} / scale};
}
// NumPy's npy_cpow: small integral exponents by multiplication.
HS_COMPLEX T Power(T a, T b) {
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
HS_COMPLEX T Rint(T a) { return {std::nearbyint(a.real()), std::nearbyint(a.imag())}; }
HS_COMPLEX T Expm1(T a) {
    using R = typename T::value_type;
    R half = std::sin(a.imag() / 2);
    return {std::expm1(a.real()) * std::cos(a.imag()) - 2 * half * half,
            std::exp(a.real()) * std::sin(a.imag())};
}
HS_COMPLEX T Log1p(T a) {
    return {std::log(std::hypot(a.real() + 1, a.imag())), std::atan2(a.imag(), a.real() + 1)};
}
HS_COMPLEX T Exp2(T a) {
    using R = typename T::value_type;
    R ln2 = static_cast<R>(0.6931471805599453094172321214581765681);
    return std::exp(T{a.real() * ln2, a.imag() * ln2});
}
HS_COMPLEX T Log2(T a) {
    using R = typename T::value_type;
    R log2e = static_cast<R>(1.442695040888963407359924681001892137);
    T l = std::log(a);
    return {l.real() * log2e, l.imag() * log2e};
}
HS_COMPLEX T Log10(T a) {
    using R = typename T::value_type;
    R log10e = static_cast<R>(0.4342944819032518276511289189166050823);
    T l = std::log(a);
    return {l.real() * log10e, l.imag() * log10e};
}
#define HS_LIBRARY_COMPLEX(id, function) \
    HS_COMPLEX T id(T a) { return std::function(a); }
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

}  // namespace hassium::reference
