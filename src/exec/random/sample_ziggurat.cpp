// Normal and exponential sampling from a PCG64. One unit nearly always suffices; a point between a
// strip and the density takes another one, and the tail several.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "exec/random/pcg_chunks.hpp"
#include "exec/random/ziggurats.hpp"

namespace hassium {
namespace {

using Units64 = PcgUnits<std::uint64_t>;
using Units32 = PcgUnits<std::uint32_t>;

// Return a uniform number in [0, 1).
double uniform(Units64& units) { return static_cast<double>(units.next() >> 11) * 0x1p-53; }
float uniform(Units32& units) { return static_cast<float>(units.next() >> 8) * 0x1p-24f; }

// Returns the height of a point between a strip and the density.
template <class Z, class Units>
auto height_in(const Z& z, int strip, Units& units) {
    const auto upper = z.height[strip - 1], lower = z.height[strip];
    return (upper - lower) * uniform(units) + lower;
}

// A law's `decide` computes the value of a unit, and returns whether that value is final. If not,
// `resolve` reads more units; it returns false if another unit has to decide.

struct Normal64 {
    using Unit = std::uint64_t;
    using Value = double;
    const Ziggurat64& z = normal_ziggurat64();

    static std::uint64_t mantissa(Unit unit) { return unit >> 9 & 0x000fffffffffffff; }

    [[gnu::always_inline]] bool decide(Unit unit, double& x) const {
        const auto& strip = z.strips[unit & 0xff];
        const double size = static_cast<double>(static_cast<std::int64_t>(mantissa(unit)));
        const std::uint64_t sign = unit << 55 & std::uint64_t{1} << 63;
        x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size * strip.width) | sign);
        return mantissa(unit) < strip.sure;
    }
    bool resolve(Unit unit, double& x, Units64& units) const {
        const auto strip = static_cast<int>(unit & 0xff);
        if (strip > 0) return height_in(z, strip, units) < std::exp(-0.5 * x * x);
        double beyond, y;
        do {
            beyond = -(1.0 / kNormalTail) * std::log1p(-uniform(units));
            y = -std::log1p(-uniform(units));
        } while (!(y + y > beyond * beyond));
        x = mantissa(unit) >> 8 & 1 ? -(kNormalTail + beyond) : kNormalTail + beyond;
        return true;
    }
};

struct Normal32 {
    using Unit = std::uint32_t;
    using Value = float;
    const Ziggurat32& z = normal_ziggurat32();

    static std::uint32_t mantissa(Unit unit) { return unit >> 9; }

    [[gnu::always_inline]] bool decide(Unit unit, float& x) const {
        const auto& strip = z.strips[unit & 0xff];
        const float size = static_cast<float>(static_cast<std::int32_t>(mantissa(unit)));
        const std::uint32_t sign = unit << 23 & std::uint32_t{1} << 31;
        x = std::bit_cast<float>(std::bit_cast<std::uint32_t>(size * strip.width) | sign);
        return mantissa(unit) < strip.sure;
    }
    bool resolve(Unit unit, float& x, Units32& units) const {
        constexpr float kTail = static_cast<float>(kNormalTail);
        constexpr float kInverse = static_cast<float>(1.0 / kNormalTail);
        const auto strip = static_cast<int>(unit & 0xff);
        if (strip > 0) {
            const double height = static_cast<double>(height_in(z, strip, units));
            return height < std::exp(-0.5 * static_cast<double>(x) * static_cast<double>(x));
        }
        float beyond, y;
        do {
            beyond = -kInverse * std::log1p(-uniform(units));
            y = -std::log1p(-uniform(units));
        } while (!(y + y > beyond * beyond));
        x = mantissa(unit) >> 8 & 1 ? -(kTail + beyond) : kTail + beyond;
        return true;
    }
};

struct Exponential64 {
    using Unit = std::uint64_t;
    using Value = double;
    const Ziggurat64& z = exponential_ziggurat64();

    static int strip_of(Unit unit) { return static_cast<int>(unit >> 3 & 0xff); }

    [[gnu::always_inline]] bool decide(Unit unit, double& x) const {
        const auto& strip = z.strips[strip_of(unit)];
        const std::uint64_t mantissa = unit >> 11;
        x = static_cast<double>(static_cast<std::int64_t>(mantissa)) * strip.width;
        return mantissa < strip.sure;
    }
    bool resolve(Unit unit, double& x, Units64& units) const {
        const int strip = strip_of(unit);
        if (strip > 0) return height_in(z, strip, units) < std::exp(-x);
        x = kExponentialTail - std::log1p(-uniform(units));
        return true;
    }
};

struct Exponential32 {
    using Unit = std::uint32_t;
    using Value = float;
    const Ziggurat32& z = exponential_ziggurat32();

    static int strip_of(Unit unit) { return static_cast<int>(unit >> 1 & 0xff); }

    [[gnu::always_inline]] bool decide(Unit unit, float& x) const {
        const auto& strip = z.strips[strip_of(unit)];
        const std::uint32_t mantissa = unit >> 9;
        x = static_cast<float>(static_cast<std::int32_t>(mantissa)) * strip.width;
        return mantissa < strip.sure;
    }
    bool resolve(Unit unit, float& x, Units32& units) const {
        const int strip = strip_of(unit);
        if (strip > 0) return height_in(z, strip, units) < std::exp(-x);
        x = static_cast<float>(kExponentialTail) - std::log1p(-uniform(units));
        return true;
    }
};

// Completes a sample whose first unit was not final.
template <class Law>
[[gnu::noinline]] typename Law::Value settled(const Law& law, typename Law::Unit unit,
                                              typename Law::Value x,
                                              PcgUnits<typename Law::Unit>& units) {
    while (!law.resolve(unit, x, units)) {
        unit = units.next();
        if (law.decide(unit, x)) break;
    }
    return x;
}

template <class Law>
class ZigguratChunks final : public PcgChunks<typename Law::Unit, typename Law::Value> {
    using Unit = typename Law::Unit;
    using Value = typename Law::Value;
    using Base = PcgChunks<Unit, Value>;
    using Units = PcgUnits<Unit>;

  public:
    using Base::Base;

    void draw(std::int64_t chunk, int thread, std::int64_t from, std::int64_t most,
              DrawnPiece& piece) override;

  private:
    std::int64_t draw_run(Units& units, std::int64_t most, Value* out) const;

    const Law law_;
};

// Makes at most `most` samples from the units in memory; returns their number.
template <class Law>
std::int64_t ZigguratChunks<Law>::draw_run(Units& units, std::int64_t most, Value* out) const {
    std::int64_t count;
    const Unit* const at = units.some(count);
    count = std::min(count, most);
    for (std::int64_t k = 0; k < count; ++k) {
        Value x;
        if (!law_.decide(at[k], x)) [[unlikely]] {
            units.take(k + 1);
            out[k] = settled(law_, at[k], x, units);
            return k + 1;
        }
        out[k] = x;
    }
    units.take(count);
    return count;
}

template <class Law>
void ZigguratChunks<Law>::draw(std::int64_t chunk, int thread, std::int64_t from, std::int64_t most,
                               DrawnPiece& piece) {
    const std::int64_t stop = this->first_unit(chunk + 1);
    Value* const out = this->values_.of(thread);
    Units units(this->start_, from);
    std::int64_t k = 0;
    for (; k < std::min<std::int64_t>(most, DrawnPiece::kStarts); ++k) {
        piece.starts[k] = units.position();
        if (piece.starts[k] >= stop) break;
        draw_run(units, 1, out + k);
    }
    piece.known = static_cast<int>(k);
    while (k < most && units.position() < stop) {
        k += draw_run(units, std::min(most - k, stop - units.position()), out + k);
    }
    piece.values = k;
    piece.end = units.position();
}

// The units and values of a chunk fit the second-level cache together.
constexpr std::int64_t kWords = 8192;
constexpr double kSecondsAWord = 2e-9;

template <class Law>
void draw(PcgStream& stream, const Drawn& drawn) {
    using Units = PcgUnits<typename Law::Unit>;
    const std::int64_t words = drawn.chunk_words ? drawn.chunk_words : kWords;
    // Some 1.1 % of the samples take another unit.
    const std::int64_t needed = (drawn.n + drawn.n / 50) / Units::kEach;
    ZigguratChunks<Law> chunks(stream, drawn, words);
    draw_chunks(chunks, drawn.n, needed / words + 1, kSecondsAWord * static_cast<double>(needed));
}

}  // namespace

void draw_normal(PcgStream& stream, DType dtype, const Drawn& drawn) {
    HS_CHECK(dtype == DType::F64 || dtype == DType::F32, "floats are drawn");
    (dtype == DType::F64 ? draw<Normal64> : draw<Normal32>)(stream, drawn);
}

void draw_exponential(PcgStream& stream, DType dtype, const Drawn& drawn) {
    HS_CHECK(dtype == DType::F64 || dtype == DType::F32, "floats are drawn");
    (dtype == DType::F64 ? draw<Exponential64> : draw<Exponential32>)(stream, drawn);
}

}  // namespace hassium
