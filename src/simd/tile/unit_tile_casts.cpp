// Casts of register tiles between native dtypes but float16 and complex: a loop over a tile in
// memory that the compiler vectorizes, because hand-written lane moves are no faster with g++.
// HS_DTYPES: Bool I8 I16 I32 I64 F32 F64
#include "simd/lane/cast_value.hpp"
#include "simd/tables/tile_tables.hpp"
#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <DType D>
HS_INLINE constexpr bool in_tiles() {
    return kind(D) != DTypeKind::Complex && D != DType::F16;
}

// A tile of bools holds 0 or 1, and is read as numbers.
template <DType D>
using TileValue = Stored<D == DType::Bool ? DType::U8 : D>;

#if HS_SIMD_LEVEL == 3
// AVX2 cannot convert 64-bit integers, and element by element a tile would go through memory. The
// halves of an integer are the low bits of two floats with fixed exponents: the upper one minus
// both exponents is exact, and the sum of the two rounds once.
template <bool Signed>
HS_INLINE __m256d wholes_to_doubles(__m256i x) {
    constexpr long long kLow = 0x4330000000000000, kHigh = 0x4530000000000000;  // 2^52, 2^84
    constexpr long long kSign = Signed ? 0x80000000 : 0;
    const __m256i low = _mm256_blend_epi32(_mm256_set1_epi64x(kLow), x, 0x55);
    const __m256i high =
        _mm256_xor_si256(_mm256_srli_epi64(x, 32), _mm256_set1_epi64x(kHigh + kSign));
    const __m256i both = _mm256_set1_epi64x(kHigh + kSign + 0x100000);
    const __m256d rest = _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_castsi256_pd(both));
    return _mm256_add_pd(rest, _mm256_castsi256_pd(low));
}

// Converts to float through double if double holds all values exactly; otherwise that would round
// twice.
template <DType To, DType From, int Elements>
HS_INLINE bool cast_wholes(Raw* v) {
    constexpr bool kSigned = kind(From) == DTypeKind::Signed;
    constexpr int kIn = Elements * 8 / kRawBytes;
    __m256d x[kIn];
    if constexpr (To == DType::F32) {
        const __m256i shift = _mm256_set1_epi64x(kSigned ? 1ll << 53 : 0);
        __m256i beyond = _mm256_setzero_si256();
        for (int k = 0; k < kIn; ++k) {
            beyond = _mm256_or_si256(
                beyond, _mm256_srli_epi64(_mm256_add_epi64(v[k].data, shift), kSigned ? 54 : 53));
        }
        if (!_mm256_testz_si256(beyond, beyond)) return false;
    }
#pragma GCC unroll 8
    for (int k = 0; k < kIn; ++k) x[k] = wholes_to_doubles<kSigned>(v[k].data);
#pragma GCC unroll 8
    for (int k = 0; k < kIn; k += To == DType::F32 ? 2 : 1) {
        if constexpr (To == DType::F32) {
            const __m128 low = _mm256_cvtpd_ps(x[k]), high = _mm256_cvtpd_ps(x[k + 1]);
            v[k / 2] = Raw(_mm256_castps_si256(_mm256_set_m128(high, low)));
        } else {
            v[k] = Raw(_mm256_castpd_si256(x[k]));
        }
    }
    return true;
}
template <DType To, DType From>
inline constexpr bool kCastsWholes =
    (To == DType::F64 || To == DType::F32) && (From == DType::I64 || From == DType::U64);
#endif

template <DType To, DType From, int Elements>
struct CastTile {
    HS_INLINE static void apply(Raw* v, const TileStep*, std::int64_t) {
#if HS_SIMD_LEVEL == 3
        if constexpr (kCastsWholes<To, From>) {
            if (cast_wholes<To, From, Elements>(v)) return;
        }
#endif
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

template <DType From, DType To>
void fill_tile_pair(TileTable& table) {
    if constexpr (in_tiles<To>() && From != To) {
        at_widths<(kBytes<To> > kBytes<From>) ? To : From>([&]<int Width>() {
            constexpr int kElements = kTileRegisters * kRawBytes >> Width;
            table.cast[static_cast<int>(From)][static_cast<int>(To)][Width] =
                without_lay(table, whole_of<CastTile<To, From, kElements>>());
        });
    }
}

template <DType From>
void fill_tile_casts_from(TileTable& table) {
#define HS_DTYPE(id, name, type, kind, code, bytes) fill_tile_pair<From, DType::id>(table);
#include "base/dtypes.def"
#undef HS_DTYPE
}

template <DType D>
void fill_tile_casts(TileTable& table) {
    fill_tile_casts_from<D>(table);
    if constexpr (unsigned_twin(D) != D) fill_tile_casts_from<unsigned_twin(D)>(table);
}
template void fill_tile_casts<DType::HS_UNIT_DTYPE>(TileTable& table);

}  // namespace hassium::HS_SIMD_NS
