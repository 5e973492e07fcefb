// Precompiled kernels, one table per instruction set; no vector type leaks from src/simd.
//
// Every kernel works on contiguous elements or on a broadcast scalar. Strides are the business of
// the load and store kernels, dtypes that of the cast kernels. float16 rows widen to float32 per
// element and round after the operation. Kernels never read or write past n elements and never
// depend on alignment; an output may be the same address as an input, never a shifted one.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

// ptr: outputs, then inputs, in the dtypes of loop_of(op, compute). Bit k of `scalars`: input k is
// one element for all n.
using MapFn = void (*)(char* const* ptr, std::uint32_t scalars, std::int64_t n);
// One chunk of an inner reduction (reduction_tree.hpp): n <= ReductionTree::kChunk elements in, one
// out. Bits do not depend on the instruction set.
using ChunkFn = void (*)(char* out, const char* in, std::int64_t n);
// n partials, combined in place by the balanced tree; the result is the first.
using TreeFn = void (*)(char* partials, std::int64_t n);
// Sequential accumulate: state in and out at `state`, prefix results to out (out may be in).
using ScanFn = void (*)(char* out, const char* in, char* state, std::int64_t n);
// Scans kScanLines lines of n elements, `pitch` bytes apart, each from its own first element.
using ScansFn = void (*)(char* out, std::int64_t out_pitch, const char* in, std::int64_t in_pitch,
                         std::int64_t n);
// `rows` rows of `columns` columns, `pitch` bytes apart.
struct ColumnRows {
    const char* first;
    std::int64_t pitch, columns, rows;
};
// Accumulates the rows into the running values at `state`, each column in order.
using ColumnsFn = void (*)(char* state, const ColumnRows& in);
// The same, and stores the running values after each row to a row of `out`, which may be that of
// `in`; they are combined after `before` if that is not null.
using ScanColumnsFn = void (*)(char* out, std::int64_t pitch, char* state, const char* before,
                               const ColumnRows& in);
using CastFn = void (*)(char* out, const char* in, std::int64_t n);
using LoadFn = void (*)(char* out, const char* in, std::int64_t stride, std::int64_t n);
using StoreFn = void (*)(char* out, std::int64_t stride, const char* in, std::int64_t n);
// The same for rows that are `pitch` bytes apart in the strided array and contiguous in the other.
// Prefetches `ahead` bytes behind each, unless that is 0.
using LoadRowsFn = void (*)(char* out, const char* in, std::int64_t stride, std::int64_t pitch,
                            std::int64_t n, std::int64_t rows, std::int64_t ahead);
using StoreRowsFn = void (*)(char* out, std::int64_t stride, std::int64_t pitch, const char* in,
                             std::int64_t n, std::int64_t rows);
using FillFn = void (*)(char* out, const char* value, std::int64_t n);
// out[i] = in[i] where mask[i], strided destination; bytes where mask is 0 are not written.
using BlendFn = void (*)(char* out, std::int64_t stride, const char* in, const char* mask,
                         std::int64_t n);
// out[i] = element k = first + i * stride of a generator: for Range, start + k * step in the
// arithmetic of the dtype; for Random, `start` and `step` are state and increment of a PCG64.
using RangeFn = void (*)(char* out, const char* start, const char* step, std::int64_t first,
                         std::int64_t stride, std::int64_t n);
// For MT19937: computes the 624 words that follow those before `words`; writes n words as drawn,
// or as doubles.
using TwistFn = void (*)(std::uint32_t* words);
using TemperFn = void (*)(std::uint32_t* out, const std::uint32_t* words, std::int64_t n);
using TemperDoublesFn = void (*)(double* out, const std::uint32_t* words, std::int64_t n);
// Non-temporal copy of n bytes to a destination aligned to 64; the caller fences after the last
// one.
using StreamFn = void (*)(char* out, const char* in, std::int64_t bytes);
// Interleaves `n` elements of each of `lanes` dense arrays, 2 to 8, `pitch` bytes apart: whole
// lines of `out` are non-temporal.
using InterleaveFn = void (*)(char* out, const char* first, std::int64_t pitch, int lanes,
                              std::int64_t n);

// What a sum computes from its elements, p being an array and q an array or one element: p * q; p *
// p; (p - q)^2 of arrays; (p - q)^2 for one element q; the number of true bools in p.
enum class FoldOf : std::uint8_t { Product, Square, SquaredDifference, SquaredDeviation, Truth };
inline constexpr int kFoldOfs = 5;
// As ChunkFn.
using SumFn = void (*)(char* out, const char* p, const char* q, std::int64_t n);
// Returns how many of n results of a row of bools are true, for an array p and, if there is a
// second input, an array or one element q.
using CountFn = std::int64_t (*)(const char* p, const char* q, bool element, std::int64_t n);
// Writes the positions of the true bools among n, counted from `first`, in order to `out`; returns
// their end. Writes nothing from `end` on, and stops there.
using PositionsFn = std::int64_t* (*)(std::int64_t* out, std::int64_t* end, const char* bools,
                                      std::int64_t first, std::int64_t n);
// The same for the elements at those positions, `stride` bytes apart from `from` on; and the
// inverse.
using ChooseFn = char* (*)(char* out, char* end, const char* from, std::int64_t stride,
                           const char* bools, std::int64_t n);
using PlaceFn = const char* (*)(const char* in, const char* end, char* to, std::int64_t stride,
                                const char* bools, std::int64_t n);

// A product of two matrices: `inner` elements in a row of `a`, `columns` in one of `b`; strides in
// bytes from row to row and from column to column.
struct ProductShape {
    std::int64_t inner, columns;
    std::int64_t out[2], a[2], b[2];
};
// Computes `rows` rows of it.
using MultiplyFn = void (*)(const ProductShape& shape, char* out, const char* a, const char* b,
                            std::int64_t rows);

inline constexpr int kScanLines = 4;
inline constexpr int kItemSizes = 5;  // 1, 2, 4, 8, 16 bytes, indexed by the logarithm
constexpr int item_log2(std::int64_t bytes) {
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
}

struct KernelTable {
    const char* level;
    MapFn map[kOpCount][kDTypeCount];      // by compute dtype; null where the row has no loop
    ChunkFn chunk[kOpCount][kDTypeCount];  // rows with kReducible; by compute dtype
    TreeFn tree[kOpCount][kDTypeCount];
    ScanFn scan[kOpCount][kDTypeCount];
    ScansFn scans[kOpCount][kDTypeCount];      // where the row is associative
    ColumnsFn columns[kOpCount][kDTypeCount];  // where whole registers are associative
    ScanColumnsFn scan_columns[kOpCount][kDTypeCount];
    SumFn sum_of[kFoldOfs][kDTypeCount];    // null where the level, or the dtype, has none
    CountFn count[kOpCount][kDTypeCount];   // by compute dtype; null for bool inputs
    CastFn cast[kDTypeCount][kDTypeCount];  // [from][to], NumPy's astype
    LoadFn load[kItemSizes];
    StoreFn store[kItemSizes];
    LoadRowsFn load_rows[kItemSizes];
    StoreRowsFn store_rows[kItemSizes];
    FillFn fill[kItemSizes];
    BlendFn blend[kItemSizes];
    BlendFn blend_one[kItemSizes];  // `in` is one element for all
    RangeFn range[kDTypeCount];     // of Op::Range
    RangeFn random[kDTypeCount];    // of Op::Random, by drawn dtype
    TwistFn twist;
    TemperFn temper;
    TemperDoublesFn temper_doubles;
    StreamFn stream;
    InterleaveFn interleave[kItemSizes];
    PositionsFn positions;
    ChooseFn choose[kItemSizes];
    PlaceFn place[kItemSizes];
    MultiplyFn multiply[kDTypeCount];  // null for bool and float16
};

// Returns the kernel of a row that generates, or null where it has no loop.
inline RangeFn generator_of(const KernelTable& table, Op op, DType dtype) {
    return (op == Op::Random ? table.random : table.range)[static_cast<int>(dtype)];
}

// Returns the table of the setting `simd`; for auto, the best one of the machine. Throws UserError
// (Value) for a forced level that the machine or the build lacks.
const KernelTable& kernels();
// Returns how many levels this build holds and this machine can run; `names` lists them, best last.
int available_levels(const char* const** names);

}  // namespace hassium
