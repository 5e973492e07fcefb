// float16 by integer arithmetic, one value at a time: for text, constants and the reference
// executor. Rounds to nearest, ties to even. Raises no floating-point condition.
#pragma once

#include <bit>
#include <cstdint>

#include "base/types.hpp"

namespace hassium {

inline float to_float(Half h) {
    std::uint32_t sign = std::uint32_t{h.bits & 0x8000u} << 16;
    std::uint32_t exponent = (h.bits >> 10) & 31u, fraction = h.bits & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) {
        return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    }
    // Subnormal: fraction times 2^-24, exact in float32.
    float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

// Rounds the bits of a float64 once: no double rounding through float32.
inline Half to_half(double value) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
    int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent == 0x7ff) {
        std::uint64_t payload = fraction ? (fraction >> 42) | (fraction >> 42 ? 0 : 1) : 0;
        return {static_cast<std::uint16_t>(sign | 0x7c00u | payload)};
    }
    int scale = exponent - 1023 + 15;  // exponent field of the result
    if (scale >= 31) return {static_cast<std::uint16_t>(sign | 0x7c00u)};
    if (scale < -10) return {sign};
    std::uint64_t significand = fraction | (std::uint64_t{exponent != 0} << 52);
    int dropped = scale > 0 ? 42 : 43 - scale;
    std::uint64_t kept = significand >> dropped;
    std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
    std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    kept += rest > half || (rest == half && (kept & 1));
    // The leading one of a normal result is at bit 10, which adds one to the exponent field.
    std::uint64_t field = scale > 0 ? static_cast<std::uint64_t>(scale - 1) << 10 : 0;
    return {static_cast<std::uint16_t>(sign | (field + kept))};
}

}  // namespace hassium
