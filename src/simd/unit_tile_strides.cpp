// Register tiles of every second element and of elements in backward order, shuffled in registers,
// and the arithmetic of which one input lies so. Nothing is written between the elements, which may
// be another thread's, and nothing is touched beyond the last. Level 2 has none of these kernels: a
// register of two elements gains nothing over a copy.
#include "simd/tile_loop.hpp"
#include "simd/tile_tables.hpp"

namespace hassium::HS_SIMD_NS {

#if HS_SIMD_LEVEL == 4

// Only one lane in two of the last register but one is the view's.
template <int Bytes>
HS_INLINE Raw take_second(const char* p, bool last) {
    const __m512i low = _mm512_loadu_si512(p);
    if constexpr (Bytes == 8) {
        const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        const __m512i high = last ? _mm512_maskz_loadu_epi64(0x7f, p + kRawBytes)
                                  : _mm512_loadu_si512(p + kRawBytes);
        return Raw(_mm512_permutex2var_epi64(low, even, high));
    } else {
        const __m512i even =
            _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        const __m512i high = last ? _mm512_maskz_loadu_epi32(0x7fff, p + kRawBytes)
                                  : _mm512_loadu_si512(p + kRawBytes);
        return Raw(_mm512_permutex2var_epi32(low, even, high));
    }
}

template <int Bytes>
HS_INLINE void put_second(char* p, Raw x) {
    if constexpr (Bytes == 8) {
        const __m512i low = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
        const __m512i high = _mm512_setr_epi64(4, 4, 5, 5, 6, 6, 7, 7);
        _mm512_mask_storeu_epi64(p, 0x55, _mm512_permutexvar_epi64(low, x.data));
        _mm512_mask_storeu_epi64(p + kRawBytes, 0x55, _mm512_permutexvar_epi64(high, x.data));
    } else {
        const __m512i low = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
        const __m512i high =
            _mm512_setr_epi32(8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15);
        _mm512_mask_storeu_epi32(p, 0x5555, _mm512_permutexvar_epi32(low, x.data));
        _mm512_mask_storeu_epi32(p + kRawBytes, 0x5555, _mm512_permutexvar_epi32(high, x.data));
    }
}

template <int Bytes>
HS_INLINE Raw backward(Raw x) {
    if constexpr (Bytes == 8) {
        const __m512i order = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        return Raw(_mm512_permutexvar_epi64(order, x.data));
    } else {
        const __m512i order =
            _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        return Raw(_mm512_permutexvar_epi32(order, x.data));
    }
}

#elif HS_SIMD_LEVEL == 3

// Only one lane in two of the last register but one is the view's.
template <int Bytes>
HS_INLINE Raw take_second(const char* p, bool last) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const auto* const q = reinterpret_cast<const __m256i*>(p + kRawBytes);
    // Shuffles work within halves: the middle quarters have changed places.
    if constexpr (Bytes == 8) {
        const __m256i all = _mm256_setr_epi64x(-1, -1, -1, 0);
        const __m256i high = last
                                 ? _mm256_maskload_epi64(reinterpret_cast<const long long*>(q), all)
                                 : _mm256_loadu_si256(q);
        return Raw(_mm256_permute4x64_epi64(_mm256_unpacklo_epi64(low, high), 0xd8));
    } else {
        const __m256i all = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, -1, 0);
        const __m256i high = last ? _mm256_maskload_epi32(reinterpret_cast<const int*>(q), all)
                                  : _mm256_loadu_si256(q);
        const __m256 both =
            _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88);
        return Raw(_mm256_permute4x64_epi64(_mm256_castps_si256(both), 0xd8));
    }
}

// One by one: a masked store takes some processors twenty steps.
template <int Bytes>
HS_INLINE void put_second(char* p, Raw x) {
    const __m128i half[2] = {_mm256_castsi256_si128(x.data), _mm256_extracti128_si256(x.data, 1)};
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
        char* const to = p + h * kRawBytes;
        if constexpr (Bytes == 8) {
            store_as<std::int64_t>(to, _mm_cvtsi128_si64(half[h]));
            _mm_storeh_pd(reinterpret_cast<double*>(to + 16), _mm_castsi128_pd(half[h]));
        } else {
            store_as<std::int32_t>(to, _mm_cvtsi128_si32(half[h]));
            store_as<std::int32_t>(to + 8, _mm_extract_epi32(half[h], 1));
            store_as<std::int32_t>(to + 16, _mm_extract_epi32(half[h], 2));
            store_as<std::int32_t>(to + 24, _mm_extract_epi32(half[h], 3));
        }
    }
}

template <int Bytes>
HS_INLINE Raw backward(Raw x) {
    if constexpr (Bytes == 8) {
        return Raw(_mm256_permute4x64_epi64(x.data, 0x1b));
    } else {
        const __m256i order = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
        return Raw(_mm256_permutevar8x32_epi32(x.data, order));
    }
}

#endif

#if HS_SIMD_LEVEL >= 3

// Where register number k begins: backward, at its last element.
template <int Bytes, TileApart Apart>
HS_INLINE std::int64_t apart_at(int k) {
    if constexpr (Apart == TileApart::Second) return 2 * k * std::int64_t{kRawBytes};
    return Bytes - (k + 1) * std::int64_t{kRawBytes};
}

template <int Bytes, int N, TileApart Apart>
HS_INLINE Raw take_register(const char* p, int k) {
    const char* const from = p + apart_at<Bytes, Apart>(k);
    if constexpr (Apart == TileApart::Second) return take_second<Bytes>(from, k == N - 1);
    return backward<Bytes>(Raw::load_unaligned(reinterpret_cast<const uint8_t*>(from)));
}

template <int Bytes, int N, TileApart Apart>
struct TakeLanes {
    static constexpr int kCount = N;
    const char* p;
    HS_INLINE TakeLanes(const TileStep* step, std::int64_t at) : p(tile_address<0>(step, at)) {}
    HS_INLINE Raw apply(Raw, int k) const { return take_register<Bytes, N, Apart>(p, k); }
};

template <int Bytes, int N, TileApart Apart>
struct PutLanes {
    static constexpr int kCount = N;
    char* p;
    HS_INLINE PutLanes(const TileStep* step, std::int64_t at) : p(tile_address<0>(step, at)) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        char* const to = p + apart_at<Bytes, Apart>(k);
        if constexpr (Apart == TileApart::Second) {
            put_second<Bytes>(to, acc);
        } else {
            backward<Bytes>(acc).store_unaligned(reinterpret_cast<uint8_t*>(to));
        }
        return acc;
    }
};

// The accumulator is the first input, or the second.
template <class R, DType D, int N, TileApart Apart, bool Second>
struct MapTakenLanes {
    static constexpr int kCount = N;
    const char* p;
    HS_INLINE MapTakenLanes(const TileStep* step, std::int64_t at) : p(tile_address<0>(step, at)) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        const Raw taken = take_register<kBytes<D>, N, Apart>(p, k);
        const Raw a = Second ? taken : acc, b = Second ? acc : taken;
        return to_raw<D>(R::apply(from_raw<D>(a), from_raw<D>(b), lane::None{}));
    }
};

template <class Body>
TileFn lanes() {
    return reinterpret_cast<TileFn>(&tile_lanes<Body>);
}

template <int Bytes, int Width, TileApart Apart>
void fill_moves_apart(TileTable& table) {
    constexpr int N = kTileRegisters * Bytes >> Width;
    constexpr int kLog2 = Bytes == 8 ? 3 : 2;
    table.take[static_cast<int>(Apart)][kLog2][Width] = lanes<TakeLanes<Bytes, N, Apart>>();
    table.put[static_cast<int>(Apart)][kLog2][Width] = lanes<PutLanes<Bytes, N, Apart>>();
}

template <class R, DType D, int Width>
void fill_map_apart(TileTable& table) {
    constexpr int N = tile_registers<D>(Width);
    constexpr TileApart kApart = TileApart::Second;
    TileFn* to = table.map_taken[static_cast<int>(R::kOp)][static_cast<int>(D)][Width];
    to[0] = lanes<MapTakenLanes<R, D, N, kApart, false>>();
    to[1] = lanes<MapTakenLanes<R, D, N, kApart, true>>();
}

template <DType D, int Width>
void fill_apart(TileTable& table) {
    fill_moves_apart<kBytes<D>, Width, TileApart::Second>(table);
    fill_moves_apart<kBytes<D>, Width, TileApart::Backward>(table);
    fill_map_apart<row::Add, D, Width>(table);
    fill_map_apart<row::Subtract, D, Width>(table);
    fill_map_apart<row::Multiply, D, Width>(table);
}

void fill_tile_strides(TileTable& table) {
    fill_apart<DType::F64, 3>(table);
    fill_apart<DType::F32, 3>(table);
    fill_apart<DType::F32, 2>(table);
}

#else

void fill_tile_strides(TileTable&) {}

#endif

}  // namespace hassium::HS_SIMD_NS
