// Inputs of random sampling from the holders of bit generators: generator states, and parameters of
// the distributions. These structs are the bytes of routines' operands.
#pragma once

#include <cstdint>

#include "base/pcg64.hpp"

namespace hassium {

struct PcgStream {
    Word128 state, increment;
    bool has_half;       // the upper half of a word is kept for the next 32-bit draw
    std::uint32_t half;  // the half that was kept last
};

struct TwisterStream {
    static constexpr int kWords = 624;
    std::uint32_t key[kWords];
    int position;
};

// Integers from `least` (modulo their size); `span` is the largest distance from it.
struct IntegerRange {
    std::uint64_t least, span;
};

// A linear map of doubles: each is multiplied by `times`, then `plus` is added.
struct LinearMap {
    bool is_scaled, is_moved;
    double times, plus;
};

struct DrawParameters {
    IntegerRange range;
    LinearMap map;
};

}  // namespace hassium
