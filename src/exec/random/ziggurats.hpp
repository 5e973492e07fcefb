// The tables of NumPy's normal and exponential distributions: 256 strips of equal area under the
// density (Marsaglia and Tsang, The Ziggurat Method for Generating Random Variables, 2000).
// Internal to exec.
//
// Computed at first use, bit-identical to NumPy's: strip ends that differ by an ulp would give
// other numbers.
#pragma once

#include <cstdint>

namespace hassium {

template <class Bits, class Real>
struct Ziggurat {
    struct Strip {
        Bits sure;   // mantissas below are under the density
        Real width;  // of one unit of the mantissa
    };
    Strip strips[256];
    Real height[256];  // of the density at the ends of the strips
};

using Ziggurat64 = Ziggurat<std::uint64_t, double>;
using Ziggurat32 = Ziggurat<std::uint32_t, float>;

// The beginnings of the tails.
constexpr double kNormalTail = 3.6541528853610088;
constexpr double kExponentialTail = 7.6971174701310497;

const Ziggurat64& normal_ziggurat64();
const Ziggurat32& normal_ziggurat32();
const Ziggurat64& exponential_ziggurat64();
const Ziggurat32& exponential_ziggurat32();

}  // namespace hassium
