// Sampling from an MT19937 (Matsumoto and Nishimura, Mersenne Twister, 1998), as NumPy's
// RandomState does. Each word follows from three earlier ones, so threads generate the words of
// their chunks one after another; the conversion of words, which takes longer, runs in parallel.
#include <cmath>

#include "base/error.hpp"
#include "exec/random/sample_chunks.hpp"
#include "exec/random/sample_sieve.hpp"
#include "exec/random/sample_target.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kKey = TwisterStream::kWords;

// --- Sieves, of words or of doubles, each of two words; `finish` converts the accepted values.

struct Uniform {
    using Value = double;
    static constexpr std::int64_t kBytes = 8, kValues = 1;
    static constexpr bool kOfDoubles = true;

    [[gnu::always_inline]] bool operator()(const char* at, double* out) const {
        *out = unit_at<double>(at);
        return true;
    }
    static void finish(double*, std::int64_t) {}
};

struct Exponential : Uniform {
    static void finish(double* values, std::int64_t n) {
        for (std::int64_t k = 0; k < n; ++k) values[k] = -std::log(1.0 - values[k]);
    }
};

// Points in the unit circle, second coordinate first.
struct Pairs {
    using Value = double;
    static constexpr std::int64_t kBytes = 16, kValues = 2;
    static constexpr bool kOfDoubles = true;

    static double square(const double* point) { return point[1] * point[1] + point[0] * point[0]; }

    [[gnu::always_inline]] bool operator()(const char* at, double* out) const {
        out[1] = 2.0 * unit_at<double>(at) - 1.0;
        out[0] = 2.0 * unit_at<double>(at + 8) - 1.0;
        const double r2 = square(out);
        return bool(r2 < 1.0) & bool(r2 != 0.0);
    }
    static void finish(double* values, std::int64_t n) {
        constexpr int kSome = 128;
        double logs[kSome];
        for (; n > 0; n -= 2 * kSome, values += 2 * kSome) {
            const int some = static_cast<int>(std::min<std::int64_t>(n / 2, kSome));
            for (int k = 0; k < some; ++k) logs[k] = std::log(square(values + 2 * k));
            for (int k = 0; k < some; ++k) {
                const double x = values[2 * k + 1], y = values[2 * k];
                const double factor = std::sqrt(-2.0 * logs[k] / square(values + 2 * k));
                values[2 * k] = factor * y;
                values[2 * k + 1] = factor * x;
            }
        }
    }
};

template <class Masked>
struct Integers : Masked {
    using Masked::Masked;
    static constexpr bool kOfDoubles = false;
    static void finish(typename Masked::Value*, std::int64_t) {}
};

// A unit is an attempt. Words are numbered from the first one after the key; a chunk has the
// attempts that end in its words.
template <class Sieve>
class TwisterChunks final : public DrawnChunks {
    using Value = typename Sieve::Value;

  public:
    TwisterChunks(TwisterStream& stream, const Sieve& sieve, const Drawn& drawn,
                  std::int64_t blocks)
        : stream_(stream), last_(stream), sieve_(sieve), drawn_(drawn), words_(blocks * kKey) {}

    void allot(int threads) override {
        // The last key before the chunk comes first.
        raw_.allot(threads, kKey + words_);
        values_.allot(threads,
                      (kKey + words_) * 4 / Sieve::kBytes * Sieve::kValues + Sieve::kValues);
    }
    void begin(std::int64_t, int thread) override {
        std::uint32_t* const raw = raw_.of(thread);
        std::memcpy(raw, last_.key, sizeof last_.key);
        for (std::int64_t k = 0; k < words_; k += kKey) table_.twist(raw + kKey + k);
        std::memcpy(last_.key, raw + words_, sizeof last_.key);
    }
    std::int64_t first_unit(std::int64_t chunk) const override {
        return chunk == 0 ? 0 : (chunk * words_ - first_word()) * 4 / Sieve::kBytes;
    }
    void draw(std::int64_t chunk, int thread, std::int64_t from, std::int64_t most,
              DrawnPiece& piece) override;
    void store(int thread, std::int64_t first, std::int64_t at, std::int64_t count) override {
        store_drawn(drawn_, values_.of(thread) + first, at, count);
    }
    void finish(std::int64_t chunk, int thread, std::int64_t end) override {
        // The number of the word after the last one used.
        const std::int64_t word = first_word() + (end * Sieve::kBytes + 3) / 4;
        const std::int64_t block = word <= 0 ? -1 : (word - 1) / kKey;
        const std::int64_t here = word <= 0 ? 0 : (block + 1) * kKey - chunk * words_;
        std::memcpy(stream_.key, raw_.of(thread) + here, sizeof stream_.key);
        stream_.position = static_cast<int>(word - block * kKey);
    }

  private:
    std::int64_t first_word() const { return last_.position - kKey; }

    const KernelTable& table_ = kernels();
    TwisterStream& stream_;
    TwisterStream last_;  // the last generated key, and the stream's initial position
    const Sieve sieve_;
    const Drawn& drawn_;
    const std::int64_t words_;  // of a chunk
    DrawnValues<std::uint32_t> raw_;
    DrawnValues<Value> values_;
};

template <class Sieve>
void TwisterChunks<Sieve>::draw(std::int64_t chunk, int thread, std::int64_t from,
                                std::int64_t most, DrawnPiece& piece) {
    constexpr std::int64_t kSome = 1024;  // words
    alignas(64) char some_words[kSome * 4];
    // The attempts before `from` fill whole words, or are in the chunk.
    const std::int64_t first = first_word() + from * Sieve::kBytes / 4;
    const std::uint32_t* raw = raw_.of(thread) + kKey + first - chunk * words_;
    std::int64_t left = first_unit(chunk + 1) - from;
    Value* const out = values_.of(thread);
    piece.starts[0] = from;
    piece.known = 1;
    while (left > 0 && piece.values < most) {
        const std::int64_t some = std::min(left, kSome * 4 / Sieve::kBytes);
        const std::int64_t words = (some * Sieve::kBytes + 3) / 4;
        if constexpr (Sieve::kOfDoubles) {
            table_.temper_doubles(reinterpret_cast<double*>(some_words), raw, words / 2);
        } else {
            table_.temper(reinterpret_cast<std::uint32_t*>(some_words), raw, words);
        }
        const char *const begin = some_words, *at = begin;
        piece.values +=
            sift(sieve_, at, begin + some * Sieve::kBytes, most - piece.values, out + piece.values);
        left -= (at - begin) / Sieve::kBytes;
        raw += kSome;
    }
    Sieve::finish(out, piece.values);
    piece.end = first_unit(chunk + 1) - left;
}

constexpr std::int64_t kBlocks = 16;

template <class Sieve>
void draw(TwisterStream& stream, const Sieve& sieve, const Drawn& drawn, double attempts,
          double seconds) {
    const std::int64_t blocks = drawn.chunk_words ? drawn.chunk_words / kKey + 1 : kBlocks;
    const double needed = attempts * static_cast<double>(drawn.n);
    const auto words = static_cast<std::int64_t>(needed) * Sieve::kBytes / (4 * Sieve::kValues);
    TwisterChunks<Sieve> chunks(stream, sieve, drawn, blocks);
    draw_chunks(chunks, drawn.n, words / (blocks * kKey) + 1, seconds * needed);
}

template <class Unit, class Value, bool kTransposed = false>
void draw_masked(TwisterStream& stream, IntegerRange range, const Drawn& drawn) {
    using Sieve = Integers<MaskedUnits<Unit, Value, kTransposed>>;
    draw(stream, Sieve(range), drawn, attempts_masked(range.span), 1.5e-9);
}

template <class Value>
void draw_values(TwisterStream& stream, IntegerRange range, const Drawn& drawn) {
    if constexpr (sizeof(Value) == 8) {
        if (range.span > 0xffffffff) return draw_masked<Value, Value, true>(stream, range, drawn);
        return draw_masked<std::uint32_t, Value>(stream, range, drawn);
    } else {
        draw_masked<Value, Value>(stream, range, drawn);
    }
}

}  // namespace

void draw_uniform(TwisterStream& stream, const Drawn& drawn) {
    draw(stream, Uniform(), drawn, 1, 2e-9);
}

void draw_exponential(TwisterStream& stream, DType, const Drawn& drawn) {
    draw(stream, Exponential(), drawn, 1, 6e-9);
}

void draw_normal(TwisterStream& stream, DType, const Drawn& drawn) {
    HS_CHECK(drawn.n % 2 == 0, "both numbers of a pair are drawn");
    constexpr double kInCircle = 0.7853981633974483;
    draw(stream, Pairs(), drawn, 1 / kInCircle, 6e-9);
}

void draw_integers(TwisterStream& stream, DType dtype, IntegerRange range, const Drawn& drawn) {
    draw_in_range(dtype, range, drawn,
                  [&](auto value) { draw_values<decltype(value)>(stream, range, drawn); });
}

}  // namespace hassium
