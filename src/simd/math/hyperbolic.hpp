#pragma once

// Hyperbolic functions and their inverses.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

HS_MATH B sinh(B x) { return lanewise(static_cast<Unary>(::sinh), x, x, kAllLanes<B>); }
HS_MATH B cosh(B x) { return lanewise(static_cast<Unary>(::cosh), x, x, kAllLanes<B>); }
HS_MATH B tanh(B x) { return lanewise(static_cast<Unary>(::tanh), x, x, kAllLanes<B>); }
HS_MATH B arcsinh(B x) { return lanewise(static_cast<Unary>(::asinh), x, x, kAllLanes<B>); }
HS_MATH B arccosh(B x) { return lanewise(static_cast<Unary>(::acosh), x, x, kAllLanes<B>); }
HS_MATH B arctanh(B x) { return lanewise(static_cast<Unary>(::atanh), x, x, kAllLanes<B>); }

}  // namespace hassium::HS_SIMD_NS::math
