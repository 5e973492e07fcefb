// Map and fold kernels of one dtype, or of the two integers of one width (reading the headers takes
// longer than compiling one of them): all rows but the long mathematical ones of floats.
// HS_DTYPES: Bool I8 I16 I32 I64 F16 F32 F64 C64 C128
#include "simd/map/exponents.hpp"
#include "simd/map/pair_loop.hpp"
#include "simd/map/quotients.hpp"
#include "simd/map/whole_powers.hpp"
#include "simd/reduce/columns.hpp"
#include "simd/reduce/count_loop.hpp"
#include "simd/reduce/fold_of.hpp"
#include "simd/tables/kernels.hpp"
#include "simd/tables/tables.hpp"

namespace hassium::HS_SIMD_NS {

template <class R, DType D>
HS_INLINE void fill_map_row(KernelTable& table) {
    constexpr int kRow = static_cast<int>(R::kOp);
    constexpr int kColumn = static_cast<int>(D);
    if constexpr (kHasQuotients<R, D>) {
        table.map[kRow][kColumn] = &map_quotients<R, D>;
    } else if constexpr (kHasExponents<R, D>) {
        table.map[kRow][kColumn] = &map_exponents<R, D>;
    } else if constexpr (kHasWholePowers<R, D>) {
        table.map[kRow][kColumn] = &map_whole_powers<R, D>;
    } else if constexpr (kHasPairs<R, D>) {
        table.map[kRow][kColumn] = &map_pairs<R, D>;
    } else if constexpr (kHasMap<R, D> && !kMathUnit<R, D>) {
        table.map[kRow][kColumn] = &map_kernel<R, D>;
    }
    if constexpr (kHasCount<R, D>) table.count[kRow][kColumn] = &count_kernel<R, D>;
    if constexpr (kHasFold<R, D> && !kMathUnit<R, D>) {
        fill_folds<R, D>(table);
        fill_columns<R, D>(table);
    }
}

template <class R, DType D>
HS_INLINE void share_kernels(KernelTable& table) {
    using Index = KernelIndex<R, D>;
    const auto share = [](auto& kernels) {
        kernels[Index::kRow][Index::kColumn] = kernels[Index::kFromRow][Index::kFromColumn];
    };
    if constexpr (kHasMap<R, D>) {
        share(table.map), share(table.count);
        share(table.chunk), share(table.tree), share(table.scan), share(table.scans);
        share(table.columns), share(table.scan_columns);
    }
}

template <DType D>
void fill_rows(KernelTable& table) {
#define HS_OP(id, ...) \
    if constexpr (!KernelIndex<row::id, D>::kShares) fill_map_row<row::id, D>(table);
#include "ops/ops.def"
#undef HS_OP
#define HS_OP(id, ...) \
    if constexpr (KernelIndex<row::id, D>::kShares) share_kernels<row::id, D>(table);
#include "ops/ops.def"
#undef HS_OP
}

template <DType D>
void fill_map(KernelTable& table) {
    fill_rows<D>(table);
    if constexpr (unsigned_twin(D) != D) fill_rows<unsigned_twin(D)>(table);
    fill_sums<D>(table);
}
template void fill_map<DType::HS_UNIT_DTYPE>(KernelTable& table);

}  // namespace hassium::HS_SIMD_NS
