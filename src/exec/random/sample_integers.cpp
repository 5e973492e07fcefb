// Integers of a PCG64.
#include "base/error.hpp"
#include "exec/random/pcg_chunks.hpp"
#include "exec/random/sample_sieve.hpp"

namespace hassium {
namespace {

template <class Unit, class Sieve>
class SievedChunks final : public PcgChunks<Unit, typename Sieve::Value> {
    using Value = typename Sieve::Value;
    using Units = PcgUnits<Unit>;
    static_assert(Sieve::kBytes == sizeof(Unit));

  public:
    SievedChunks(PcgStream& stream, const Sieve& sieve, const Drawn& drawn, std::int64_t words)
        : PcgChunks<Unit, Value>(stream, drawn, words), sieve_(sieve) {}

    void draw(std::int64_t chunk, int thread, std::int64_t from, std::int64_t most,
              DrawnPiece& piece) override {
        const std::int64_t stop = this->first_unit(chunk + 1);
        Value* const out = this->values_.of(thread);
        Units units(this->start_, from);
        piece.starts[0] = from;
        piece.known = 1;
        while (piece.values < most && units.position() < stop) {
            std::int64_t count;
            const char* const first = reinterpret_cast<const char*>(units.some(count));
            count = std::min(count, stop - units.position());
            const char* at = first;
            piece.values += sift(sieve_, at, first + count * Sieve::kBytes, most - piece.values,
                                 out + piece.values);
            units.take((at - first) / Sieve::kBytes);
        }
        piece.end = units.position();
    }

  private:
    const Sieve sieve_;
};

constexpr std::int64_t kWords = 4096;
constexpr double kSecondsAUnit = 1.2e-9;

template <class Unit, class Sieve>
void sieve(PcgStream& stream, IntegerRange range, double attempts, const Drawn& drawn) {
    const std::int64_t words = drawn.chunk_words ? drawn.chunk_words : kWords;
    const double units = attempts * static_cast<double>(drawn.n);
    const auto needed = static_cast<std::int64_t>(units) / PcgUnits<Unit>::kEach;
    SievedChunks<Unit, Sieve> chunks(stream, Sieve(range), drawn, words);
    draw_chunks(chunks, drawn.n, needed / words + 1, kSecondsAUnit * units);
}

// Draws from units of the smallest type that holds all values.
template <class Unit, class To>
void draw_from(PcgStream& stream, IntegerRange range, const Drawn& drawn) {
    const auto values = static_cast<Unit>(range.span + 1);
    if (values == 0) return sieve<Unit, MaskedUnits<Unit, To>>(stream, range, 1, drawn);
    const ScaledUnits<Unit, To> scaled(range);
    const double all = static_cast<double>(static_cast<Unit>(-1));
    const double attempts = all / (all - static_cast<double>(scaled.refused));
    sieve<Unit, ScaledUnits<Unit, To>>(stream, range, attempts, drawn);
}

template <class Value>
void draw_values(PcgStream& stream, IntegerRange range, const Drawn& drawn) {
    if (sizeof(Value) == 8 && range.span <= 0xffffffff) {
        return draw_from<std::uint32_t, Value>(stream, range, drawn);
    }
    draw_from<Value, Value>(stream, range, drawn);
}

}  // namespace

void draw_integers(PcgStream& stream, DType dtype, IntegerRange range, const Drawn& drawn) {
    draw_in_range(dtype, range, drawn,
                  [&](auto value) { draw_values<decltype(value)>(stream, range, drawn); });
}

}  // namespace hassium
