// float16 as storage: converts single values, by processor instructions where they exist. Rounds to
// nearest even; raises overflow, underflow and invalid as the instructions do.
#pragma once

#include <stdint.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "base/types.hpp"
#include "simd/math/base.hpp"

namespace hassium::HS_SIMD_NS {

#define HS_INLINE [[gnu::always_inline]] inline

HS_INLINE float half_to_float(Half h) {
#ifdef __F16C__
    return _cvtsh_ss(h.bits);
#elif defined(__ARM_FP16_FORMAT_IEEE)
    return static_cast<float>(__builtin_bit_cast(__fp16, h.bits));
#else
    const uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000u) << 16;
    const uint32_t rest = h.bits & 0x7fffu;
    if (rest >= 0x7c00u) {
        return __builtin_bit_cast(float, sign | 0x7f800000u | (rest << 13));
    }
    if (rest < 0x0400u) {
        const float magnitude = static_cast<float>(rest) * 0x1p-24f;
        return __builtin_bit_cast(float, sign | __builtin_bit_cast(uint32_t, magnitude));
    }
    return __builtin_bit_cast(float, sign | ((rest << 13) + 0x38000000u));
#endif
}

HS_INLINE Half float_to_half(float x) {
#ifdef __F16C__
    return {static_cast<uint16_t>(_cvtss_sh(x, 0))};
#elif defined(__ARM_FP16_FORMAT_IEEE)
    return {__builtin_bit_cast(uint16_t, static_cast<__fp16>(x))};
#else
    const uint32_t all = __builtin_bit_cast(uint32_t, x);
    const uint16_t sign = static_cast<uint16_t>((all >> 16) & 0x8000u);
    uint32_t rest = all & 0x7fffffffu;
    if (rest > 0x7f800000u) {
        return {static_cast<uint16_t>(sign | 0x7e00u | ((rest >> 13) & 0x3ffu))};
    }
    if (rest >= 0x477ff000u) {  // 65520 rounds to infinity
        if (rest != 0x7f800000u) math::raise_overflow();
        return {static_cast<uint16_t>(sign | 0x7c00u)};
    }
    if (rest < 0x38800000u) {
        // The ulp of a float16 subnormal equals that of a float at 0.5.
        const float magnitude = __builtin_bit_cast(float, rest);
        const uint32_t r = __builtin_bit_cast(uint32_t, magnitude + 0.5f) - 0x3f000000u;
        if (static_cast<float>(r) * 0x1p-24f != magnitude) math::raise_underflow();
        return {static_cast<uint16_t>(sign | r)};
    }
    rest += 0xfffu + ((rest >> 13) & 1u);
    return {static_cast<uint16_t>(sign | ((rest - 0x38000000u) >> 13))};
#endif
}

}  // namespace hassium::HS_SIMD_NS
