// Steps of register tiles that do two things: two turns of arithmetic (tiles.hpp), or one with
// bools read as numbers. Each operation rounds by itself, as in the rows that they stand for.
#pragma once

#include <type_traits>
#include <utility>

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

template <DType D, TurnEnd E>
struct LastOperand {
    TurnOperand<D, 1, E == TurnEnd::Scalar> p;
    HS_INLINE LastOperand(const TileStep* step, std::int64_t at) : p(step, at) {}
    HS_INLINE Register<D> get(Raw, int k) const { return p.get(k); }
};
template <DType D>
struct LastOperand<D, TurnEnd::Acc> {
    HS_INLINE LastOperand(const TileStep*, std::int64_t) {}
    HS_INLINE Register<D> get(Raw acc, int) const { return from_raw<D>(acc); }
};

template <DType D, Turn First, TurnForm F, Turn Second, TurnEnd E>
struct JoinedLanes {
    static constexpr int kCount = kTileRegisters;
    TurnStart<D, F> start;
    LastOperand<D, E> last;
    HS_INLINE JoinedLanes(const TileStep* step, std::int64_t at)
        : start(step, at), last(step, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        const Register<D> x = take_turn<D, First>(start.value(acc, k), start.operand(acc, k));
        return to_raw<D>(take_turn<D, Second>(x, last.get(acc, k)));
    }
};

// Terms taken away are added with the other sign, which rounds the same.
template <DType D, bool Start, int N>
struct PolynomialLanes {
    static constexpr int kCount = kTileRegisters;
    static constexpr int kFirst = Start ? 3 : 2, kPlaces = (kFirst + N + 2) / 3;
    TurnOperand<D, 0, false> x;
    Register<D> factor{};
    Register<D> terms[N];

    HS_INLINE PolynomialLanes(const TileStep* step, std::int64_t at) : x(step, at) {
        if constexpr (Start) factor = broadcast<D>(tile_address<2>(step, at));
        const auto away = reinterpret_cast<std::uintptr_t>(step->p[1]);
        load_terms(step, at, away, std::make_integer_sequence<int, N>());
    }
    HS_INLINE Raw apply(Raw acc, int k) const {
        Register<D> by = x.get(k);
        read_once(by);
        Register<D> y = Start ? factor : from_raw<D>(acc);
#pragma GCC unroll 8
        for (int j = 0; j < N; ++j) {
            y = take_turn<D, Turn::Add>(take_turn<D, Turn::Multiply>(y, by), terms[j]);
        }
        return to_raw<D>(y);
    }

  private:
    template <int... J>
    HS_INLINE void load_terms(const TileStep* step, std::int64_t at, std::uintptr_t away,
                              std::integer_sequence<int, J...>) {
        (load_term<J>(step, at, away), ...);
    }
    template <int J>
    HS_INLINE void load_term(const TileStep* step, std::int64_t at, std::uintptr_t away) {
        using Bits = std::make_unsigned_t<typename IntOfSize<Part<D>>::Type>;
        constexpr int kOperand = kFirst + J, kTop = 8 * kBytes<D> - 1;
        const auto element = load_as<Bits>(tile_address<kOperand % 3>(step + kOperand / 3, at));
        const auto sign = static_cast<Bits>(static_cast<Bits>(away >> J) << kTop);
        terms[J] = xsimd::bitwise_cast<Part<D>>(Vec<Bits>(static_cast<Bits>(element ^ sign)));
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

template <class Body>
TileFn polynomial_of() {
    return joined_of<Body, Body::kPlaces>();
}

template <DType D, Turn First, TurnForm F, Turn Second>
void fill_second(TileTable& table) {
    TileFn* to = table.joined[static_cast<int>(D)][static_cast<int>(First)][static_cast<int>(F)]
                             [static_cast<int>(Second)];
    auto fill = [to]<TurnEnd E> {
        to[static_cast<int>(E)] = joined_of<JoinedLanes<D, First, F, Second, E>>();
    };
    fill.template operator()<TurnEnd::Mem>();
    fill.template operator()<TurnEnd::Scalar>();
    if constexpr (F == TurnForm::MemMem || F == TurnForm::MemScalar) {
        fill.template operator()<TurnEnd::Acc>();
    }
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

template <DType D, int... J>
void fill_polynomials(TileTable& table, std::integer_sequence<int, J...>) {
    auto& to = table.polynomial[static_cast<int>(D)];
    ((to[0][J] = polynomial_of<PolynomialLanes<D, false, J + 2>>()), ...);
    ((to[1][J] = polynomial_of<PolynomialLanes<D, true, J + 2>>()), ...);
}

template <DType D>
void fill_joined(TileTable& table) {
    if constexpr (D == DType::F32 || D == DType::F64) {
        fill_first<D, Turn::Add>(table);
        fill_first<D, Turn::Subtract>(table);
        fill_first<D, Turn::From>(table);
        fill_first<D, Turn::Multiply>(table);
        fill_polynomials<D>(table, std::make_integer_sequence<int, kMostTerms - 1>());
    }
    if constexpr (kBytes<D> >= 4) {
        fill_with_bools<D, 2>(table);
        fill_with_bools<D, 3>(table);
    }
}

}  // namespace hassium::HS_SIMD_NS
