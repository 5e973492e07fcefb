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

// One step of a chain. Operand k is at p[k] + at * s[k], `at` being the element with which the tile
// begins: s is the item size for arrays, 0 for tiles and single elements.
struct TileStep {
    void (*fn)();
    char* p[3];
    std::int32_t s[3];
    friend bool operator==(const TileStep&, const TileStep&) = default;
};

// Places of a step's inputs: the accumulator, memory, or one element for all. A select has its mask
// at p[2]. Acc: every input is the accumulator; in a select only the mask, with the values at p[0]
// and p[1].
enum class TileForm : std::uint8_t { AccMem, MemAcc, AccScalar, ScalarAcc, MemMem, Acc };
inline constexpr int kTileForms = 6;
// Sizes of the widest dtype of a chain: 1, 2, 4, 8.
inline constexpr int kTileWidths = 4;

// Strides: every second element (s is twice the item size), backward order (s is minus it), or any
// other.
enum class TileStrided : std::uint8_t { Second, Backward, Strided };
inline constexpr int kTileAparts = 3;

// Sums, differences and products of floats are joined two to a step where one uses the other: half
// the dispatches, and adders work in parallel with multipliers. An arithmetic op combines a value
// and an operand; From subtracts the value from the operand.
enum class ArithmeticOp : std::uint8_t { Add, Subtract, From, Multiply };
inline constexpr int kArithmeticOps = 4;
// Value and operand of the first op: the accumulator and p[0] (AccMem, AccScalar), p[0] and p[2]
// (MemMem, MemScalar), the accumulator twice (Acc).
enum class ArithmeticForm : std::uint8_t { AccMem, AccScalar, MemMem, MemScalar, Acc };
inline constexpr int kArithmeticForms = 5;
// Operand of the second op: a tile or one element at p[1], or the accumulator, which a first op on
// memory leaves unchanged.
enum class ArithmeticEnd : std::uint8_t { Mem, Scalar, Acc };
inline constexpr int kArithmeticEnds = 3;

// Most terms of a polynomial in one step; with more, coefficients would not fit the registers.
inline constexpr int kMostTerms = 6;

// A kernel; only src/simd knows its parameters.
using TileFn = void (*)();

// For rows too short for a tile, each register of a tile is on another line (outer-loop
// vectorization). A kernel that touches memory has a twin for that, which finds register r of a
// tile at p[k] + at + r * s[k], s being the distance between lines, or a register's bytes for tiles
// in memory, and `at` the byte offset of the registers in their rows; one element for all is at
// p[k] + r * s[k]. So tiles in memory move with the rows and need room for it. Bools are
// contiguous, as along rows.
struct TileTwin {
    TileFn along, across;
};
inline constexpr int kTileLines = 8;

// Runs `bytes` bytes of a row without tiles, for a chain of one joined step of arrays and elements,
// and a store. The output may be an input.
using TileRowFn = void (*)(const TileStep* steps, std::int64_t bytes);
struct TileRow {
    TileFn joined;
    TileRowFn run;
};

struct TileTable {
    std::int64_t tile_bytes;
    bool spares_divider;  // set before the table is filled: see tile_quotient.hpp
    // By row, compute dtype, width of the chain, form; null where the row has no such kernel.
    TileFn map[kOpCount][kDTypeCount][kTileWidths][kTileForms];
    TileFn cast[kDTypeCount][kDTypeCount][kTileWidths];  // accumulator to accumulator
    // Load the accumulator from p[0]: from a tile, or from one element for all of it.
    TileFn load[kDTypeCount][kTileWidths];
    TileFn splat[kDTypeCount][kTileWidths];
    // Accumulator, which is kept, to p[0]; `keep` to a tile of the chain, `stream` past the caches
    // if the address is aligned.
    TileFn store[kDTypeCount][kTileWidths];
    TileFn keep[kDTypeCount][kTileWidths];
    TileFn stream[kDTypeCount][kTileWidths];
    // Load and store of strided elements, by the logarithm of their size; and rows with one input
    // at every second element from p[0], the accumulator being the first (0) or second (1); or with
    // both there, from p[0] and p[1] (2). Null where shuffles in registers gain nothing.
    TileFn take[kTileAparts][kTileWidths][kTileWidths];
    TileFn put[kTileAparts][kTileWidths][kTileWidths];
    TileFn map_taken[kOpCount][kDTypeCount][kTileWidths][3];
    // Complex numbers are two tiles, of real and of imaginary parts. By complex dtype: `part` loads
    // the real (0) or imaginary (1) parts of an array at p[0]; `pair` stores the real parts at p[1]
    // and the accumulator, as imaginary parts, to an array at p[0]. By real dtype: `fused` is p[0]
    // * p[1] minus (0) or plus (1) the accumulator, rounded once.
    TileFn part[kDTypeCount][kTileWidths][2];
    TileFn pair[kDTypeCount][kTileWidths];
    TileFn stream_pair[kDTypeCount][kTileWidths];
    TileFn fused[kDTypeCount][kTileWidths][2];
    // By real dtype: the real (0) or imaginary (1) part of the square of p[0] + i p[1], as a
    // product computes it, plus p[2]; or p[0] * p[0] + p[1] * p[1] (2).
    TileFn squares[kDTypeCount][kTileWidths][3];
    // Both parts of the square of p[0] + i p[1], plus p[2] + i p[3]; with a mask at p[4] (1), the
    // number itself where it is false. Results go to p[5] and p[6]; the imaginary one is the
    // accumulator as well. Operands from p[3] on are in the two steps that follow.
    TileFn whole_square[kDTypeCount][kTileWidths][2];
    // The same, the mask being a comparison of p[0] * p[0] + p[1] * p[1] with the element at p[7],
    // and a result too. Separate steps would wait for the whole tile three times.
    TileFn near_square[kOpCount][kDTypeCount][kTileWidths];
    TileFn ahead[kTileWidths][3];  // prefetches the first 1, 2 or 3 operands of a later tile
    // By dtype, first op, its form, second op, and the kind of its operand. Only in chains of the
    // dtype's own width.
    TileFn joined[kDTypeCount][kArithmeticOps][kArithmeticForms][kArithmeticOps][kArithmeticEnds];
    // Two or more terms of a polynomial, each times x plus an element for all: starting with the
    // accumulator (0), or with x times an element (1). x is read once, not for each term, as loads
    // from the first-level cache bound polynomials. Operands take as many steps as they need: p[0]
    // is x, p[1] not an address but a bit for each term that is subtracted, then elements. By
    // dtype, in chains of its own width.
    TileFn polynomial[kDTypeCount][2][kMostTerms - 1];
    // An arithmetic op with the bools at p[0] as numbers 0 and 1, by dtype and width.
    TileFn with_bools[kDTypeCount][kTileWidths][kArithmeticOps];
    TileFn end;  // returns to the loop
    // Sorted by `along`. For elements of the chain's own width, four bytes or more, and the bools
    // beside them. A kernel that touches no memory is its own twin.
    std::vector<TileTwin> twins;
    std::vector<TileRow> rows;  // sorted by `joined`
    // Runs the chain for tiles that begin at `at`, at + tile, .. below `end`.
    void (*run)(const TileStep* steps, std::int64_t at, std::int64_t end, std::int64_t tile);
    void (*fence)();  // called after streams, before another thread reads
};

struct KernelTable;
// Returns the tiles of the same instruction set, by the setting `newton_division`.
const TileTable& tiles_of(const KernelTable& table);

}  // namespace hassium
