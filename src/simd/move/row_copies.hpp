// Copies of rows that are too short to call memcpy for each.
#pragma once

#include "simd/lane/registers.hpp"

namespace hassium::HS_SIMD_NS {

HS_INLINE void fetch_row(const char* row, std::int64_t bytes) {
    for (std::int64_t k = 0; k < bytes; k += 64) __builtin_prefetch(row + k);
}

// Copies `bytes` bytes, at least kPiece; the last piece overlaps the one before.
template <int kPiece>
HS_INLINE void copy_row(char* out, const char* in, std::int64_t bytes) {
    const std::int64_t last = bytes - kPiece;
    for (std::int64_t k = 0; k < last; k += kPiece) copy_bytes(out + k, in + k, kPiece);
    copy_bytes(out + last, in + last, kPiece);
}

// Calls visit(copy) with a function that copies rows of `bytes` bytes.
template <class Visit>
HS_INLINE void with_copy(std::int64_t bytes, Visit visit) {
    constexpr std::int64_t kLong = 1024;
    if (bytes >= kLong) return visit([](char* o, const char* i, auto n) { copy_line(o, i, n); });
    if (bytes >= 64) return visit([](char* o, const char* i, auto n) { copy_row<64>(o, i, n); });
    if (bytes >= 32) return visit([](char* o, const char* i, auto n) { copy_row<32>(o, i, n); });
    if (bytes >= 16) return visit([](char* o, const char* i, auto n) { copy_row<16>(o, i, n); });
    if (bytes >= 8) return visit([](char* o, const char* i, auto n) { copy_row<8>(o, i, n); });
    visit([](char* o, const char* i, auto n) { copy_row<1>(o, i, n); });
}

}  // namespace hassium::HS_SIMD_NS
