// Long lines are copied by the C library, which uses the instruction that copies without fetching
// the destination: 25 % faster than kernels beyond the first-level cache, and twice as slow within
// it. On some processors it takes ten times as long if the destination begins a little behind the
// source modulo a page; and the library does not use it for lines that fill much of the last cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "simd/tables/kernels.hpp"

namespace hassium {

// Returns whether memcpy copies a line faster. `near`: both sides are in the caches of one core.
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

// Copies a line past the caches. The caller fences after the last one.
inline void stream_line(const KernelTable& table, char* to, const char* from, std::int64_t bytes) {
    constexpr std::uintptr_t kLine = 64;
    auto head = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to) % kLine);
    head = std::min(head, bytes);
    std::memcpy(to, from, static_cast<std::size_t>(head));
    if (bytes > head) table.stream(to + head, from + head, bytes - head);
}

// Returns whether to fill by memset: a large fill with a value of equal bytes, such as zero.
inline bool fills_by_library(const char* value, std::int64_t item, std::int64_t bytes) {
    constexpr std::int64_t kLeast = std::int64_t{1} << 20;
    return bytes >= kLeast &&
           std::all_of(value, value + item, [=](char byte) { return byte == *value; });
}

}  // namespace hassium
