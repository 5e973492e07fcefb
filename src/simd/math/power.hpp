#pragma once

// Roots, powers, lengths.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

HS_MATH B cbrt(B x) {
    const Unary root = [](double v) { return static_cast<double>(::cbrtl(v)); };
    return lanewise(root, x, x, kAllLanes<B>);
}
HS_MATH B power(B x, B y) { return lanewise(static_cast<Binary>(::pow), x, y, x, kAllLanes<B>); }
HS_MATH B float_power(B x, B y) {
    return lanewise(static_cast<Binary>(::pow), x, y, x, kAllLanes<B>);
}
HS_MATH B hypot(B x, B y) { return lanewise(static_cast<Binary>(::hypot), x, y, x, kAllLanes<B>); }

}  // namespace hassium::HS_SIMD_NS::math
