// Map and fold kernels of the long mathematical rows; float16 goes through the float32 kernels.
// HS_DTYPES: F32 F64
#include "simd/fold_loop.hpp"
#include "simd/kernels.hpp"
#include "simd/tables.hpp"

namespace hassium::HS_SIMD_NS {

// Elements widened at a time.
inline constexpr int kHalfBlock = 256;

HS_INLINE void widen_halves(float* out, const char* in, int n) {
    constexpr int kStep = kWidth<DType::F16>;
    int i = 0;
    for (; i + kStep <= n; i += kStep) load_halves(in + 2 * i).store_unaligned(out + i);
    for (; i < n; ++i) out[i] = half_to_float(load_as<Half>(in + 2 * i));
}

HS_INLINE void narrow_halves(char* out, const float* in, int n) {
    constexpr int kStep = kWidth<DType::F16>;
    int i = 0;
    for (; i + kStep <= n; i += kStep)
        store_halves(out + 2 * i, Vec<float>::load_unaligned(in + i));
    for (; i < n; ++i) store_as(out + 2 * i, float_to_half(in[i]));
}

template <class R>
void map_half(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    static_assert(R::kOutputs == 1 && R::kInputs <= 2);
    alignas(64) float result[kHalfBlock];
    alignas(64) float inputs[2][kHalfBlock];
    for (int k = 0; k < R::kInputs; ++k) {
        if ((scalars >> k) & 1u) inputs[k][0] = half_to_float(load_as<Half>(ptr[1 + k]));
    }
    char* block[3] = {reinterpret_cast<char*>(result), reinterpret_cast<char*>(inputs[0]),
                      reinterpret_cast<char*>(inputs[1])};
    for (std::int64_t i = 0; i < n; i += kHalfBlock) {
        const int count = n - i < kHalfBlock ? static_cast<int>(n - i) : kHalfBlock;
        for (int k = 0; k < R::kInputs; ++k) {
            if (!((scalars >> k) & 1u)) widen_halves(inputs[k], ptr[1 + k] + 2 * i, count);
        }
        map_registers<R, DType::F32>(block, scalars, count);
        narrow_halves(ptr[0] + 2 * i, result, count);
    }
}

template <class R, DType D>
HS_INLINE void fill_folds(KernelTable& table) {
    constexpr int kRow = static_cast<int>(R::kOp);
    constexpr int kColumn = static_cast<int>(D);
    if constexpr (kHasFold<R, D>) {
        table.chunk[kRow][kColumn] = &chunk_kernel<R, D>;
        table.tree[kRow][kColumn] = &tree_kernel<R, D>;
        table.scan[kRow][kColumn] = &scan_kernel<R, D>;
        if constexpr (has<R>(kAssociative)) table.scans[kRow][kColumn] = &scans_kernel<R, D>;
    }
}

template <class R, DType D>
HS_INLINE void fill_math_row(KernelTable& table) {
    constexpr int kRow = static_cast<int>(R::kOp);
    if constexpr (kHasMap<R, D> && kMathUnit<R, D>) {
        table.map[kRow][static_cast<int>(D)] = &map_registers<R, D>;
        fill_folds<R, D>(table);
        if constexpr (D == DType::F32 && kHasMap<R, DType::F16>) {
            table.map[kRow][static_cast<int>(DType::F16)] = &map_half<R>;
            fill_folds<R, DType::F16>(table);
        }
    }
}

void HS_FILL(math_, HS_UNIT_DTYPE)(KernelTable& table) {
#define HS_OP(id, ...) fill_math_row<row::id, DType::HS_UNIT_DTYPE>(table);
#include "ops/ops.def"
#undef HS_OP
}

}  // namespace hassium::HS_SIMD_NS
