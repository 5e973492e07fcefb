#pragma once

// Sums in the logarithmic domain, by the formulas of NumPy.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

[[gnu::always_inline]] inline double scalar_logaddexp(double x, double y) {
    if (x == y) {
        return x + 0.693147180559945309417;
    }
    const double d = x - y;
    if (isgreater(d, 0.0)) {
        return x + ::log1p(::exp(-d));
    }
    return islessequal(d, 0.0) ? y + ::log1p(::exp(d)) : d;
}

[[gnu::always_inline]] inline double scalar_logaddexp2(double x, double y) {
    constexpr double kLog2E = 1.442695040888963407360;
    if (x == y) {
        return x + 1;
    }
    const double d = x - y;
    if (isgreater(d, 0.0)) {
        return x + kLog2E * ::log1p(::exp2(-d));
    }
    return islessequal(d, 0.0) ? y + kLog2E * ::log1p(::exp2(d)) : d;
}

HS_MATH B logaddexp(B x, B y) {
    return lanewise(static_cast<Binary>([](double a, double b) { return scalar_logaddexp(a, b); }),
                    x, y, x, kAllLanes<B>);
}
HS_MATH B logaddexp2(B x, B y) {
    return lanewise(static_cast<Binary>([](double a, double b) { return scalar_logaddexp2(a, b); }),
                    x, y, x, kAllLanes<B>);
}

}  // namespace hassium::HS_SIMD_NS::math
