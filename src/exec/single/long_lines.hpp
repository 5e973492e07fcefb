// The C library knows the instruction that moves a long line on this processor without fetching
// what it overwrites: a quarter faster than kernels beyond the first-level cache, and twice as slow
// within it. It takes ten times as long on some where the destination begins a little behind the
// source modulo a page; and the library leaves it for lines that fill much of the last cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hassium {

// `near`: are source and destination in the caches of one core?
inline bool goes_by_library(const char* to, const char* from, std::int64_t bytes, bool near) {
    constexpr std::int64_t kPage = 4096, kLine = 64, kNearLine = std::int64_t{1} << 16;
    const std::int64_t behind = (to - from) & (kPage - 1);
    return bytes >= (near ? kNearLine : kPage) && (behind == 0 || behind >= kLine);
}

inline void copy_by_library(char* to, const char* from, std::int64_t bytes) {
    constexpr std::int64_t kPiece = std::int64_t{1} << 20;
    for (std::int64_t done = 0; done < bytes; done += kPiece) {
        const std::int64_t piece = std::min(kPiece, bytes - done);
        std::memcpy(to + done, from + done, static_cast<std::size_t>(piece));
    }
}

// The same for a value of equal bytes, such as zero.
inline bool fills_by_library(const char* value, std::int64_t item, std::int64_t bytes) {
    constexpr std::int64_t kLeast = std::int64_t{1} << 20;
    return bytes >= kLeast &&
           std::all_of(value, value + item, [=](char byte) { return byte == *value; });
}

}  // namespace hassium
