// Register-tile kernels of the mathematical rows of one argument.
// HS_DTYPES: F32 F64
// HS_OPTIONS: -mtune-ctrl=^inter_unit_moves_to_vec -fschedule-insns -fsched-pressure
// Why these options: see unit_math_rows.cpp.
#include "simd/tables/tile_tables.hpp"
#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

// Longer functions would gain little, as a tile saves a few cycles only, and would compute whole
// tiles at the ends of rows.
template <class R, DType D>
inline constexpr bool kMathTile =
    kHasMap<R, D> && kMathUnit<R, D> && R::kInputs == 1 && R::kOutputs == 1 && R::kCycles <= 8;

template <class R, DType D>
[[gnu::noinline]] Register<D> math_alone(Register<D> x) {
    return R::apply(x, lane::None{}, lane::None{});
}

template <class R, DType D, int N>
struct MathLanes {
    static constexpr int kCount = N;
    HS_INLINE MathLanes(const TileStep*, std::int64_t) {}
    HS_INLINE Raw apply(Raw acc, int) const {
        return to_raw<D>(math_alone<R, D>(from_raw<D>(acc)));
    }
};

// Out of line, or callers would reserve stack for its calls.
template <class R, DType D, int N>
[[gnu::noinline]] void tile_math_alone(HS_TILE_PARAMETERS) {
    return tile_lanes<MathLanes<R, D, N>>(step, at, v0, v1, v2, v3, v4, v5, v6, v7);
}

// Registers whose operations are interleaved. Longer functions keep more values, for which there
// would be no room.
template <class R, int N>
inline constexpr int kInterleaved = N > 2 && R::kCycles >= 6 ? N / 2 : N;

template <class R, DType D, int N>
void tile_math(HS_TILE_PARAMETERS) {
    constexpr int kSome = kInterleaved<R, N>;
    const Raw v[kTileRegisters] = {v0, v1, v2, v3, v4, v5, v6, v7};
    Raw results[kTileRegisters];
#pragma GCC unroll 8
    for (int first = 0; first < N; first += kSome) {
        math::Together<Register<D>, kSome> x;
#pragma GCC unroll 8
        for (int k = 0; k < kSome; ++k) x.x[k] = from_raw<D>(v[first + k]);
        x = R::apply(x, lane::None{}, lane::None{});
        if (x.special) [[unlikely]] {
            return tile_math_alone<R, D, N>(step, at, v0, v1, v2, v3, v4, v5, v6, v7);
        }
#pragma GCC unroll 8
        for (int k = 0; k < kSome; ++k) results[first + k] = to_raw<D>(x.x[k]);
    }
    if constexpr (N > 0) v0 = results[0];
    if constexpr (N > 1) v1 = results[1];
    if constexpr (N > 2) v2 = results[2];
    if constexpr (N > 3) v3 = results[3];
    if constexpr (N > 4) v4 = results[4];
    if constexpr (N > 5) v5 = results[5];
    if constexpr (N > 6) v6 = results[6];
    if constexpr (N > 7) v7 = results[7];
    return HS_TILE_NEXT;
}

template <class R, DType D, int Width>
void fill_math_tile(TileTable& table) {
    TileFn* to = table.map[static_cast<int>(R::kOp)][static_cast<int>(D)][Width];
    to[static_cast<int>(TileForm::Acc)] =
        without_lay(table, reinterpret_cast<TileFn>(&tile_math<R, D, tile_registers<D>(Width)>));
}

template <class R, DType D>
void fill_math_tiles(TileTable& table) {
    if constexpr (kMathTile<R, D>) {
        if constexpr (D == DType::F32) fill_math_tile<R, D, 2>(table);
        fill_math_tile<R, D, 3>(table);
    }
}

template <DType D>
void fill_tile_math(TileTable& table) {
#define HS_OP(id, ...) fill_math_tiles<row::id, D>(table);
#include "ops/ops.def"
#undef HS_OP
}
template void fill_tile_math<DType::HS_UNIT_DTYPE>(TileTable& table);

}  // namespace hassium::HS_SIMD_NS
