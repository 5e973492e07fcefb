// Register-tile kernels of one dtype, or of the two integers of one width: rows of a few
// instructions per register. Others have no tile form; they run as loops over memory.
// HS_DTYPES: Bool I8 I16 I32 I64 F32 F64
#include "simd/tables/tile_tables.hpp"
#include "simd/tile/tile_complex.hpp"
#include "simd/tile/tile_divide.hpp"
#include "simd/tile/tile_joined.hpp"
#include "simd/tile/tile_loop.hpp"
#include "simd/tile/tile_quotient.hpp"
#include "simd/tile/tile_root.hpp"
#include "simd/tile/tile_rows.hpp"

namespace hassium::HS_SIMD_NS {

// One input dtype, outputs of it or of bools; rows that must restore flags after each call are
// excluded.
template <class R, DType D>
constexpr bool has_tile_map() {
    if constexpr (!kHasMap<R, D> || kScalarRow<R, D> || kMathUnit<R, D> || kRestoresFlags<R, D> ||
                  kLaneByLane<R>) {
        return false;
    } else {
        constexpr LoopTypes kTypes = kLoop<R, D>;
        return R::kOutputs == 1 && R::kInputs <= 2 && R::kRule != DTypeRule::Any &&
               kTypes.in[0] == D && kTypes.in[1] == D &&
               (kTypes.out[0] == D || kTypes.out[0] == DType::Bool);
    }
}

template <class R, DType D>
constexpr bool has_tile_select() {
    return kHasMap<R, D> && R::kRule == DTypeRule::Select;
}

template <class R, DType D>
constexpr bool has_tile() {
    return has_tile_map<R, D>() || has_tile_select<R, D>();
}

// Bit-identical: of two NaNs, or two zeros of different sign, floats may return either.
template <class R, DType D>
inline constexpr bool kCommutes = has<R>(kCommutative) && !is_inexact(D);

template <class R, DType D, int N, TileForm F, Lay L>
TileFn laid_form(bool spares_divider) {
    if constexpr (has_tile_select<R, D>()) {
        if constexpr (F == TileForm::Acc) {
            return whole_of<SelectByMask<R, D, N, L>>();
        } else {
            return lanes_of<SelectLanes<R, D, N, F, L>>();
        }
    } else if constexpr (divides_by_one<R::kOp, D, F, L>()) {
        return spares_divider ? whole_of<DivideByOne<D, N, true>>()
                              : whole_of<DivideByOne<D, N, false>>();
    } else if constexpr (shares_quotients<R::kOp, D>()) {
        return spares_divider ? whole_of<SharedQuotients<F, L>>()
                              : lanes_of<MapLanes<R, D, N, F, L>>();
    } else if constexpr (shares_roots<R::kOp, D>()) {
        return spares_divider ? whole_of<SharedRoots>() : lanes_of<MapLanes<R, D, N, F, L>>();
    } else if constexpr (kLoop<R, D>.out[0] == D) {
        return lanes_of<MapLanes<R, D, N, F, L>>();
    } else {
        return whole_of<MapMasks<R, D, N, F, L>>();
    }
}

template <class R, DType D, int Width, TileForm F>
TileFn tile_form(TileTable& table) {
    constexpr int N = tile_registers<D>(Width);
    if constexpr (R::kInputs == 1 && F != TileForm::Acc) {
        return nullptr;
    } else if constexpr (kCommutes<R, D> && F == TileForm::MemAcc) {
        return tile_form<R, D, Width, TileForm::AccMem>(table);
    } else if constexpr (kCommutes<R, D> && F == TileForm::ScalarAcc) {
        return tile_form<R, D, Width, TileForm::AccScalar>(table);
    } else if constexpr (F == TileForm::Acc && !has_tile_select<R, D>()) {
        return without_lay(table, laid_form<R, D, N, F, Lay::Along>(table.spares_divider));
    } else {
        return at_lays<D, Width>(
            table, [&]<Lay L>() { return laid_form<R, D, N, F, L>(table.spares_divider); });
    }
}

template <class R, DType D, int Width>
void fill_tile_width(TileTable& table) {
    TileFn* to = table.map[static_cast<int>(R::kOp)][static_cast<int>(D)][Width];
    const auto fill = [&]<TileForm F>() {
        to[static_cast<int>(F)] = tile_form<R, D, Width, F>(table);
    };
    fill.template operator()<TileForm::MemMem>();
    fill.template operator()<TileForm::Acc>();
    if constexpr (!is_swapped<R>()) {
        fill.template operator()<TileForm::AccMem>();
        fill.template operator()<TileForm::MemAcc>();
        fill.template operator()<TileForm::AccScalar>();
        fill.template operator()<TileForm::ScalarAcc>();
    }
}

// ---- rows that share kernels ----

// a > b is b < a.
template <class R, DType D>
void swap_tile_row(TileTable& table) {
    for (int width = 0; width < kTileWidths; ++width) {
        const auto forms = [&](Op op) {
            return table.map[static_cast<int>(op)][static_cast<int>(D)][width];
        };
        const auto swap = [to = forms(R::kOp), from = forms(swapped_comparison(R::kOp))](
                              TileForm a, TileForm b) {
            to[static_cast<int>(a)] = from[static_cast<int>(b)];
            to[static_cast<int>(b)] = from[static_cast<int>(a)];
        };
        swap(TileForm::AccMem, TileForm::MemAcc);
        swap(TileForm::AccScalar, TileForm::ScalarAcc);
    }
}

template <class R, DType D>
void share_tile_row(TileTable& table) {
    using Index = KernelIndex<R, D>;
    for (int width = 0; width < kTileWidths; ++width) {
        for (int form = 0; form < kTileForms; ++form) {
            table.map[Index::kRow][Index::kColumn][width][form] =
                table.map[Index::kFromRow][Index::kFromColumn][width][form];
        }
    }
}

// Comparisons whose operands cannot be swapped.
template <class R, DType D>
constexpr bool has_near_square() {
    return (D == DType::F32 || D == DType::F64) && has_tile_map<R, D>() &&
           R::kRule == DTypeRule::Compare && !has<R>(kCommutative);
}

template <class R, DType D>
void fill_tile_row(TileTable& table) {
    if constexpr (has_near_square<R, D>()) {
        at_widths<D>([&]<int Width>() {
            constexpr int N = tile_registers<D>(Width);
            table.near_square[static_cast<int>(R::kOp)][static_cast<int>(D)][Width] =
                lanes_of<WholeSquareLanes<D, N, WhereNear<R, D>>, 3>();
        });
    }
    at_widths<D>([&]<int Width>() { fill_tile_width<R, D, Width>(table); });
}

template <DType D>
void fill_tile_rows(TileTable& table) {
#define HS_OP(id, ...)                                                           \
    if constexpr (has_tile<row::id, D>() && !KernelIndex<row::id, D>::kShares) { \
        fill_tile_row<row::id, D>(table);                                        \
    }
#include "ops/ops.def"
#undef HS_OP
#define HS_OP(id, ...)                                                                     \
    if constexpr (has_tile<row::id, D>()) {                                                \
        if constexpr (is_swapped<row::id>()) swap_tile_row<row::id, D>(table);             \
        if constexpr (KernelIndex<row::id, D>::kShares) share_tile_row<row::id, D>(table); \
    }
#include "ops/ops.def"
#undef HS_OP
}

template <DType D>
void fill_tile_moves(TileTable& table) {
    at_widths<D>([&]<int Width>() {
        constexpr int N = tile_registers<D>(Width);
        constexpr int kRow = static_cast<int>(D);
        table.load[kRow][Width] =
            at_lays<D, Width>(table, []<Lay L>() { return lanes_of<LoadLanes<D, N, L>>(); });
        table.splat[kRow][Width] =
            at_lays<D, Width>(table, []<Lay L>() { return lanes_of<SplatLanes<D, N, L>>(); });
        table.store[kRow][Width] =
            at_lays<D, Width>(table, []<Lay L>() { return lanes_of<StoreLanes<N, L>>(); });
        table.keep[kRow][Width] = at_lays<D, Width>(table, []<Lay L>() {
            return L == Lay::Along ? lanes_of<KeepLanes<N>>() : lanes_of<StoreLanes<N, L>>();
        });
        table.stream[kRow][Width] = lanes_of<StreamLanes<N>>();
    });
}

inline void share_tile_moves(TileTable& table, DType from, DType to) {
    for (auto* moves : {&table.load, &table.splat, &table.store, &table.keep, &table.stream}) {
        for (int width = 0; width < kTileWidths; ++width) {
            (*moves)[static_cast<int>(to)][width] = (*moves)[static_cast<int>(from)][width];
        }
    }
}

template <DType D>
void fill_tile_complex(TileTable& table) {
    if constexpr (D == DType::F32 || D == DType::F64) {
        constexpr int kRow = static_cast<int>(D);
        constexpr int kPair = static_cast<int>(D == DType::F32 ? DType::C64 : DType::C128);
        at_widths<D>([&]<int Width>() {
            constexpr int N = tile_registers<D>(Width);
            table.part[kPair][Width][0] = lanes_of<PartLanes<D, N, 0>>();
            table.part[kPair][Width][1] = lanes_of<PartLanes<D, N, 1>>();
            table.pair[kPair][Width] = lanes_of<PairLanes<D, N, false>>();
            table.stream_pair[kPair][Width] = lanes_of<PairLanes<D, N, true>>();
            table.fused[kRow][Width][0] = lanes_of<FusedLanes<D, N, 0>>();
            table.fused[kRow][Width][1] = lanes_of<FusedLanes<D, N, 1>>();
            table.squares[kRow][Width][0] = lanes_of<SquareLanes<D, N, 0, Lay::Along>>();
            table.squares[kRow][Width][1] = lanes_of<SquareLanes<D, N, 1, Lay::Along>>();
            table.squares[kRow][Width][2] = at_lays<D, Width>(
                table, []<Lay L>() { return lanes_of<SquareLanes<D, N, 2, L>>(); });
            table.whole_square[kRow][Width][0] =
                lanes_of<WholeSquareLanes<D, N, Everywhere<D>>, 3>();
            table.whole_square[kRow][Width][1] =
                lanes_of<WholeSquareLanes<D, N, WhereTrue<D>>, 3>();
        });
    }
}

template <DType D>
void fill_tiles(TileTable& table) {
    constexpr DType kTwin = unsigned_twin(D);
    fill_tile_moves<D>(table);
    fill_tile_complex<D>(table);
    fill_joined<D>(table);
    fill_rows<D>(table);
    fill_tile_rows<D>(table);
    if constexpr (kTwin != D) {
        fill_tile_rows<kTwin>(table);
        share_tile_moves(table, D, kTwin);
    }
}
template void fill_tiles<DType::HS_UNIT_DTYPE>(TileTable& table);

}  // namespace hassium::HS_SIMD_NS
