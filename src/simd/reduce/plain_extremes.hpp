// Maxima and minima of floats by the processor's instruction, which returns the second operand
// where either is NaN and raises invalid: for numbers alone, or callers that check for NaNs.
#pragma once

#include "simd/lane/lane_order.hpp"
#include "simd/lane/status_register.hpp"
#include "simd/reduce/fold_lanes.hpp"

namespace hassium::HS_SIMD_NS {

// Returns the mask of lanes where either is NaN.
template <class V>
HS_INLINE auto unordered(V a, V b) {
#if HS_SIMD_LEVEL == 3
    // One instruction for both; it raises nothing for a quiet NaN.
    if constexpr (sizeof(typename V::value_type) == 8) {
        return typename V::batch_bool_type(_mm256_cmp_pd(a, b, _CMP_UNORD_Q));
    } else {
        return typename V::batch_bool_type(_mm256_cmp_ps(a, b, _CMP_UNORD_Q));
    }
#else
    return (a != a) | (b != b);
#endif
}

// Rows that take more instructions than that one for each register, because of NaNs.
template <class R, DType D>
inline constexpr bool kPlainExtreme =
    (HS_SIMD_LEVEL == 2 || HS_SIMD_LEVEL == 3) &&
    (R::kOp == Op::Maximum || R::kOp == Op::Minimum) && (D == DType::F32 || D == DType::F64);

template <class R, class V>
HS_INLINE V plain_extreme(V a, V b) {
    return R::kOp == Op::Maximum ? xsimd::max(a, b) : xsimd::min(a, b);
}

}  // namespace hassium::HS_SIMD_NS
