#pragma once

// Sine, cosine, tangent.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

HS_MATH B sin(B x) { return lanewise(static_cast<Unary>(::sin), x, x, kAllLanes<B>); }
HS_MATH B cos(B x) { return lanewise(static_cast<Unary>(::cos), x, x, kAllLanes<B>); }
HS_MATH B tan(B x) { return lanewise(static_cast<Unary>(::tan), x, x, kAllLanes<B>); }

}  // namespace hassium::HS_SIMD_NS::math
