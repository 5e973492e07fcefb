// The tables by which NumPy draws from the normal and the exponential distribution: 256 strips of
// one area under the density (Marsaglia and Tsang, The Ziggurat Method for Generating Random
// Variables, 2000). Internal to exec.
//
// They are calculated at first use, in every bit as NumPy has them: ends of strips that are an ulp
// apart would be other numbers.
#pragma once

#include <cstdint>

namespace hassium {

template <class Bits, class Real>
struct Ziggurat {
    struct Strip {
        Bits sure;   // mantissas below lie under the density
        Real width;  // of a mantissa's unit
    };
    Strip strips[256];
    Real height[256];  // of the density at the ends of the strips
};

using Ziggurat64 = Ziggurat<std::uint64_t, double>;
using Ziggurat32 = Ziggurat<std::uint32_t, float>;

// Where the tails begin.
constexpr double kNormalTail = 3.6541528853610088;
constexpr double kExponentialTail = 7.6971174701310497;

const Ziggurat64& normal_ziggurat64();
const Ziggurat32& normal_ziggurat32();
const Ziggurat64& exponential_ziggurat64();
const Ziggurat32& exponential_ziggurat32();

}  // namespace hassium
