// Elements and short runs of bytes at the positions of an index. Internal to exec.
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

// Calls f with a run's length as a constant, or with 0 for any other length.
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

// Copies `bytes` contiguous bytes, one element or several. Short runs are copied inline, as a call
// of memcpy takes longer.
void copy_run(char* to, const char* from, std::int64_t bytes);

// Prefetch distance, in positions, of a scatter along an axis that is_far(): a store that misses
// the caches stalls all that follow.
inline constexpr std::int64_t kScatterAhead = 16;
// Returns whether an indexed axis spans more memory than the caches of a core.
inline bool is_far(std::int64_t extent, std::int64_t step) {
    constexpr std::int64_t kCached = std::int64_t{1} << 20;
    return extent * (step < 0 ? -step : step) > kCached;
}

// Runs of bytes at the n positions of an index along one axis of `whole`, and `part`, which has
// them in order. A part of step 0 is a single run.
struct IndexedLine {
    char *whole, *part;
    const char* index;  // int64, checked
    std::int64_t n, whole_step, part_step, index_step, bytes;
    bool far;  // is_far of the axis
};
// Copy from the whole to the part, or from the part to the whole in the order of the index. The
// index may share memory with the part if their elements have the same size.
void gather_line(const IndexedLine& line);
void scatter_line(const IndexedLine& line);

}  // namespace hassium
