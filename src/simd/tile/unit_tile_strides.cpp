// Register tiles of strided elements (every second, backward, others), assembled in registers, and
// arithmetic with one input at every second element. Elements in between, which may be another
// thread's, are not written, and nothing beyond the last is touched. Level 2 has none of these
// kernels: a register of two elements gains nothing over a copy.
#include "simd/tables/tile_tables.hpp"
#include "simd/tile/strided_lanes.hpp"

namespace hassium::HS_SIMD_NS {

#if HS_SIMD_LEVEL >= 3

// ---- any stride ----

template <int Bytes>
HS_INLINE __m128i take_few(const char* p, std::int64_t stride) {
    if constexpr (Bytes == 8) {
        return load_two(p, p + stride);
    } else {
        __m128i x = _mm_loadu_si32(p);
        x = _mm_insert_epi32(x, load_as<std::int32_t>(p + stride), 1);
        x = _mm_insert_epi32(x, load_as<std::int32_t>(p + 2 * stride), 2);
        return _mm_insert_epi32(x, load_as<std::int32_t>(p + 3 * stride), 3);
    }
}
template <int Bytes>
HS_INLINE void put_few(char* p, std::int64_t stride, __m128i x) {
    if constexpr (Bytes == 8) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(p), x);
        _mm_storeh_pd(reinterpret_cast<double*>(p + stride), _mm_castsi128_pd(x));
    } else {
        store_as<std::int32_t>(p, _mm_cvtsi128_si32(x));
        store_as<std::int32_t>(p + stride, _mm_extract_epi32(x, 1));
        store_as<std::int32_t>(p + 2 * stride, _mm_extract_epi32(x, 2));
        store_as<std::int32_t>(p + 3 * stride, _mm_extract_epi32(x, 3));
    }
}

inline constexpr int kFewParts = kRawBytes / 16;

template <int Bytes, int N>
struct StridedLanes {
    static constexpr int kCount = N;
    char* p;
    std::int64_t stride;
    HS_INLINE StridedLanes(const TileStep* step, std::int64_t at)
        : p(tile_address<0>(step, at)), stride(step->s[0]) {}
    HS_INLINE char* few(int k, int part) const {
        return p + (k * kFewParts + part) * std::int64_t{16 / Bytes} * stride;
    }
};

template <int Bytes, int N>
struct TakeStridedLanes : StridedLanes<Bytes, N> {
    using StridedLanes<Bytes, N>::StridedLanes;
    HS_INLINE Raw apply(Raw, int k) const {
        __m128i x[kFewParts];
#pragma GCC unroll 4
        for (int j = 0; j < kFewParts; ++j) {
            x[j] = take_few<Bytes>(this->few(k, j), this->stride);
        }
        return from_parts(x);
    }
};

template <int Bytes, int N>
struct PutStridedLanes : StridedLanes<Bytes, N> {
    using StridedLanes<Bytes, N>::StridedLanes;
    template <int J>
    HS_INLINE void put(Raw acc, int k) const {
        if constexpr (J < kFewParts) {
            put_few<Bytes>(this->few(k, J), this->stride, part_of<J>(acc));
            put<J + 1>(acc, k);
        }
    }
    HS_INLINE Raw apply(Raw acc, int k) const {
        put<0>(acc, k);
        return acc;
    }
};

// Strides of three and four elements, as of colour channels, by whole registers.
template <int Bytes, int N>
struct TakeStrided {
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        if (take_by_registers<Bytes, N>(v, tile_address<0>(step, at), step->s[0])) return;
        const TakeStridedLanes<Bytes, N> lanes(step, at);
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) v[k] = lanes.apply(v[k], k);
    }
};

template <int Bytes, int N>
struct PutStrided {
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        if (put_by_registers<Bytes, N>(tile_address<0>(step, at), v, step->s[0])) return;
        const PutStridedLanes<Bytes, N> lanes(step, at);
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) lanes.apply(v[k], k);
    }
};

// Returns the offset of register k in backward order, which begins at its last element.
template <int Bytes>
HS_INLINE std::int64_t backward_at(int k) {
    return Bytes - (k + 1) * std::int64_t{kRawBytes};
}

template <int Bytes, int N>
struct TakeSeconds {
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        take_seconds<Bytes, N>(tile_address<0>(step, at), v);
    }
};

template <int Bytes, int N>
struct TakeBackwardLanes {
    static constexpr int kCount = N;
    const char* p;
    HS_INLINE TakeBackwardLanes(const TileStep* step, std::int64_t at)
        : p(tile_address<0>(step, at)) {}
    HS_INLINE Raw apply(Raw, int k) const {
        const auto* const from = reinterpret_cast<const uint8_t*>(p + backward_at<Bytes>(k));
        return backward<Bytes>(Raw::load_unaligned(from));
    }
};

template <int Bytes, int N>
struct PutSeconds {
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        put_seconds<Bytes, N>(tile_address<0>(step, at), v);
    }
};

template <int Bytes, int N>
struct PutBackwardLanes {
    static constexpr int kCount = N;
    char* p;
    HS_INLINE PutBackwardLanes(const TileStep* step, std::int64_t at)
        : p(tile_address<0>(step, at)) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        backward<Bytes>(acc).store_unaligned(reinterpret_cast<uint8_t*>(p + backward_at<Bytes>(k)));
        return acc;
    }
};

template <class R, DType D>
HS_INLINE Raw map_raw(Raw a, Raw b) {
    return to_raw<D>(R::apply(from_raw<D>(a), from_raw<D>(b), lane::None{}));
}

// The accumulator is the first input, or the second.
template <class R, DType D, int N, bool Second>
struct MapTaken {
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        Raw taken[N];
        take_seconds<kBytes<D>, N>(tile_address<0>(step, at), taken);
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) {
            v[k] = Second ? map_raw<R, D>(taken[k], v[k]) : map_raw<R, D>(v[k], taken[k]);
        }
    }
};

// Both inputs are at second elements. If they are one element apart, they are loaded once.
template <class R, DType D, int N>
struct MapTakenPair {
    static constexpr int kBytesOf = kBytes<D>;
    // `low` is the input that begins an element before the other: the first input, or the second.
    template <bool First>
    HS_INLINE static void neighbours(Raw* v, const char* low) {
        Raw x[N + 1];
        take_seconds<kBytesOf, N>(low, x);
        x[N] = first_lane<kBytesOf>(low + 2 * N * std::int64_t{kRawBytes});
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) {
            const Raw shifted = next_lanes<kBytesOf>(x[k], x[k + 1]);
            v[k] = First ? map_raw<R, D>(x[k], shifted) : map_raw<R, D>(shifted, x[k]);
        }
    }
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        const char* const p = tile_address<0>(step, at);
        const char* const q = tile_address<1>(step, at);
        if (q - p == 2 * kBytesOf) return neighbours<true>(v, p);
        if (p - q == 2 * kBytesOf) return neighbours<false>(v, q);
        Raw x[N];
        take_seconds<kBytesOf, N>(p, x);
        take_seconds<kBytesOf, N>(q, v);
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) v[k] = map_raw<R, D>(x[k], v[k]);
    }
};

template <int Bytes, int Width>
void fill_moves_apart(TileTable& table) {
    constexpr int N = kTileRegisters * Bytes >> Width;
    constexpr int kLog2 = Bytes == 8 ? 3 : 2;
    constexpr int kSecond = static_cast<int>(TileStrided::Second);
    constexpr int kBackward = static_cast<int>(TileStrided::Backward);
    constexpr int kStrided = static_cast<int>(TileStrided::Strided);
    table.take[kSecond][kLog2][Width] = whole_of<TakeSeconds<Bytes, N>>();
    table.take[kBackward][kLog2][Width] = lanes_of<TakeBackwardLanes<Bytes, N>>();
    table.take[kStrided][kLog2][Width] = whole_of<TakeStrided<Bytes, N>>();
    table.put[kStrided][kLog2][Width] = whole_of<PutStrided<Bytes, N>>();
    table.put[kSecond][kLog2][Width] = whole_of<PutSeconds<Bytes, N>>();
    table.put[kBackward][kLog2][Width] = lanes_of<PutBackwardLanes<Bytes, N>>();
}

template <class R, DType D, int Width>
void fill_map_apart(TileTable& table) {
    constexpr int N = tile_registers<D>(Width);
    TileFn* to = table.map_taken[static_cast<int>(R::kOp)][static_cast<int>(D)][Width];
    to[0] = whole_of<MapTaken<R, D, N, false>>();
    to[1] = whole_of<MapTaken<R, D, N, true>>();
    to[2] = whole_of<MapTakenPair<R, D, N>>();
}

template <DType D, int Width>
void fill_apart(TileTable& table) {
    fill_moves_apart<kBytes<D>, Width>(table);
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
