#pragma once

// Inverse trigonometric functions.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

HS_MATH B arcsin(B x) { return lanewise(static_cast<Unary>(::asin), x, x, kAllLanes<B>); }
HS_MATH B arccos(B x) { return lanewise(static_cast<Unary>(::acos), x, x, kAllLanes<B>); }
HS_MATH B arctan(B x) { return lanewise(static_cast<Unary>(::atan), x, x, kAllLanes<B>); }
HS_MATH B arctan2(B x, B y) {
    return lanewise(static_cast<Binary>(::atan2), x, y, x, kAllLanes<B>);
}

}  // namespace hassium::HS_SIMD_NS::math
