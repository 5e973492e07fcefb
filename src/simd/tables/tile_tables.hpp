// How the units of one instruction set put their kernels into its table of register tiles.
#pragma once

#include "simd/tables/tables.hpp"
#include "simd/tables/tiles.hpp"

namespace hassium::HS_SIMD_NS {

// One for each entry of HS_DTYPES in the unit.
void fill_tiles_Bool(TileTable& table);
void fill_tiles_I8(TileTable& table);
void fill_tiles_I16(TileTable& table);
void fill_tiles_I32(TileTable& table);
void fill_tiles_I64(TileTable& table);
void fill_tiles_F32(TileTable& table);
void fill_tiles_F64(TileTable& table);
void fill_tile_casts_Bool(TileTable& table);
void fill_tile_casts_I8(TileTable& table);
void fill_tile_casts_I16(TileTable& table);
void fill_tile_casts_I32(TileTable& table);
void fill_tile_casts_I64(TileTable& table);
void fill_tile_casts_F32(TileTable& table);
void fill_tile_casts_F64(TileTable& table);
void fill_tile_strides(TileTable& table);
void fill_tile_math_F32(TileTable& table);
void fill_tile_math_F64(TileTable& table);

// All of the above.
void fill_tile_table(TileTable& table);

}  // namespace hassium::HS_SIMD_NS
