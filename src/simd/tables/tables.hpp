// Functions by which the units of one instruction set fill its table of kernels.
#pragma once

#include "simd/tables/kernels.hpp"

namespace hassium::HS_SIMD_NS {

// Instantiated by the unit, which is compiled for each entry of its HS_DTYPES.
template <DType D>
void fill_map(KernelTable& table);
template <DType D>
void fill_math(KernelTable& table);

void fill_casts(KernelTable& table);
void fill_moves(KernelTable& table);
void fill_products(KernelTable& table);

// Calls all of the above.
void fill_table(KernelTable& table);

}  // namespace hassium::HS_SIMD_NS
