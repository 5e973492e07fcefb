// Register-tile steps of two operations: two arithmetic ops (tiles.hpp), or one with bools read as
// numbers. Each operation rounds separately, as in the rows it replaces.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <DType D, ArithmeticOp T>
HS_INLINE Register<D> transpose_block(Register<D> value, Register<D> operand) {
    constexpr lane::None kNone{};
    if constexpr (T == ArithmeticOp::Add) {
        return row::Add::apply(value, operand, kNone);
    } else if constexpr (T == ArithmeticOp::Subtract) {
        return row::Subtract::apply(value, operand, kNone);
    } else if constexpr (T == ArithmeticOp::From) {
        return row::Subtract::apply(operand, value, kNone);
    } else {
        return row::Multiply::apply(value, operand, kNone);
    }
}

// Operand of a step: a tile, or one element for all of it.
template <DType D, int K, bool Scalar, Lay L>
using ArithmeticOperand = std::conditional_t<Scalar, TileElement<D, K, L>, TileOperand<D, K, L>>;

template <DType D, ArithmeticForm F, Lay L>
struct ArithmeticStart;
template <DType D, Lay L>
struct ArithmeticStart<D, ArithmeticForm::Acc, L> {
    HS_INLINE ArithmeticStart(const TileStep*, std::int64_t) {}
    HS_INLINE Register<D> value(Raw acc, int) const { return from_raw<D>(acc); }
    HS_INLINE Register<D> operand(Raw acc, int) const { return from_raw<D>(acc); }
};
template <DType D, ArithmeticForm F, Lay L>
    requires(F == ArithmeticForm::AccMem || F == ArithmeticForm::AccScalar)
struct ArithmeticStart<D, F, L> {
    ArithmeticOperand<D, 0, F == ArithmeticForm::AccScalar, L> p;
    HS_INLINE ArithmeticStart(const TileStep* step, std::int64_t at) : p(step, at) {}
    HS_INLINE Register<D> value(Raw acc, int) const { return from_raw<D>(acc); }
    HS_INLINE Register<D> operand(Raw, int k) const { return p.get(k); }
};
template <DType D, ArithmeticForm F, Lay L>
    requires(F == ArithmeticForm::MemMem || F == ArithmeticForm::MemScalar)
struct ArithmeticStart<D, F, L> {
    ArithmeticOperand<D, 0, false, L> p;
    ArithmeticOperand<D, 2, F == ArithmeticForm::MemScalar, L> q;
    HS_INLINE ArithmeticStart(const TileStep* step, std::int64_t at) : p(step, at), q(step, at) {}
    HS_INLINE Register<D> value(Raw, int k) const { return p.get(k); }
    HS_INLINE Register<D> operand(Raw, int k) const { return q.get(k); }
};

template <DType D, ArithmeticEnd E, Lay L>
struct LastOperand {
    ArithmeticOperand<D, 1, E == ArithmeticEnd::Scalar, L> p;
    HS_INLINE LastOperand(const TileStep* step, std::int64_t at) : p(step, at) {}
    HS_INLINE Register<D> get(Raw, int k) const { return p.get(k); }
};
template <DType D, Lay L>
struct LastOperand<D, ArithmeticEnd::Acc, L> {
    HS_INLINE LastOperand(const TileStep*, std::int64_t) {}
    HS_INLINE Register<D> get(Raw acc, int) const { return from_raw<D>(acc); }
};

template <DType D, ArithmeticOp First, ArithmeticForm F, ArithmeticOp Second, ArithmeticEnd E,
          Lay L>
struct JoinedLanes {
    static constexpr int kCount = kTileRegisters;
    ArithmeticStart<D, F, L> start;
    LastOperand<D, E, L> last;
    HS_INLINE JoinedLanes(const TileStep* step, std::int64_t at)
        : start(step, at), last(step, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        const Register<D> x = transpose_block<D, First>(start.value(acc, k), start.operand(acc, k));
        return to_raw<D>(transpose_block<D, Second>(x, last.get(acc, k)));
    }
};

// Returns the element of a term. A subtracted one is added with the other sign, which rounds the
// same; a NaN keeps its sign, which would show in the result.
template <DType D>
HS_INLINE Register<D> term_at(const char* p, bool away) {
    Register<D> x = broadcast<D>(p);
    if (away) x = xsimd::select(x == x, math::negative(x), x);
    return x;
}

template <DType D, int Operand, Lay L>
struct Term {
    Register<D> x;
    HS_INLINE Term(const TileStep* step, std::int64_t at, bool away)
        : x(term_at<D>(tile_address<Operand % 3>(step + Operand / 3, at), away)) {}
    HS_INLINE Register<D> get(int) const { return x; }
};
template <DType D, int Operand>
struct Term<D, Operand, Lay::OuterLoop> {
    const char* p;
    std::int64_t pitch;
    bool away;
    HS_INLINE Term(const TileStep* step, std::int64_t, bool is_away)
        : p(step[Operand / 3].p[Operand % 3]),
          pitch(step[Operand / 3].s[Operand % 3]),
          away(is_away) {}
    HS_INLINE Register<D> get(int k) const { return term_at<D>(p + k * pitch, away); }
};

// Registers that go through the terms together: in each, operations depend on one another, and
// independent ones of another tile would be too far away for the processor to find.
inline constexpr int kTogether = 4;

template <DType D, bool Start, Lay L, class Numbers>
struct PolynomialTile;
template <DType D, bool Start, Lay L, int... J>
struct PolynomialTile<D, Start, L, std::integer_sequence<int, J...>> {
    static constexpr int kFirst = Start ? 3 : 2, kPlaces = (kFirst + int{sizeof...(J)} + 2) / 3;
    ArithmeticOperand<D, 0, false, L> x;
    std::conditional_t<Start, TileElement<D, 2, L>, NoOperand> factor;
    std::tuple<Term<D, kFirst + J, L>...> terms;

    HS_INLINE PolynomialTile(const TileStep* step, std::int64_t at)
        : x(step, at),
          factor(step, at),
          terms(Term<D, kFirst + J, L>(step, at, is_away(step, J))...) {}

    HS_INLINE static void apply(Raw* v, const TileStep* step, std::int64_t at) {
        const PolynomialTile tile(step, at);
#pragma GCC unroll 8
        for (int k = 0; k < kTileRegisters; k += kTogether) tile.apply_from(v, k);
    }

  private:
    HS_INLINE void apply_from(Raw* v, int first) const {
        Register<D> by[kTogether], y[kTogether];
#pragma GCC unroll 8
        for (int k = 0; k < kTogether; ++k) {
            by[k] = x.get(first + k);
            read_once(by[k]);
            y[k] = from_raw<D>(v[first + k]);
            if constexpr (Start) y[k] = factor.get(first + k);
        }
        (add_term(y, by, std::get<J>(terms), first), ...);
#pragma GCC unroll 8
        for (int k = 0; k < kTogether; ++k) v[first + k] = to_raw<D>(y[k]);
    }
    template <class Term>
    HS_INLINE static void add_term(Register<D>* y, const Register<D>* by, const Term& term,
                                   int first) {
#pragma GCC unroll 8
        for (int k = 0; k < kTogether; ++k)
            y[k] = transpose_block<D, ArithmeticOp::Multiply>(y[k], by[k]);
#pragma GCC unroll 8
        for (int k = 0; k < kTogether; ++k) {
            y[k] = transpose_block<D, ArithmeticOp::Add>(y[k], term.get(first + k));
        }
        lanes_done(y[0], y[1], y[2], y[3]);
    }
    static bool is_away(const TileStep* step, int term) {
        return (reinterpret_cast<std::uintptr_t>(step->p[1]) >> term & 1) != 0;
    }
};

template <DType D, int N, ArithmeticOp T, Lay L>
struct BoolLanes {
    static constexpr int kCount = N;
    TilePlace<0, L> place;
    HS_INLINE BoolLanes(const TileStep* step, std::int64_t at) : place(step, at) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        const Mask<Part<D>> mask = tile_mask<Part<D>>(place.template bools<D>(k));
        const Register<D> x = xsimd::select(mask, Register<D>(Part<D>(1)), Register<D>(Part<D>(0)));
        return to_raw<D>(transpose_block<D, T>(from_raw<D>(acc), x));
    }
};

template <DType D, ArithmeticOp First, ArithmeticForm F, ArithmeticOp Second, ArithmeticEnd E>
TileFn joined_of(TileTable& table) {
    return both_lays(table,
                     []<Lay L>() { return lanes_of<JoinedLanes<D, First, F, Second, E, L>>(); });
}

template <DType D, ArithmeticOp First, ArithmeticForm F, ArithmeticOp Second>
void fill_second(TileTable& table) {
    TileFn* to = table.joined[static_cast<int>(D)][static_cast<int>(First)][static_cast<int>(F)]
                             [static_cast<int>(Second)];
    to[static_cast<int>(ArithmeticEnd::Mem)] =
        joined_of<D, First, F, Second, ArithmeticEnd::Mem>(table);
    to[static_cast<int>(ArithmeticEnd::Scalar)] =
        joined_of<D, First, F, Second, ArithmeticEnd::Scalar>(table);
    if constexpr (F == ArithmeticForm::MemMem || F == ArithmeticForm::MemScalar) {
        to[static_cast<int>(ArithmeticEnd::Acc)] =
            joined_of<D, First, F, Second, ArithmeticEnd::Acc>(table);
    }
}

// Calls fill.operator()<T>() for each operation.
template <class Fill>
void each_arithmetic(Fill fill) {
    fill.template operator()<ArithmeticOp::Add>();
    fill.template operator()<ArithmeticOp::Subtract>();
    fill.template operator()<ArithmeticOp::From>();
    fill.template operator()<ArithmeticOp::Multiply>();
}

template <DType D, ArithmeticOp First, ArithmeticForm F>
void fill_form(TileTable& table) {
    each_arithmetic([&]<ArithmeticOp Second>() { fill_second<D, First, F, Second>(table); });
}

// Arrays can be swapped, so MemMem needs no From; of one value only the square is worth a step.
template <DType D, ArithmeticOp First>
void fill_first(TileTable& table) {
    fill_form<D, First, ArithmeticForm::AccMem>(table);
    fill_form<D, First, ArithmeticForm::AccScalar>(table);
    fill_form<D, First, ArithmeticForm::MemScalar>(table);
    if constexpr (First != ArithmeticOp::From) fill_form<D, First, ArithmeticForm::MemMem>(table);
    if constexpr (First == ArithmeticOp::Multiply) fill_form<D, First, ArithmeticForm::Acc>(table);
}

template <DType D, int Width, ArithmeticOp T>
TileFn bools_of(TileTable& table) {
    constexpr int N = tile_registers<D>(Width);
    return at_lays<D, Width>(table, []<Lay L>() { return lanes_of<BoolLanes<D, N, T, L>>(); });
}

template <DType D, int Width>
void fill_with_bools(TileTable& table) {
    if constexpr (kBytes<D> <= (1 << Width)) {
        TileFn* to = table.with_bools[static_cast<int>(D)][Width];
        each_arithmetic(
            [&]<ArithmeticOp T>() { to[static_cast<int>(T)] = bools_of<D, Width, T>(table); });
    }
}

template <DType D, bool Start, int N>
TileFn polynomial_of(TileTable& table) {
    return both_lays(table, []<Lay L>() {
        using Tile = PolynomialTile<D, Start, L, std::make_integer_sequence<int, N>>;
        return whole_of<Tile, Tile::kPlaces>();
    });
}

template <DType D, int... J>
void fill_polynomials(TileTable& table, std::integer_sequence<int, J...>) {
    auto& to = table.polynomial[static_cast<int>(D)];
    ((to[0][J] = polynomial_of<D, false, J + 2>(table)), ...);
    ((to[1][J] = polynomial_of<D, true, J + 2>(table)), ...);
}

template <DType D>
void fill_joined(TileTable& table) {
    if constexpr (D == DType::F32 || D == DType::F64) {
        each_arithmetic([&]<ArithmeticOp First>() { fill_first<D, First>(table); });
        fill_polynomials<D>(table, std::make_integer_sequence<int, kMostTerms - 1>());
    }
    if constexpr (kBytes<D> >= 4) {
        fill_with_bools<D, 2>(table);
        fill_with_bools<D, 3>(table);
    }
}

}  // namespace hassium::HS_SIMD_NS
