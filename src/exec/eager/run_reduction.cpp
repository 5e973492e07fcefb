// Eager reductions, generators and single-instruction blocks.
#include <algorithm>
#include <cstring>

#include "exec/executor.hpp"
#include "exec/flags.hpp"
#include "exec/nest/fold_tile.hpp"
#include "exec/single/moves.hpp"
#include "ops/dtype_rules.hpp"
#include "program/reduction_tree.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kFolded = 1024;    // bound of elements, except for long rows
constexpr std::int64_t kFoldedRows = 48;  // bound of rows with a kernel call for each
constexpr std::int64_t kChunks = 64;      // bound of chunks in a long row

// Reduces a row of several chunks by their tree.
void fold_long_row(ChunkFn chunk, TreeFn tree, char* to, const char* from, std::int64_t elements,
                   std::int64_t size) {
    alignas(64) char partials[kChunks * 16];
    std::int64_t count = 0;
    for (std::int64_t done = 0; done < elements; done += ReductionTree::kChunk) {
        chunk(partials + count++ * size, from + done * size,
              std::min(ReductionTree::kChunk, elements - done));
    }
    tree(partials, count);
    std::memcpy(to, partials, static_cast<std::size_t>(size));
}

}  // namespace

std::optional<std::uint8_t> run_direct_fold(Op op, DType compute, const DirectFold& fold,
                                            const DirectOperand& in, const DirectOperand& out) {
    // float16 accumulates in float32, which takes a plan.
    if (compute == DType::F16 || out.dtype != compute) return std::nullopt;
    const KernelTable& table = kernels();
    const ChunkFn chunk = table.chunk[static_cast<int>(op)][static_cast<int>(compute)];
    const MapFn map = table.map[static_cast<int>(op)][static_cast<int>(compute)];
    const ColumnsFn columns = table.columns[static_cast<int>(op)][static_cast<int>(compute)];
    const std::int64_t n = fold.outer * fold.reduced * fold.inner;
    const TreeFn tree = table.tree[static_cast<int>(op)][static_cast<int>(compute)];
    const bool long_rows = fold.inner == 1 && fold.reduced > ReductionTree::kChunk &&
                           fold.reduced <= kChunks * ReductionTree::kChunk && tree &&
                           in.dtype == compute;
    const bool in_parts = long_rows && combines_parts(op, compute);
    if (!chunk || !map || (n > kFolded && !long_rows)) return std::nullopt;
    if (!columns && fold.inner > 1 && fold.outer * fold.reduced > kFoldedRows) return std::nullopt;
    std::uint8_t may_raise = raises(op, compute);
    alignas(64) char made[kFolded * 16];
    const char* from = in.data;
    if (in.dtype != compute) {
        may_raise |= cast_raises(in.dtype, compute);
        from = made;
    }
    if (may_raise) clear_fp_flags();
    if (from == made) {
        table.cast[static_cast<int>(in.dtype)][static_cast<int>(compute)](made, in.data, n);
    }
    const std::int64_t size = itemsize(compute), row = fold.inner * size;
    char* to = out.data;
    for (std::int64_t k = 0; k < fold.outer; ++k, to += row, from += fold.reduced * row) {
        if (in_parts) {
            fold_long_row(chunk, tree, to, from, fold.reduced, size);
            continue;
        }
        if (fold.inner == 1) {
            chunk(to, from, fold.reduced);
            continue;
        }
        begin_columns(map, begins_with_zero(op, compute), size, to, from, fold.inner);
        if (columns) {
            columns(to, {from + row, row, fold.inner, fold.reduced - 1});
            continue;
        }
        for (std::int64_t r = 1; r < fold.reduced; ++r) {
            char* operands[3] = {to, to, const_cast<char*>(from + r * row)};
            map(operands, 0, fold.inner);
        }
    }
    return may_raise ? static_cast<std::uint8_t>(read_fp_flags() & may_raise) : std::uint8_t{0};
}

std::uint8_t run_direct_single(const Instruction& i, std::span<const BoundView> operands,
                               bool part_is_constant) {
    const std::uint8_t may_raise = raises(i.op, i.compute);
    if (may_raise) clear_fp_flags();
    RunState state;
    run_single(i, operands, {part_is_constant}, state);
    if (may_raise) state.raised |= read_fp_flags();
    return state.raised & may_raise;
}

bool run_direct_generator(Op op, DType dtype, const DirectOperand& out, const char* start,
                          const char* step, std::int64_t n) {
    RangeFn made = generator_of(kernels(), op, dtype);
    if (!made || out.dtype != dtype) return false;
    made(out.data, start, step, 0, 1, n);
    return true;
}

}  // namespace hassium
