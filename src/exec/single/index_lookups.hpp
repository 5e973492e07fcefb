// Elements and short runs at the positions of an index. Internal to exec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hassium {

template <std::size_t N>
void copy_fixed(char* to, const char* from) {
    struct {
        char bytes[N];
    } value;
    std::memcpy(&value, from, N);
    std::memcpy(to, &value, N);
}

// Calls f with a run's length as a constant: zero when it is none of those.
template <class F>
void with_length(std::int64_t bytes, F f) {
    switch (bytes) {
#define HS_LENGTH(n) \
    case n:          \
        return f(std::integral_constant<std::size_t, n>{});
        HS_LENGTH(1)
        HS_LENGTH(2)
        HS_LENGTH(4)
        HS_LENGTH(8)
        HS_LENGTH(12)
        HS_LENGTH(16)
        HS_LENGTH(24)
        HS_LENGTH(32)
        HS_LENGTH(64)
#undef HS_LENGTH
        default:
            return f(std::integral_constant<std::size_t, 0>{});
    }
}

// `bytes` that lie together on both sides: one element, or several. A call of memcpy takes longer
// than the copy of few.
void copy_run(char* to, const char* from, std::int64_t bytes);

// A store that misses the caches makes all that follow wait: a scatter along an axis that is far
// asks for lines so many positions ahead.
inline constexpr std::int64_t kScatterAhead = 16;
// Whether an axis that an index names positions of spans more memory than the caches of a core.
inline bool is_far(std::int64_t extent, std::int64_t step) {
    constexpr std::int64_t kCached = std::int64_t{1} << 20;
    return extent * (step < 0 ? -step : step) > kCached;
}

// Runs of bytes at the n positions of an index along one axis of `whole`, and the part that has
// them one after another. A part of step 0 is one run.
struct IndexedLine {
    char *whole, *part;
    const char* index;  // int64, checked
    std::int64_t n, whole_step, part_step, index_step, bytes;
    bool far;  // is_far of the axis
};
// Copies from the whole to the part, or from the part to the whole in the order of the index. The
// index may have the memory of the part if its elements have as many bytes.
void gather_line(const IndexedLine& line);
void scatter_line(const IndexedLine& line);

}  // namespace hassium
