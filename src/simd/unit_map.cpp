// Map and fold kernels of one dtype: all rows but the long mathematical ones of floats.
// HS_DTYPES: Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 C64 C128
#include "simd/fold_loop.hpp"
#include "simd/kernels.hpp"
#include "simd/tables.hpp"

namespace hassium::HS_SIMD_NS {

template <class R, DType D>
HS_INLINE void fill_map_row(KernelTable& table) {
    constexpr int kRow = static_cast<int>(R::kOp);
    constexpr int kColumn = static_cast<int>(D);
    if constexpr (kHasMap<R, D> && !kMathUnit<R, D>) {
        table.map[kRow][kColumn] = &map_kernel<R, D>;
    }
    if constexpr (kHasFold<R, D> && !kMathUnit<R, D>) {
        table.chunk[kRow][kColumn] = &chunk_kernel<R, D>;
        table.tree[kRow][kColumn] = &tree_kernel<R, D>;
        table.scan[kRow][kColumn] = &scan_kernel<R, D>;
    }
}

void HS_FILL(map_, HS_UNIT_DTYPE)(KernelTable& table) {
#define HS_OP(id, ...) fill_map_row<row::id, DType::HS_UNIT_DTYPE>(table);
#include "ops/ops.def"
#undef HS_OP
}

}  // namespace hassium::HS_SIMD_NS
