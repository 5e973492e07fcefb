#pragma once

// Exponentials.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

HS_MATH B exp(B x) { return lanewise(static_cast<Unary>(::exp), x, x, kAllLanes<B>); }
HS_MATH B exp2(B x) { return lanewise(static_cast<Unary>(::exp2), x, x, kAllLanes<B>); }
HS_MATH B expm1(B x) { return lanewise(static_cast<Unary>(::expm1), x, x, kAllLanes<B>); }

}  // namespace hassium::HS_SIMD_NS::math
