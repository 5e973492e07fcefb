// How the units of one instruction set put their kernels into its table.
#pragma once

#include "simd/tables/kernels.hpp"

#define HS_FILL_JOIN(part, dtype) fill_##part##dtype
#define HS_FILL(part, dtype) HS_FILL_JOIN(part, dtype)

namespace hassium::HS_SIMD_NS {

// One for each entry of HS_DTYPES in the unit.
void fill_map_Bool(KernelTable& table);
void fill_map_I8(KernelTable& table);
void fill_map_I16(KernelTable& table);
void fill_map_I32(KernelTable& table);
void fill_map_I64(KernelTable& table);
void fill_map_F16(KernelTable& table);
void fill_map_F32(KernelTable& table);
void fill_map_F64(KernelTable& table);
void fill_map_C64(KernelTable& table);
void fill_map_C128(KernelTable& table);
void fill_math_F32(KernelTable& table);
void fill_math_F64(KernelTable& table);
void fill_casts(KernelTable& table);
void fill_moves(KernelTable& table);
void fill_products(KernelTable& table);

// All of the above.
void fill_table(KernelTable& table);

}  // namespace hassium::HS_SIMD_NS
