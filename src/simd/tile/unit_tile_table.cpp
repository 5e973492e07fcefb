// The loop over register tiles, and their table.
#include <algorithm>
#include <functional>

#include "simd/tables/tile_tables.hpp"
#include "simd/tile/tile_rows.hpp"

namespace hassium::HS_SIMD_NS {

// Prefetch distances in bytes: see docs/decisions/0007-operands-fetched-ahead.md.
constexpr std::int64_t kAheadAlone = 8192, kAheadEach = 4096;

// For arrays in place; packed ones do not move.
template <int Width, int Count>
void tile_ahead(HS_TILE_PARAMETERS) {
    constexpr std::int64_t kElements = kTileRegisters * kRawBytes >> Width;
    constexpr std::int64_t kAhead = Count == 1 ? kAheadAlone : kAheadEach;
    for (int k = 0; k < Count; ++k) {
        const std::int64_t span = kElements * step->s[k];
        const char* p = step->p[k] + at * step->s[k] + (span < 0 ? span - kAhead : kAhead);
        for (std::int64_t b = 0; b < (span < 0 ? -span : span); b += 64) __builtin_prefetch(p + b);
    }
    return HS_TILE_NEXT;
}

// For the lines after these.
template <int Count>
void tile_ahead_outer_loop(HS_TILE_PARAMETERS) {
    for (int k = 0; k < Count; ++k) {
        const char* p = step->p[k] + at;
        for (int line = 0; line < kTileLines; ++line) {
            __builtin_prefetch(p + (kTileLines + line) * std::int64_t{step->s[k]});
        }
    }
    return HS_TILE_NEXT;
}

template <int Width, int Count>
void fill_tile_ahead(TileTable& table) {
    const auto along = reinterpret_cast<TileFn>(&tile_ahead<Width, Count>);
    table.ahead[Width][Count - 1] = along;
    if constexpr (Width >= 2) {
        with_twin(table, along, reinterpret_cast<TileFn>(&tile_ahead_outer_loop<Count>));
    }
}
// The last step of every chain.
void tile_end(HS_TILE_PARAMETERS) {
    static_cast<void>(step);
    static_cast<void>(at);
    static_cast<void>(v0), static_cast<void>(v1), static_cast<void>(v2), static_cast<void>(v3);
    static_cast<void>(v4), static_cast<void>(v5), static_cast<void>(v6), static_cast<void>(v7);
}

HS_FROM_OUTSIDE void tile_run(const TileStep* steps, std::int64_t at, std::int64_t end,
                              std::int64_t tile) {
    const Raw none(uint8_t(0));
    const TileBody first = reinterpret_cast<TileBody>(steps->fn);
    for (; at < end; at += tile) first(steps, at, none, none, none, none, none, none, none, none);
#if HS_SIMD_LEVEL >= 3
    // g++ does not see that the kernels use wide registers.
    _mm256_zeroupper();
#endif
}

HS_FROM_OUTSIDE void tile_fence() {
#if HS_SIMD_LEVEL >= 2
    _mm_sfence();
#endif
}

HS_FROM_OUTSIDE void fill_tile_table(TileTable& table) {
    table.tile_bytes = kTileRegisters * kRawBytes;
    table.end = without_lay(table, reinterpret_cast<TileFn>(&tile_end));
    table.run = &tile_run;
    table.fence = &tile_fence;
    at_widths<DType::U8>([&]<int Width>() {
        fill_tile_ahead<Width, 1>(table);
        fill_tile_ahead<Width, 2>(table);
        fill_tile_ahead<Width, 3>(table);
    });
    using enum DType;
    const auto tiles = [&]<DType... D>() { (fill_tiles<D>(table), ...); };
    const auto casts = [&]<DType... D>() { (fill_tile_casts<D>(table), ...); };
    const auto math = [&]<DType... D>() { (fill_tile_math<D>(table), ...); };
    tiles.operator()<Bool, I8, I16, I32, I64, F32, F64>();
    casts.operator()<Bool, I8, I16, I32, I64, F32, F64>();
    math.operator()<F32, F64>();
    fill_tile_strides(table);
    std::sort(table.twins.begin(), table.twins.end(), [](const TileTwin& a, const TileTwin& b) {
        return std::less<TileFn>()(a.along, b.along);
    });
    std::sort(table.rows.begin(), table.rows.end(), [](const TileRow& a, const TileRow& b) {
        return std::less<TileFn>()(a.joined, b.joined);
    });
}

}  // namespace hassium::HS_SIMD_NS
