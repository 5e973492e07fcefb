// Casts of register tiles between native dtypes but float16 and complex: a loop over a tile in
// memory that the compiler turns into vector code, because g++ moves no registers across lanes
// better by hand.
// HS_DTYPES: Bool I8 I16 I32 I64 F32 F64
#include "simd/cast_value.hpp"
#include "simd/tile_loop.hpp"
#include "simd/tile_tables.hpp"

namespace hassium::HS_SIMD_NS {

template <DType D>
HS_INLINE constexpr bool in_tiles() {
    return kind(D) != DTypeKind::Complex && D != DType::F16;
}

// What a tile of bools holds is 0 or 1, and reads as a number.
template <DType D>
using TileValue = Stored<D == DType::Bool ? DType::U8 : D>;

template <DType To, DType From, int Elements>
struct CastTile {
    HS_INLINE static void apply(Raw* v, const TileStep*, std::int64_t) {
        alignas(64) TileValue<From> in[Elements];
        alignas(64) TileValue<To> out[Elements];
        constexpr int kIn = Elements * kBytes<From> / kRawBytes;
        constexpr int kOut = Elements * kBytes<To> / kRawBytes;
#pragma GCC unroll 8
        for (int k = 0; k < kIn; ++k) {
            v[k].store_aligned(reinterpret_cast<uint8_t*>(in) + k * kRawBytes);
        }
        for (int i = 0; i < Elements; ++i) {
            if constexpr (To == DType::Bool) {
                out[i] = in[i] != 0;
            } else {
                out[i] = cast_value<To, From == DType::Bool ? DType::U8 : From>(in[i]);
            }
        }
#pragma GCC unroll 8
        for (int k = 0; k < kOut; ++k) {
            v[k] = Raw::load_aligned(reinterpret_cast<const uint8_t*>(out) + k * kRawBytes);
        }
    }
};

template <DType To, DType From, int Width>
void fill_tile_cast(TileTable& table) {
    if constexpr (kBytes<To> <= (1 << Width) && kBytes<From> <= (1 << Width)) {
        constexpr int kElements = kTileRegisters * kRawBytes >> Width;
        table.cast[static_cast<int>(From)][static_cast<int>(To)][Width] =
            without_lay(table, whole_of<CastTile<To, From, kElements>>());
    }
}

template <DType From, DType To>
void fill_tile_pair(TileTable& table) {
    if constexpr (in_tiles<To>() && From != To) {
        fill_tile_cast<To, From, 0>(table);
        fill_tile_cast<To, From, 1>(table);
        fill_tile_cast<To, From, 2>(table);
        fill_tile_cast<To, From, 3>(table);
    }
}

template <DType From>
void fill_tile_casts_from(TileTable& table) {
#define HS_DTYPE(id, name, type, kind, code, bytes) fill_tile_pair<From, DType::id>(table);
#include "base/dtypes.def"
#undef HS_DTYPE
}

void HS_FILL(tile_casts_, HS_UNIT_DTYPE)(TileTable& table) {
    fill_tile_casts_from<DType::HS_UNIT_DTYPE>(table);
    if constexpr (tile_twin(DType::HS_UNIT_DTYPE) != DType::HS_UNIT_DTYPE) {
        fill_tile_casts_from<tile_twin(DType::HS_UNIT_DTYPE)>(table);
    }
}

}  // namespace hassium::HS_SIMD_NS
