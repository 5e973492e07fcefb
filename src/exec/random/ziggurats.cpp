#include "exec/random/ziggurats.hpp"

#include <charconv>
#include <cmath>

namespace hassium {
namespace {

// --- Double-double arithmetic: logarithms and exponentials to some 100 bits, which the C library
// may not provide.

struct Pair {
    double high, low;
};

Pair sum(double a, double b) {  // |a| >= |b|
    const double s = a + b;
    return {s, b - (s - a)};
}

Pair operator+(Pair a, Pair b) {
    const double s = a.high + b.high, of_b = s - a.high;
    const double error = (a.high - (s - of_b)) + (b.high - of_b);
    return sum(s, error + a.low + b.low);
}

Pair operator-(Pair a) { return {-a.high, -a.low}; }

Pair operator*(Pair a, Pair b) {
    const double p = a.high * b.high;
    return sum(p, std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
}

Pair operator/(Pair a, Pair b) {
    const double first = a.high / b.high;
    const Pair rest = a + -(b * Pair{first, 0});
    const double second = rest.high / b.high;
    const Pair last = rest + -(b * Pair{second, 0});
    return sum(first, second) + Pair{last.high / b.high, 0};
}

// For numbers up to ten: the series of x / 1024, squared ten times.
Pair power_of_e(Pair x) {
    constexpr int kSquarings = 10, kTerms = 14;
    const double scale = std::ldexp(1.0, -kSquarings);
    const Pair part = {x.high * scale, x.low * scale};
    // e^x - 1, which keeps its low bits in the squarings
    Pair series = {0, 0};
    for (int k = kTerms; k > 0; --k) {
        series = part * (Pair{1, 0} + series) / Pair{static_cast<double>(k), 0};
    }
    for (int k = 0; k < kSquarings; ++k) series = series * (series + Pair{2, 0});
    return series + Pair{1, 0};
}

Pair logarithm(Pair y) {
    Pair x = {std::log(y.high), 0};
    for (int k = 0; k < 2; ++k) x = x + (y * power_of_e(-x) + Pair{-1, 0});
    return x;
}

double power_of_e(double x) { return power_of_e(Pair{x, 0}).high; }
double logarithm(double y) { return logarithm(Pair{y, 0}).high; }

// --- Strips from the lowest, which has the tail, to the highest. `ends` are where the strips meet
// the density; the first is that of a rectangle with the area of the lowest strip. `inside` is the
// fraction of a strip's width that is entirely below the density.

struct Strips {
    double ends[256], heights[256];
    Pair inside[256];
};

Strips normal_strips() {
    // In doubles, as in NumPy; the area of a strip is rounded to a double.
    constexpr double kArea = 0.004928673233974652;
    Strips s;
    double x = kNormalTail, height = power_of_e(-0.5 * x * x);
    s.ends[0] = kArea / height;
    s.heights[0] = 1;
    s.inside[0] = {x * height / kArea, 0};
    for (int k = 255; k > 0; --k) {
        s.ends[k] = x;
        s.heights[k] = height;
        x = std::sqrt(-2.0 * logarithm(kArea / x + height));
        height = power_of_e(-0.5 * x * x);
        // NumPy has a value halfway between two doubles rounded to the farther one.
        if (k - 1 == 38) height = std::nextafter(height, 1.0);
        s.inside[k] = {x / s.ends[k], 0};
    }
    return s;
}

Strips exponential_strips() {
    // In double-double, rounded at the end.
    const Pair tail = {kExponentialTail, -3.6248703662405934e-16};
    Strips s;
    Pair x = tail, height = power_of_e(-x);
    const Pair area = (x + Pair{1, 0}) * height;
    s.ends[0] = (x + Pair{1, 0}).high;
    s.heights[0] = 1;
    s.inside[0] = x * height / area;
    for (int k = 255; k > 0; --k) {
        const Pair end = x;
        s.ends[k] = x.high;
        s.heights[k] = height.high;
        x = -logarithm(area / x + height);
        height = power_of_e(-x);
        s.inside[k] = x / end;
    }
    return s;
}

// --- Tables

// NumPy's table of floats was printed with nine digits and read again.
float printed(double value) {
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 8);
    float read = 0;
    std::from_chars(text, end.ptr, read);
    return read;
}

float rounded(double value) { return static_cast<float>(value); }
double same(double value) { return value; }

// Bounds of mantissas of `bits` bits: rounded to nearest.
double nearest(Pair part, int bits) { return std::nearbyint(std::ldexp(part.high, bits)); }
// Rounded down with one bit less, so that they are even.
double even(Pair part, int bits) {
    const double scaled = std::ldexp(part.high, bits - 1), whole = std::floor(scaled);
    return 2 * (whole == scaled && part.low < 0 ? whole - 1 : whole);
}

template <class Bits, class Real>
Ziggurat<Bits, Real> tables(const Strips& strips, int bits, double (*bound)(Pair, int),
                            Real (*real)(double)) {
    Ziggurat<Bits, Real> z;
    for (int k = 0; k < 256; ++k) {
        // No mantissa of the highest strip is certain to be below the density.
        z.strips[k].sure = k == 1 ? 0 : static_cast<Bits>(bound(strips.inside[k], bits));
        z.strips[k].width = real(std::ldexp(strips.ends[k], -bits));
        z.height[k] = real(strips.heights[k]);
    }
    return z;
}

}  // namespace

const Ziggurat64& normal_ziggurat64() {
    static const auto z = tables<std::uint64_t>(normal_strips(), 52, nearest, same);
    return z;
}

const Ziggurat32& normal_ziggurat32() {
    static const auto z = tables<std::uint32_t>(normal_strips(), 23, nearest, rounded);
    return z;
}

const Ziggurat64& exponential_ziggurat64() {
    static const auto z = tables<std::uint64_t>(exponential_strips(), 53, even, same);
    return z;
}

const Ziggurat32& exponential_ziggurat32() {
    static const auto z = tables<std::uint32_t>(exponential_strips(), 23, nearest, printed);
    return z;
}

}  // namespace hassium
