// Access to the table of thresholds (thresholds.def). No other file defines a threshold by which an
// operation takes one path or another.
#pragma once

#include <cstdint>

namespace hassium {

enum class Threshold : std::uint8_t {
#define HS_THRESHOLD(name, value, unit, reason, benchmark) name,
#include "record/thresholds.def"
#undef HS_THRESHOLD
};

inline constexpr std::int64_t kThresholds[] = {
#define HS_THRESHOLD(name, value, unit, reason, benchmark) value,
#include "record/thresholds.def"
#undef HS_THRESHOLD
};
constexpr std::int64_t threshold(Threshold t) { return kThresholds[static_cast<int>(t)]; }
// The same as an index or a count.
constexpr std::size_t threshold_count(Threshold t) {
    return static_cast<std::size_t>(threshold(t));
}
// Seconds of a row in nanoseconds.
constexpr double threshold_seconds(Threshold t) { return static_cast<double>(threshold(t)) * 1e-9; }
// The fraction of a row in percent.
constexpr double threshold_share(Threshold t) { return static_cast<double>(threshold(t)) / 100; }

}  // namespace hassium
