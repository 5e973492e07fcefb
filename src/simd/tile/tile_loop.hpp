// Kernels of register tiles (tiles.hpp): bodies of all steps but casts.
//
// Parameters are eight separate registers of bytes, whatever the dtype: as one struct or an array
// they would travel through memory, and with one type per dtype the steps could not be mixed.
// Values are copied back into the parameters before the last call, or g++ would keep the frame.
#pragma once

#include "simd/lane/lane_order.hpp"
#include "simd/map/map_loop.hpp"
#include "simd/reduce/fold_lanes.hpp"
#include "simd/tables/tiles.hpp"
#include "simd/tile/tile_masks.hpp"

namespace hassium::HS_SIMD_NS {

inline constexpr int kTileRegisters = 8;
inline constexpr int kRawBytes = static_cast<int>(Raw::size);

#define HS_TILE_PARAMETERS                                                                         \
    const TileStep *step, std::int64_t at, Raw v0, Raw v1, Raw v2, Raw v3, Raw v4, Raw v5, Raw v6, \
        Raw v7
#define HS_TILE_NEXT \
    reinterpret_cast<TileBody>(step[1].fn)(step + 1, at, v0, v1, v2, v3, v4, v5, v6, v7)

using TileBody = void (*)(HS_TILE_PARAMETERS);

// Returns how many registers a dtype has in a chain whose widest dtype has 1 << width bytes.
template <DType D>
constexpr int tile_registers(int width) {
    return kTileRegisters * kBytes<D> >> width;
}

template <DType D>
HS_INLINE Register<D> from_raw(Raw x) {
    if constexpr (D == DType::Bool) {
        return {x};
    } else {
        return math::recast<Part<D>>(x);
    }
}
template <DType D>
HS_INLINE Raw to_raw(Register<D> x) {
    if constexpr (D == DType::Bool) {
        return x.v;
    } else {
        return math::recast<uint8_t>(x);
    }
}

template <int K>
HS_INLINE char* tile_address(const TileStep* step, std::int64_t at) {
    return step->p[K] + at * step->s[K];
}

// Layout of a tile in memory (tiles.hpp): registers follow one another along a row, or each is on
// another line.
enum class Lay : std::uint8_t { Along, OuterLoop };

// Operand K of a step.
template <int K, Lay L>
struct TilePlace {
    char* p;
    HS_INLINE TilePlace(const TileStep* step, std::int64_t at) : p(tile_address<K>(step, at)) {}
    HS_INLINE char* at(int k) const { return p + k * kRawBytes; }
    // For a tile of bools that belongs to registers of D.
    template <DType D>
    HS_INLINE char* bools(int k) const {
        return p + k * kWidth<D>;
    }
};
template <int K>
struct TilePlace<K, Lay::OuterLoop> {
    char* p;
    std::int64_t pitch;
    HS_INLINE TilePlace(const TileStep* step, std::int64_t at)
        : p(step->p[K] + at), pitch(step->s[K]) {}
    HS_INLINE char* at(int k) const { return p + k * pitch; }
    template <DType D>
    HS_INLINE char* bools(int k) const {
        return p + k * kWidth<D>;
    }
};

// One element for the whole tile, or for each line.
template <DType D, int K, Lay L>
struct TileElement {
    Register<D> x;
    HS_INLINE TileElement(const TileStep* step, std::int64_t at)
        : x(broadcast<D>(tile_address<K>(step, at))) {}
    HS_INLINE Register<D> get(int) const { return x; }
};
template <DType D, int K>
struct TileElement<D, K, Lay::OuterLoop> {
    const char* p;
    std::int64_t pitch;
    HS_INLINE TileElement(const TileStep* step, std::int64_t) : p(step->p[K]), pitch(step->s[K]) {}
    HS_INLINE Register<D> get(int k) const { return broadcast<D>(p + k * pitch); }
};

// ---- steps whose registers are independent of one another ----

// Body has a constructor from (step, at), and apply(accumulator, number) for the first kCount
// registers. Its operands take `Places` steps of the chain, of which only the first is called.
template <class Body, int Places = 1>
void tile_lanes(HS_TILE_PARAMETERS) {
    const Body body(step, at);
    if constexpr (Body::kCount > 0) v0 = body.apply(v0, 0), lane_done(v0);
    if constexpr (Body::kCount > 1) v1 = body.apply(v1, 1), lane_done(v1);
    if constexpr (Body::kCount > 2) v2 = body.apply(v2, 2), lane_done(v2);
    if constexpr (Body::kCount > 3) v3 = body.apply(v3, 3), lane_done(v3);
    if constexpr (Body::kCount > 4) v4 = body.apply(v4, 4), lane_done(v4);
    if constexpr (Body::kCount > 5) v5 = body.apply(v5, 5), lane_done(v5);
    if constexpr (Body::kCount > 6) v6 = body.apply(v6, 6), lane_done(v6);
    if constexpr (Body::kCount > 7) v7 = body.apply(v7, 7), lane_done(v7);
    step += Places - 1;
    return HS_TILE_NEXT;
}

// ---- steps that see the whole tile ----

// Body has apply(registers, step, at). Places as in tile_lanes.
template <class Body, int Places = 1>
void tile_whole(HS_TILE_PARAMETERS) {
    Raw v[kTileRegisters] = {v0, v1, v2, v3, v4, v5, v6, v7};
    Body::apply(v, step, at);
    v0 = v[0];
    v1 = v[1];
    v2 = v[2];
    v3 = v[3];
    v4 = v[4];
    v5 = v[5];
    v6 = v[6];
    v7 = v[7];
    step += Places - 1;
    return HS_TILE_NEXT;
}

// ---- operands ----

// Operand of a step: none, a tile, or one element.
struct NoOperand {
    HS_INLINE NoOperand(const TileStep*, std::int64_t) {}
};
template <DType D, int K, Lay L>
struct TileOperand {
    TilePlace<K, L> place;
    HS_INLINE TileOperand(const TileStep* step, std::int64_t at) : place(step, at) {}
    HS_INLINE Register<D> get(int k) const { return load_register<D>(place.at(k)); }
};

constexpr bool has_scalar(TileForm f) {
    return f == TileForm::AccScalar || f == TileForm::ScalarAcc;
}

template <DType D, TileForm F, Lay L>
struct TileOperands {
    std::conditional_t<
        F == TileForm::Acc, NoOperand,
        std::conditional_t<has_scalar(F), TileElement<D, 0, L>, TileOperand<D, 0, L>>>
        p;
    std::conditional_t<F == TileForm::MemMem, TileOperand<D, 1, L>, NoOperand> q;

    HS_INLINE TileOperands(const TileStep* step, std::int64_t at) : p(step, at), q(step, at) {}
    HS_INLINE Register<D> first(Raw acc, int k) const {
        if constexpr (F == TileForm::ScalarAcc || F == TileForm::MemAcc || F == TileForm::MemMem) {
            return p.get(k);
        } else {
            return from_raw<D>(acc);
        }
    }
    HS_INLINE Register<D> second(Raw acc, int k) const {
        if constexpr (F == TileForm::AccScalar || F == TileForm::AccMem) {
            return p.get(k);
        } else if constexpr (F == TileForm::MemMem) {
            return q.get(k);
        } else {
            return from_raw<D>(acc);
        }
    }
};

template <class R, DType D, TileForm F, Lay L>
HS_INLINE auto apply_tile(const TileOperands<D, F, L>& in, Raw acc, int k) {
    if constexpr (R::kInputs == 1) {
        return R::apply(in.first(acc, k), lane::None{}, lane::None{});
    } else {
        return R::apply(in.first(acc, k), in.second(acc, k), lane::None{});
    }
}

// ---- maps ----

template <class R, DType D, int N, TileForm F, Lay L>
struct MapLanes {
    static constexpr int kCount = N;
    TileOperands<D, F, L> in;
    HS_INLINE MapLanes(const TileStep* step, std::int64_t at) : in(step, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        return to_raw<D>(apply_tile<R, D, F, L>(in, acc, k));
    }
};

// Comparisons and tests: N registers make N / sizeof(T) of bools.
template <class R, DType D, int N, TileForm F, Lay L>
struct MapMasks {
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        constexpr int kGroup = kBytes<D>;
        const TileOperands<D, F, L> in(step, at);
#pragma GCC unroll 8
        for (int j = 0; j < N / kGroup; ++j) {
            Mask<Part<D>> m[kGroup];
#pragma GCC unroll 8
            for (int i = 0; i < kGroup; ++i) {
                m[i] = apply_tile<R, D, F, L>(in, v[j * kGroup + i], j * kGroup + i);
                lane_done(m[i]);
            }
            v[j] = pack_masks<Part<D>>(m);
        }
    }
};

// ---- selects ----

template <class R, DType D, int N, TileForm F, Lay L>
struct SelectLanes {
    static constexpr int kCount = N;
    TileOperands<D, F, L> in;
    TilePlace<2, L> mask;
    HS_INLINE SelectLanes(const TileStep* step, std::int64_t at) : in(step, at), mask(step, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        const char* here = mask.template bools<D>(k);
        const Register<D> a = in.first(acc, k);
        const Register<D> b = in.second(acc, k);
        if constexpr (D == DType::Bool) {
            return to_raw<D>(R::apply(load_register<D>(here), a, b));
        } else {
            return to_raw<D>(R::apply(tile_mask<Part<D>>(here), a, b));
        }
    }
};

// For a mask in the accumulator.
template <class R, DType D, int N, Lay L>
struct SelectByMask {
    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        constexpr int kGroup = kBytes<D>;
        const TileOperands<D, TileForm::MemMem, L> in(step, at);
        Raw bytes[N / kGroup];
        for (int j = 0; j < N / kGroup; ++j) bytes[j] = v[j];
#pragma GCC unroll 8
        for (int k = 0; k < N; ++k) {
            const Register<D> a = in.first(v[k], k);
            const Register<D> b = in.second(v[k], k);
            if constexpr (D == DType::Bool) {
                v[k] = to_raw<D>(R::apply(Bools{bytes[k]}, a, b));
            } else {
                v[k] =
                    to_raw<D>(R::apply(unpack_mask<Part<D>>(bytes[k / kGroup], k % kGroup), a, b));
            }
            lane_done(v[k]);
        }
    }
};

// ---- loads and stores ----

template <DType D, int N, Lay L>
struct LoadLanes {
    static constexpr int kCount = N;
    TilePlace<0, L> from;
    HS_INLINE LoadLanes(const TileStep* step, std::int64_t at) : from(step, at) {}
    HS_INLINE Raw apply(Raw, int k) const { return to_raw<D>(load_register<D>(from.at(k))); }
};

template <DType D, int N, Lay L>
struct SplatLanes {
    static constexpr int kCount = N;
    TileElement<D, 0, L> x;
    HS_INLINE SplatLanes(const TileStep* step, std::int64_t at) : x(step, at) {}
    HS_INLINE Raw apply(Raw, int k) const { return to_raw<D>(x.get(k)); }
};

template <int N, Lay L>
struct StoreLanes {
    static constexpr int kCount = N;
    TilePlace<0, L> to;
    HS_INLINE StoreLanes(const TileStep* step, std::int64_t at) : to(step, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        acc.store_unaligned(reinterpret_cast<uint8_t*>(to.at(k)));
        return acc;
    }
};

// Stores to a tile of the chain, whose address is the same along the whole row.
template <int N>
struct KeepLanes {
    static constexpr int kCount = N;
    char* p;
    HS_INLINE KeepLanes(const TileStep* step, std::int64_t) : p(step->p[0]) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        acc.store_unaligned(reinterpret_cast<uint8_t*>(p + k * kRawBytes));
        return acc;
    }
};

template <int N>
struct StreamLanes {
    static constexpr int kCount = N;
    char* p;
    bool aligned;
    HS_INLINE StreamLanes(const TileStep* step, std::int64_t at)
        : p(tile_address<0>(step, at)),
          aligned(reinterpret_cast<std::uintptr_t>(p) % kRawBytes == 0) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        if (aligned) {
            stream_register(p + k * kRawBytes, acc);
        } else {
            acc.store_unaligned(reinterpret_cast<uint8_t*>(p + k * kRawBytes));
        }
        return acc;
    }
};

// ---- into the table ----

// Calls fill.operator()<Width>() for each width of a chain that is at least that of the dtype.
template <DType D, class Fill>
void at_widths(Fill fill) {
    [&]<int... Width>(std::integer_sequence<int, Width...>) {
        const auto at = [&]<int W>() {
            if constexpr (kBytes<D> <= (1 << W)) fill.template operator()<W>();
        };
        (at.template operator()<Width>(), ...);
    }(std::make_integer_sequence<int, kTileWidths>());
}

template <class Body, int Places = 1>
TileFn lanes_of() {
    return reinterpret_cast<TileFn>(&tile_lanes<Body, Places>);
}
template <class Body, int Places = 1>
TileFn whole_of() {
    return reinterpret_cast<TileFn>(&tile_whole<Body, Places>);
}

// Out of line, or hundreds of callers would contain the code that grows the vector.
[[gnu::noinline]] inline TileFn with_twin(TileTable& table, TileFn along, TileFn across) {
    table.twins.push_back({along, across});
    return along;
}

// Returns the kernel along a row and adds its twin across lines to the table. `make` returns the
// kernel of a layout.
template <class Make>
TileFn both_lays(TileTable& table, Make make) {
    return with_twin(table, make.template operator()<Lay::Along>(),
                     make.template operator()<Lay::OuterLoop>());
}

// Only elements of the chain's own width have twins, and the bools beside them.
template <DType D, int Width>
constexpr bool has_twin() {
    return Width >= 2 && (kBytes<D> == (1 << Width) || D == DType::Bool);
}
template <DType D, int Width, class Make>
TileFn at_lays(TileTable& table, Make make) {
    if constexpr (has_twin<D, Width>()) return both_lays(table, make);
    return make.template operator()<Lay::Along>();
}
// A kernel that touches no memory is its own twin.
inline TileFn without_lay(TileTable& table, TileFn fn) { return with_twin(table, fn, fn); }

}  // namespace hassium::HS_SIMD_NS
