// How the units of one instruction set put their kernels into its table.
#pragma once

#include "simd/kernels.hpp"

#define HS_FILL_JOIN(part, dtype) fill_##part##dtype
#define HS_FILL(part, dtype) HS_FILL_JOIN(part, dtype)

namespace hassium::HS_SIMD_NS {

#define HS_DTYPE(id, name, type, kind, code, bytes) void fill_map_##id(KernelTable& table);
#include "base/dtypes.def"
#undef HS_DTYPE
void fill_math_F32(KernelTable& table);
void fill_math_F64(KernelTable& table);
void fill_casts(KernelTable& table);
void fill_moves(KernelTable& table);

// All of the above.
void fill_table(KernelTable& table);

}  // namespace hassium::HS_SIMD_NS
