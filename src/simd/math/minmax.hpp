#pragma once

// Maxima and minima. When both operands compare equal the second one is returned: that is what
// NumPy's vector loops do with zeros of different sign.

#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS::math {

// A nan in either operand wins, the first one before the second.
HS_MATH B maximum(B a, B b) { return select(quiet_less(b, a) | (a != a), a, b); }
HS_MATH B minimum(B a, B b) { return select(quiet_less(a, b) | (a != a), a, b); }

// A nan loses against a number.
HS_MATH B fmax(B a, B b) { return select(quiet_less(b, a) | (b != b), a, b); }
HS_MATH B fmin(B a, B b) { return select(quiet_less(a, b) | (b != b), a, b); }

}  // namespace hassium::HS_SIMD_NS::math
