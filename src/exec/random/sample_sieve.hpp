// Rejection sampling: attempts take a fixed number of units and are accepted by these alone. For
// integers in a range, points in a circle, and samples that accept every attempt. Internal to exec.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/random/sampling.hpp"

namespace hassium {

// A sieve has the bytes of an attempt, `kBytes`, and its number of values, `kValues`. It writes
// them to `out` in any case, and returns whether they are accepted.

// Runs the attempts in [at, stop) and returns the number of accepted values. Stops at the end, or
// at `most` values, a multiple of kValues.
template <class Sieve>
std::int64_t sift(const Sieve& sieve, const char*& at, const char* stop, std::int64_t most,
                  typename Sieve::Value* out) {
    std::int64_t kept = 0;
    while (at < stop && kept < most) {
        // Attempts that cannot pass a bound run without a check of the count.
        const std::int64_t safe =
            std::min((stop - at) / Sieve::kBytes, (most - kept) / Sieve::kValues);
        for (std::int64_t k = 0; k < safe; ++k, at += Sieve::kBytes) {
            kept += sieve(at, out + kept) ? Sieve::kValues : 0;
        }
    }
    return kept;
}

template <class Unit>
Unit unit_at(const char* at) {
    Unit unit;
    std::memcpy(&unit, at, sizeof unit);
    return unit;
}

template <class Unit>
struct Twice;
template <>
struct Twice<std::uint8_t> {
    using Type = std::uint16_t;
};
template <>
struct Twice<std::uint16_t> {
    using Type = std::uint32_t;
};
template <>
struct Twice<std::uint32_t> {
    using Type = std::uint64_t;
};
template <>
struct Twice<std::uint64_t> {
    using Type = Word128;
};

// The upper half of the product of a unit with the number of values. Rejects lower halves that
// would bias the result (Lemire, Fast Random Integer Generation in an Interval, 2019).
template <class Unit, class To>
struct ScaledUnits {
    using Value = To;
    static constexpr std::int64_t kBytes = sizeof(Unit), kValues = 1;

    To least;
    Unit values, refused;

    explicit ScaledUnits(IntegerRange range)
        : least(static_cast<To>(range.least)),
          values(static_cast<Unit>(range.span + 1)),
          refused(static_cast<Unit>(static_cast<Unit>(-values) % values)) {}

    [[gnu::always_inline]] bool operator()(const char* at, To* out) const {
        using Product = typename Twice<Unit>::Type;
        const auto product = static_cast<Product>(static_cast<Product>(unit_at<Unit>(at)) * values);
        *out = static_cast<To>(least + static_cast<Unit>(product >> 8 * sizeof(Unit)));
        return static_cast<Unit>(product) >= refused;
    }
};

// The lower bits of a unit, as many as the largest value has; rejects larger values. `kTransposed`:
// the first half of a word is the upper one.
template <class Unit, class To, bool kTransposed = false>
struct MaskedUnits {
    using Value = To;
    static constexpr std::int64_t kBytes = sizeof(Unit), kValues = 1;

    To least;
    Unit most, mask;

    explicit MaskedUnits(IntegerRange range)
        : least(static_cast<To>(range.least)),
          most(static_cast<Unit>(range.span)),
          mask(static_cast<Unit>(~std::uint64_t{0} >> std::countl_zero(range.span | 1))) {}

    [[gnu::always_inline]] bool operator()(const char* at, To* out) const {
        Unit unit = unit_at<Unit>(at);
        if constexpr (kTransposed) unit = std::rotl(unit, 32);
        unit &= mask;
        *out = static_cast<To>(least + unit);
        return unit <= most;
    }
};

// Returns the mean number of attempts for one value.
inline double attempts_masked(std::uint64_t span) {
    const double masked = static_cast<double>(~std::uint64_t{0} >> std::countl_zero(span | 1));
    return (masked + 1) / (static_cast<double>(span) + 1);
}

}  // namespace hassium
