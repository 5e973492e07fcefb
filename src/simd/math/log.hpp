#pragma once

// Logarithms.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

HS_MATH B log(B x) { return lanewise(static_cast<Unary>(::log), x, x, kAllLanes<B>); }
HS_MATH B log2(B x) { return lanewise(static_cast<Unary>(::log2), x, x, kAllLanes<B>); }
HS_MATH B log10(B x) { return lanewise(static_cast<Unary>(::log10), x, x, kAllLanes<B>); }
HS_MATH B log1p(B x) { return lanewise(static_cast<Unary>(::log1p), x, x, kAllLanes<B>); }

}  // namespace hassium::HS_SIMD_NS::math
