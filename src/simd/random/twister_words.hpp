// The words of NumPy's MT19937 (Matsumoto and Nishimura, Mersenne Twister, 1998) and the doubles
// made of them, in loops that the compiler vectorizes for each level.
#pragma once

#include "simd/lane/registers.hpp"

namespace hassium::HS_SIMD_NS {

// Computes the 624 words that follow the 624 before `words`.
inline void twist_kernel(uint32_t* words) {
    // A word depends only on words at least 227 before it.
    constexpr int kKey = 624, kRun = 208, kMiddle = 397;
    static_assert(kKey % kRun == 0 && kRun <= kKey - kMiddle);
    for (uint32_t* out = words; out < words + kKey; out += kRun) {
        const uint32_t* const old = out - kKey;
        uint32_t made[kRun];
        for (int k = 0; k < kRun; ++k) {
            const uint32_t y = (old[k] & 0x80000000) | (old[k + 1] & 0x7fffffff);
            made[k] = old[k + kMiddle] ^ (y >> 1) ^ ((0 - (y & 1)) & 0x9908b0df);
        }
        __builtin_memcpy(out, made, sizeof made);
    }
}

HS_INLINE uint32_t tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return y ^ (y >> 18);
}

inline void temper_kernel(uint32_t* out, const uint32_t* words, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) out[k] = tempered(words[k]);
}

// Doubles in [0, 1), each of 27 bits of one word and 26 of the next.
inline void temper_doubles_kernel(double* out, const uint32_t* words, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) {
        uint64_t both;
        __builtin_memcpy(&both, words + 2 * k, sizeof both);
        // Both halves are tempered at once; bits shifted across are masked off.
        both ^= (both >> 11) & 0x001fffff001fffff;
        both ^= (both << 7) & 0x9d2c56809d2c5680;
        both ^= (both << 15) & 0xefc60000efc60000;
        both ^= (both >> 18) & 0x00003fff00003fff;
        const auto upper = static_cast<int32_t>(static_cast<uint32_t>(both) >> 5);
        const auto lower = static_cast<int32_t>(both >> 38);
        out[k] = (static_cast<double>(upper) * 67108864.0 + static_cast<double>(lower)) *
                 (1.0 / 9007199254740992.0);
    }
}

}  // namespace hassium::HS_SIMD_NS
