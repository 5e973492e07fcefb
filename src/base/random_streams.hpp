// What random sampling is given, by who holds the bit generators: their states, and parameters of
// the distributions. Operands of routines have these bytes.
#pragma once

#include <cstdint>

#include "base/pcg64.hpp"

namespace hassium {

struct PcgStream {
    Word128 state, increment;
    bool has_half;       // the upper half of a word is left for who draws 32 bits
    std::uint32_t half;  // the one that was last left
};

struct TwisterStream {
    static constexpr int kWords = 624;
    std::uint32_t key[kWords];
    int position;
};

// Integers from `least`, modulo their size, on; `span` is the largest distance from it.
struct IntegerRange {
    std::uint64_t least, span;
};

// Of doubles: each is multiplied by one number, then the other is added.
struct LinearMap {
    bool is_scaled, is_moved;
    double times, plus;
};

struct DrawParameters {
    IntegerRange range;
    LinearMap map;
};

}  // namespace hassium
