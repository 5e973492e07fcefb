// Register tiles: kernels that hand eight vector registers to one another by tail calls.
//
// A tile of a chain of steps holds `tile_bytes` / w elements, w being the size of the widest dtype
// in the chain: eight registers of that dtype and fewer of narrower ones. One value, the
// accumulator, stays in registers between steps; others wait in memory, a tile each. Bools are
// bytes 0 and 1. All kernels have one signature: a step may change dtype and number of registers.
//
// g++ 12 cannot promise a tail call. Release builds make them all (a test reads the object code);
// elsewhere the stack grows by one frame a step, because the loop over tiles is outside.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

// One instruction of a chain. Operand k lies at p[k] + at * s[k] bytes, `at` being the element the
// tile begins with: s is the item size for arrays, 0 for tiles and single elements.
struct TileStep {
    void (*fn)();
    char* p[3];
    std::int32_t s[3];
    friend bool operator==(const TileStep&, const TileStep&) = default;
};

// Where the inputs of a step are: the accumulator, memory, one element for all. The mask of a
// select is at p[2]. Acc: every input is the accumulator; of a select the mask, the values at p[0]
// and p[1].
enum class TileForm : std::uint8_t { AccMem, MemAcc, AccScalar, ScalarAcc, MemMem, Acc };
inline constexpr int kTileForms = 6;
// Sizes of the widest dtype of a chain: 1, 2, 4, 8.
inline constexpr int kTileWidths = 4;

// Every second element, elements in backward order, or any other distance: s is twice the item
// size, minus it, or what it is.
enum class TileStrided : std::uint8_t { Second, Backward, Strided };
inline constexpr int kTileAparts = 3;

// Sums, differences and products of floats come two to a step where one uses the other: half the
// dispatches, and the adding units work beside the multiplying ones. A turn is what is done with a
// value and an operand; From takes the value from the operand.
enum class ArithmeticOp : std::uint8_t { Add, Subtract, From, Multiply };
inline constexpr int kArithmeticOps = 4;
// Value and operand of the first turn: the accumulator and p[0] (AccMem, AccScalar), p[0] and p[2]
// (MemMem, MemScalar), the accumulator twice (Acc).
enum class ArithmeticForm : std::uint8_t { AccMem, AccScalar, MemMem, MemScalar, Acc };
inline constexpr int kArithmeticForms = 5;
// The second turn's operand: a tile or one element at p[1], or the accumulator, which a first turn
// of memory leaves alone.
enum class ArithmeticEnd : std::uint8_t { Mem, Scalar, Acc };
inline constexpr int kArithmeticEnds = 3;

// Terms of a polynomial in one step; one more and their elements would not fit the registers.
inline constexpr int kMostTerms = 6;

// A kernel; its parameters are known in src/simd alone.
using TileFn = void (*)();

// A tile may lie across rows that are too short for it: each of its registers is of another line.
// A kernel that touches memory has a twin for that, which finds register r of a tile at p[k] + at +
// r * s[k], s being the distance from line to line, or a register's bytes for tiles of memory, and
// `at` the bytes that the registers begin behind the rows' first; and what is one element for all
// at p[k] + r * s[k]. So tiles of memory move with the rows; they need room for it. Bools lie
// close, as they do along rows.
struct TileTwin {
    TileFn along, across;
};
inline constexpr int kTileLines = 8;

// A row of so many bytes of a chain that is one joined step of arrays and elements, and a store:
// all of it, without tiles. What is written may be what is read there.
using TileRowFn = void (*)(const TileStep* steps, std::int64_t bytes);
struct TileRow {
    TileFn joined;
    TileRowFn run;
};

struct TileTable {
    std::int64_t tile_bytes;
    bool spares_divider;  // before it is filled: see tile_quotient.hpp
    // By row, compute dtype, width of the chain, form; null where the row has no such kernel.
    TileFn map[kOpCount][kDTypeCount][kTileWidths][kTileForms];
    TileFn cast[kDTypeCount][kDTypeCount][kTileWidths];  // accumulator to accumulator
    // Accumulator from p[0]: a tile, or one element for all of it.
    TileFn load[kDTypeCount][kTileWidths];
    TileFn splat[kDTypeCount][kTileWidths];
    // Accumulator, which stays, to p[0]; past the caches where the address is aligned.
    TileFn store[kDTypeCount][kTileWidths];
    TileFn stream[kDTypeCount][kTileWidths];
    // Load and store of elements that lie apart, by the logarithm of their size; and rows of which
    // one input is every second element from p[0], the accumulator being the first (0) or second
    // (1); or both are, from p[0] and p[1] (2). Null where shuffles in registers gain nothing.
    TileFn take[kTileAparts][kTileWidths][kTileWidths];
    TileFn put[kTileAparts][kTileWidths][kTileWidths];
    TileFn map_taken[kOpCount][kDTypeCount][kTileWidths][3];
    // Complex numbers are two tiles, of real and of imaginary parts. By complex dtype: accumulator
    // from the real (0) or imaginary (1) parts of an array at p[0]; accumulator, as imaginary
    // parts, and the real parts at p[1] to an array at p[0]. By real dtype: p[0] * p[1] minus (0)
    // or plus (1) the accumulator, rounded once.
    TileFn part[kDTypeCount][kTileWidths][2];
    TileFn pair[kDTypeCount][kTileWidths];
    TileFn stream_pair[kDTypeCount][kTileWidths];
    TileFn fused[kDTypeCount][kTileWidths][2];
    // By real dtype: the real (0) or imaginary (1) part of the square of p[0] + i p[1] as a product
    // makes it, plus p[2]; p[0] * p[0] + p[1] * p[1] (2).
    TileFn squares[kDTypeCount][kTileWidths][3];
    // Both parts of the square of p[0] + i p[1], plus p[2] + i p[3]; where the mask at p[4] is
    // false, if there is one (1), the number squared itself. Results to p[5] and p[6]; the
    // imaginary one is the accumulator as well. From p[3] on operands are those of the two places
    // that follow.
    TileFn whole_square[kDTypeCount][kTileWidths][2];
    // The same where p[0] * p[0] + p[1] * p[1] compares with the element at p[7], by comparison:
    // the mask is a result. Its own step for each would wait for the whole tile three times.
    TileFn near_square[kOpCount][kDTypeCount][kTileWidths];
    TileFn ahead[kTileWidths][3];  // fetches p[0], and p[1], and p[2] of a later tile
    // By dtype, first turn, its form, second turn, and what its operand is. Only in chains of the
    // dtype's own width.
    TileFn joined[kDTypeCount][kArithmeticOps][kArithmeticForms][kArithmeticOps][kArithmeticEnds];
    // So many terms of a polynomial, from two on, each times x plus an element for all: of the
    // accumulator (0), or of x times an element (1). x is read once, not for each term: the loads
    // from the first-level cache are what polynomials wait for. Operands lie in as many places as
    // they take: p[0] is x, p[1] no address but a bit for each term that is taken away instead,
    // then elements. By dtype, in chains of its own width.
    TileFn polynomial[kDTypeCount][2][kMostTerms - 1];
    // A turn with the bools at p[0] as numbers 0 and 1, by dtype and width.
    TileFn with_bools[kDTypeCount][kTileWidths][kArithmeticOps];
    TileFn end;  // returns to the loop
    // Sorted by the first. For elements of the chain's own width, four bytes or more, and bools
    // beside them. A kernel that touches no memory is its own twin.
    std::vector<TileTwin> twins;
    std::vector<TileRow> rows;  // sorted by the first
    // Runs the chain for tiles that begin at `at`, at + tile, .. below `end`.
    void (*run)(const TileStep* steps, std::int64_t at, std::int64_t end, std::int64_t tile);
    void (*fence)();  // after streams, before another thread may look
};

struct KernelTable;
// The tiles of the same instruction set, by the setting `newton_division`.
const TileTable& tiles_of(const KernelTable& table);

}  // namespace hassium
