// Steps of register tiles that do two things: two turns of arithmetic (tiles.hpp), or one with
// bools read as numbers. Each operation rounds by itself, as in the rows that they stand for.
#pragma once

#include "simd/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <DType D, Turn T>
HS_INLINE Register<D> take_turn(Register<D> value, Register<D> operand) {
    constexpr lane::None kNone{};
    if constexpr (T == Turn::Add) {
        return row::Add::apply(value, operand, kNone);
    } else if constexpr (T == Turn::Subtract) {
        return row::Subtract::apply(value, operand, kNone);
    } else if constexpr (T == Turn::From) {
        return row::Subtract::apply(operand, value, kNone);
    } else {
        return row::Multiply::apply(value, operand, kNone);
    }
}

// What a step reads at one of its places: a tile, or one element for all of it.
template <DType D, int K, bool Scalar>
struct TurnOperand {
    const char* p;
    HS_INLINE TurnOperand(const TileStep* step, std::int64_t at) : p(tile_address<K>(step, at)) {}
    HS_INLINE Register<D> get(int k) const { return load_register<D>(p + k * kRawBytes); }
};
template <DType D, int K>
struct TurnOperand<D, K, true> {
    Register<D> x;
    HS_INLINE TurnOperand(const TileStep* step, std::int64_t at)
        : x(broadcast<D>(tile_address<K>(step, at))) {}
    HS_INLINE Register<D> get(int) const { return x; }
};

template <DType D, TurnForm F>
struct TurnStart;
template <DType D>
struct TurnStart<D, TurnForm::Acc> {
    HS_INLINE TurnStart(const TileStep*, std::int64_t) {}
    HS_INLINE Register<D> value(Raw acc, int) const { return from_raw<D>(acc); }
    HS_INLINE Register<D> operand(Raw acc, int) const { return from_raw<D>(acc); }
};
template <DType D, TurnForm F>
    requires(F == TurnForm::AccMem || F == TurnForm::AccScalar)
struct TurnStart<D, F> {
    TurnOperand<D, 0, F == TurnForm::AccScalar> p;
    HS_INLINE TurnStart(const TileStep* step, std::int64_t at) : p(step, at) {}
    HS_INLINE Register<D> value(Raw acc, int) const { return from_raw<D>(acc); }
    HS_INLINE Register<D> operand(Raw, int k) const { return p.get(k); }
};
template <DType D, TurnForm F>
    requires(F == TurnForm::MemMem || F == TurnForm::MemScalar)
struct TurnStart<D, F> {
    TurnOperand<D, 0, false> p;
    TurnOperand<D, 2, F == TurnForm::MemScalar> q;
    HS_INLINE TurnStart(const TileStep* step, std::int64_t at) : p(step, at), q(step, at) {}
    HS_INLINE Register<D> value(Raw, int k) const { return p.get(k); }
    HS_INLINE Register<D> operand(Raw, int k) const { return q.get(k); }
};

template <DType D, Turn First, TurnForm F, Turn Second, bool Scalar>
struct JoinedLanes {
    static constexpr int kCount = kTileRegisters;
    TurnStart<D, F> start;
    TurnOperand<D, 1, Scalar> last;
    HS_INLINE JoinedLanes(const TileStep* step, std::int64_t at)
        : start(step, at), last(step, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        const Register<D> x = take_turn<D, First>(start.value(acc, k), start.operand(acc, k));
        return to_raw<D>(take_turn<D, Second>(x, last.get(k)));
    }
};

template <DType D, Turn First, Turn Second>
struct TermLanes {
    static constexpr int kCount = kTileRegisters;
    TurnOperand<D, 0, false> x;
    TurnOperand<D, 1, true> first;
    TurnOperand<D, 2, true> second;
    HS_INLINE TermLanes(const TileStep* step, std::int64_t at)
        : x(step, at), first(step, at), second(step, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        Register<D> by = x.get(k);
        read_once(by);
        Register<D> y = take_turn<D, Turn::Multiply>(from_raw<D>(acc), by);
        y = take_turn<D, Turn::Multiply>(take_turn<D, First>(y, first.get(k)), by);
        return to_raw<D>(take_turn<D, Second>(y, second.get(k)));
    }
};

template <DType D>
struct FourTermLanes {
    static constexpr int kCount = kTileRegisters;
    TurnOperand<D, 0, false> x;
    TurnOperand<D, 1, true> first;
    TurnOperand<D, 2, true> second;
    TurnOperand<D, 0, true> third;
    TurnOperand<D, 1, true> fourth;
    HS_INLINE FourTermLanes(const TileStep* step, std::int64_t at)
        : x(step, at),
          first(step, at),
          second(step, at),
          third(step + 1, at),
          fourth(step + 1, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        Register<D> by = x.get(k);
        read_once(by);
        Register<D> y = from_raw<D>(acc);
        auto add = [&](Register<D> term) {
            y = take_turn<D, Turn::Add>(take_turn<D, Turn::Multiply>(y, by), term);
        };
        add(first.get(k)), add(second.get(k)), add(third.get(k)), add(fourth.get(k));
        return to_raw<D>(y);
    }
};

template <DType D, int N, Turn T>
struct BoolLanes {
    static constexpr int kCount = N;
    const char* p;
    HS_INLINE BoolLanes(const TileStep* step, std::int64_t at) : p(tile_address<0>(step, at)) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        const Mask<Part<D>> mask = tile_mask<Part<D>>(p + k * kWidth<D>);
        const Register<D> x = xsimd::select(mask, Register<D>(Part<D>(1)), Register<D>(Part<D>(0)));
        return to_raw<D>(take_turn<D, T>(from_raw<D>(acc), x));
    }
};

template <class Body, int Places = 1>
TileFn joined_of() {
    return reinterpret_cast<TileFn>(&tile_lanes<Body, Places>);
}

template <DType D, Turn First, TurnForm F, Turn Second>
void fill_second(TileTable& table) {
    TileFn* to = table.joined[static_cast<int>(D)][static_cast<int>(First)][static_cast<int>(F)]
                             [static_cast<int>(Second)];
    to[0] = joined_of<JoinedLanes<D, First, F, Second, false>>();
    to[1] = joined_of<JoinedLanes<D, First, F, Second, true>>();
}

template <DType D, Turn First, TurnForm F>
void fill_form(TileTable& table) {
    fill_second<D, First, F, Turn::Add>(table);
    fill_second<D, First, F, Turn::Subtract>(table);
    fill_second<D, First, F, Turn::From>(table);
    fill_second<D, First, F, Turn::Multiply>(table);
}

// Two arrays can change places, and of one value only the square is worth a step.
template <DType D, Turn First>
void fill_first(TileTable& table) {
    fill_form<D, First, TurnForm::AccMem>(table);
    fill_form<D, First, TurnForm::AccScalar>(table);
    fill_form<D, First, TurnForm::MemScalar>(table);
    if constexpr (First != Turn::From) fill_form<D, First, TurnForm::MemMem>(table);
    if constexpr (First == Turn::Multiply) fill_form<D, First, TurnForm::Acc>(table);
}

template <DType D, int Width>
void fill_with_bools(TileTable& table) {
    if constexpr (kBytes<D> <= (1 << Width)) {
        constexpr int N = tile_registers<D>(Width);
        TileFn* to = table.with_bools[static_cast<int>(D)][Width];
        to[static_cast<int>(Turn::Add)] = joined_of<BoolLanes<D, N, Turn::Add>>();
        to[static_cast<int>(Turn::Subtract)] = joined_of<BoolLanes<D, N, Turn::Subtract>>();
        to[static_cast<int>(Turn::From)] = joined_of<BoolLanes<D, N, Turn::From>>();
        to[static_cast<int>(Turn::Multiply)] = joined_of<BoolLanes<D, N, Turn::Multiply>>();
    }
}

template <DType D>
void fill_joined(TileTable& table) {
    if constexpr (D == DType::F32 || D == DType::F64) {
        fill_first<D, Turn::Add>(table);
        fill_first<D, Turn::Subtract>(table);
        fill_first<D, Turn::From>(table);
        fill_first<D, Turn::Multiply>(table);
        auto& terms = table.terms[static_cast<int>(D)];
        terms[0][0] = joined_of<TermLanes<D, Turn::Add, Turn::Add>>();
        terms[0][1] = joined_of<TermLanes<D, Turn::Add, Turn::Subtract>>();
        terms[1][0] = joined_of<TermLanes<D, Turn::Subtract, Turn::Add>>();
        terms[1][1] = joined_of<TermLanes<D, Turn::Subtract, Turn::Subtract>>();
        table.four_terms[static_cast<int>(D)] = joined_of<FourTermLanes<D>, 2>();
    }
    if constexpr (kBytes<D> >= 4) {
        fill_with_bools<D, 2>(table);
        fill_with_bools<D, 3>(table);
    }
}

}  // namespace hassium::HS_SIMD_NS
