// The loop over register tiles, and their table.
#include "simd/tile_loop.hpp"
#include "simd/tile_tables.hpp"

namespace hassium::HS_SIMD_NS {

// The last step of every chain.
void tile_end(HS_TILE_PARAMETERS) {
    static_cast<void>(step);
    static_cast<void>(at);
    static_cast<void>(v0), static_cast<void>(v1), static_cast<void>(v2), static_cast<void>(v3);
    static_cast<void>(v4), static_cast<void>(v5), static_cast<void>(v6), static_cast<void>(v7);
}

void tile_run(const TileStep* steps, std::int64_t at, std::int64_t end, std::int64_t tile) {
    const Raw none(uint8_t(0));
    const TileBody first = reinterpret_cast<TileBody>(steps->fn);
    for (; at < end; at += tile) first(steps, at, none, none, none, none, none, none, none, none);
#if HS_SIMD_LEVEL >= 3
    // g++ does not see that the kernels used wide registers.
    _mm256_zeroupper();
#endif
}

void tile_fence() {
#if HS_SIMD_LEVEL >= 2
    _mm_sfence();
#endif
}

void fill_tile_table(TileTable& table) {
    table.tile_bytes = kTileRegisters * kRawBytes;
    table.end = reinterpret_cast<TileFn>(&tile_end);
    table.run = &tile_run;
    table.fence = &tile_fence;
    fill_tiles_Bool(table);
    fill_tiles_I8(table);
    fill_tiles_I16(table);
    fill_tiles_I32(table);
    fill_tiles_I64(table);
    fill_tiles_F32(table);
    fill_tiles_F64(table);
    fill_tile_casts_Bool(table);
    fill_tile_casts_I8(table);
    fill_tile_casts_I16(table);
    fill_tile_casts_I32(table);
    fill_tile_casts_I64(table);
    fill_tile_casts_F32(table);
    fill_tile_casts_F64(table);
}

}  // namespace hassium::HS_SIMD_NS
