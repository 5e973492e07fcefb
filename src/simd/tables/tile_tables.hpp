// Functions by which the units of one instruction set fill its table of register tiles.
#pragma once

#include "simd/tables/tables.hpp"
#include "simd/tables/tiles.hpp"

namespace hassium::HS_SIMD_NS {

// Instantiated by the unit, which is compiled for each entry of its HS_DTYPES.
template <DType D>
void fill_tiles(TileTable& table);
template <DType D>
void fill_tile_casts(TileTable& table);
template <DType D>
void fill_tile_math(TileTable& table);

void fill_tile_strides(TileTable& table);

// Calls all of the above.
void fill_tile_table(TileTable& table);

}  // namespace hassium::HS_SIMD_NS
