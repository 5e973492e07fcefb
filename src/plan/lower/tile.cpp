// Chooses tiles and units of work.
//
// A tile is large enough to hide the cost of a kernel call (about 8 ns) and small enough that the
// live slots and the streams stay in half of the first-level cache: 4 KiB per slot. Twice as much
// is no faster in the caches and 10 % slower from memory. If the inner axis is shorter than
// kShortInner several inner rows form a tile; operands that are not contiguous over them are
// gathered run by run.
#include <algorithm>

#include "base/error.hpp"
#include "plan/lower/lowering_context.hpp"
#include "program/axes.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kShortInner = 64;
constexpr std::int64_t kLongTile = 4;  // factor of the tile length: see only_repeats
constexpr std::int64_t kShortColumn = 192;
// Most elements of a row that a block computes and reduces at once: see has_short_rows.
constexpr std::int64_t kMadeRow = 512, kMadeRowBytes = 2048;
constexpr std::int64_t kSingleRow = 40;  // see sums_deviations
constexpr std::int64_t kSlotBytes = 4096;
// Elements of a row that a column sweep takes at once: long reads are fast from memory, and that
// many partials stay in the caches.
constexpr std::int64_t kSweptUnit = 4096;
constexpr std::int64_t kSweptJobs = 8;  // least jobs that remain for threads

std::int64_t span_elements(const LoopPlan& plan) {
    std::int64_t n = 1;
    for (std::size_t k = plan.extents.size() - plan.span; k < plan.extents.size(); ++k) {
        n *= plan.extents[k];
    }
    return n;
}

// Returns a tile length that divides `elements` nearly evenly: a short last tile takes as many
// calls as a long one.
std::int64_t balanced(std::int64_t elements, std::int64_t tile) {
    std::int64_t tiles = (elements + tile - 1) / tile;
    if (tiles < 2 || tiles > 16) return tile;
    return std::min(tile, ((elements + tiles - 1) / tiles + 63) / 64 * 64);
}

// Rows of this many bytes fill a register of every instruction set; register tiles can extend
// across this many lines (simd/tables/tiles.hpp).
constexpr std::int64_t kOuterLoopBytes = 64;
constexpr std::int64_t kOuterLoopLines = 8;

// Returns whether the statement is a step on register tiles of elements of `bytes` bytes, or of
// bools.
bool is_tile_step(const LoopPlan& plan, const Statement& s, std::int64_t bytes) {
    const OpInfo& row = info(s.op);
    if (!row.is_elementwise() || s.masked || s.reduction >= 0 || s.nout != 1) return false;
    if (row.has(kMath) || row.has(kScalarLoop) || row.rule == DTypeRule::Component) return false;
    const PlanOperand& out = plan.operands[s.operands[0]];
    const PlanOperand& in = plan.operands[s.operands[1]];
    if (row.rule == DTypeRule::Any) {
        return in.home == Home::Tile || (out.home == Home::Tile && in.dtype != out.dtype);
    }
    auto still = [&](std::uint32_t k) {
        const PlanOperand& o = plan.operands[k];
        return o.home == Home::Constant || (o.home == Home::Base && o.strides.back() == 0);
    };
    return itemsize(s.compute) == bytes &&
           !std::all_of(s.operands.begin() + s.nout, s.operands.end(), still);
}

// Returns whether rows shorter than a tile can run with tiles across rows (outer-loop
// vectorization): if the block looks like one chain of dtypes of one size. If it compiles to
// something else, that runs as well.
bool runs_outer_loop(const LoopPlan& plan) {
    const std::size_t rank = plan.extents.size();
    if (rank < plan.fixed + std::size_t{2} || plan.extents[rank - 2] < kOuterLoopLines)
        return false;
    std::int64_t bytes = 0;
    for (const PlanOperand& o : plan.operands) {
        const std::int64_t item = itemsize(o.dtype);
        if (o.home == Home::Tile && o.dtype == DType::Bool) continue;
        if (o.home == Home::Base && o.strides.back() != 0 && o.strides.back() != item) return false;
        if (kind(o.dtype) == DTypeKind::Complex || (item != 4 && item != 8)) return false;
        if (bytes != 0 && item != bytes) return false;
        bytes = item;
    }
    return bytes != 0 && plan.extents.back() * bytes >= kOuterLoopBytes &&
           std::all_of(plan.statements.begin(), plan.statements.end(),
                       [&](const Statement& s) { return is_tile_step(plan, s, bytes); });
}

// Returns whether tiles over the two innermost axes need no copies except of operands that are
// broadcast along the outer one, which are gathered once: such tiles may be long.
bool only_repeats(const LoopPlan& plan) {
    const std::size_t rank = plan.extents.size();
    if (rank < plan.fixed + std::size_t{2}) return false;
    bool any = false;
    return std::ranges::all_of(plan.operands,
                               [&](const PlanOperand& o) {
                                   if (o.home != Home::Base) return o.home != Home::Position;
                                   const std::int64_t outer = o.strides[rank - 2];
                                   const std::int64_t inner = o.strides[rank - 1];
                                   const bool repeats = outer == 0 && inner != 0;
                                   any |= repeats;
                                   return repeats || carries(outer, inner, plan.extents[rank - 1]);
                               }) &&
           any;
}

void tile_map(LoopPlan& plan, std::int64_t preferred) {
    std::size_t rank = plan.extents.size();
    const bool repeats = plan.extents.back() < kShortInner && only_repeats(plan);
    plan.tile = repeats ? kLongTile * preferred : preferred;
    if (repeats) plan.span = 2;
    const bool across = !repeats && plan.extents.back() < kShortInner && runs_outer_loop(plan);
    while (!across && plan.span < rank - plan.fixed && span_elements(plan) < kShortInner)
        ++plan.span;
    std::int64_t inner = plan.extents[rank - 1];
    if (plan.span > 1) {
        plan.tile = std::max<std::int64_t>(plan.tile / inner, 1) * inner;
    } else {
        plan.tile = balanced(inner, plan.tile);
    }
    plan.unit = plan.tile;
}

// Returns whether the nest sums the squared deviations of a row's elements from a per-row value.
// The fold computes them (exec/compile/compile_sums.cpp) unless that value has to be broadcast by a
// copy, as several rows per tile would require.
bool sums_deviations(const LoopPlan& plan) {
    if (plan.statements.size() != 3) return false;
    const Statement &difference = plan.statements[0], &square = plan.statements[1];
    const Statement& sum = plan.statements[2];
    if (!info(difference.op).is_difference()) return false;
    if (!info(square.op).is_square() && !info(square.op).is_product()) return false;
    if (!info(sum.op).is_sum() || sum.reduction < 0) return false;
    for (std::uint32_t made : {difference.operands[0], square.operands[0]}) {
        if (plan.operands[made].home != Home::Tile) return false;
    }
    const PlanOperand& one = plan.operands[difference.operands[2]];
    const auto row =
        one.strides.begin() + static_cast<std::ptrdiff_t>(one.strides.size()) - plan.span;
    return one.home == Home::Base &&
           std::all_of(row, one.strides.end(), [](std::int64_t stride) { return stride == 0; });
}

// Tiles hold whole chunks of a row, or whole rows if rows are short.
void tile_rows(LoopPlan& plan, std::int64_t preferred) {
    const PlanReduction& first = plan.reductions[0];
    std::size_t rank = plan.extents.size(), row_axes = 0;
    while (row_axes < rank && first.role[rank - 1 - row_axes] == 2) ++row_axes;
    plan.span = static_cast<std::uint8_t>(row_axes);
    std::int64_t row = span_elements(plan);
    constexpr std::int64_t chunk = ReductionTree::kChunk;
    std::int64_t wish = std::max(preferred / chunk * chunk, chunk);
    bool sequential = std::any_of(plan.reductions.begin(), plan.reductions.end(),
                                  [](const PlanReduction& r) { return r.tree.sequential; });
    if (row > wish / 2 || row > chunk) {
        plan.tile = wish;
        plan.unit = sequential ? (row + wish - 1) / wish * wish : wish;
        return;
    }
    if (row >= kSingleRow && !sequential && sums_deviations(plan)) {
        plan.tile = plan.unit = row;
        return;
    }
    while (plan.span < rank - plan.fixed && first.role[rank - 1 - plan.span] != 1 &&
           span_elements(plan) < wish) {
        ++plan.span;
    }
    plan.tile = wish / row * row;
    plan.unit = plan.tile;
}

// Returns a unit of as many tiles of a row as are swept together: `steps` rows in runs.
std::int64_t swept_unit(const LoopPlan& plan, std::int64_t steps) {
    const std::int64_t inner = plan.extents.back();
    if (steps == 0 || inner == 0) return plan.tile;
    const std::int64_t runs =
        element_count(plan.extents) / inner / steps * ((steps + plan.run - 1) / plan.run);
    std::int64_t unit = plan.tile;
    auto jobs = [&](std::int64_t wanted) { return runs * ((inner + wanted - 1) / wanted); };
    while (unit < inner && 2 * unit <= kSweptUnit && jobs(2 * unit) >= kSweptJobs) unit *= 2;
    return unit;
}

// Returns whether several steps of the reduced index form a tile. For rows computed by other
// statements the bound is higher, since a sweep has a cost per row, unless operands are broadcast
// down the columns and would have to be copied.
bool has_short_rows(const LoopPlan& plan) {
    const PlanReduction& first = plan.reductions[0];
    const std::int64_t inner = plan.extents.back();
    if (inner < kShortColumn || plan.statements.size() == 1) return inner < kShortColumn;
    auto repeats = [&](const PlanOperand& o) {
        if (o.home != Home::Base || o.strides.back() == 0) return false;
        for (std::size_t k = 0; k < o.strides.size(); ++k) {
            if (first.role[k] == 1 && o.strides[k] == 0) return true;
        }
        return false;
    };
    return inner <= std::min(kMadeRow, kMadeRowBytes / itemsize(first.accumulator)) &&
           std::none_of(plan.statements.begin(), plan.statements.end(), [&](const Statement& s) {
               return std::any_of(s.operands.begin() + s.nout, s.operands.end(),
                                  [&](auto k) { return repeats(plan.operands[k]); });
           });
}

// A long inner axis is tiled and the reduced axes are swept over each tile; for a short one several
// steps of the reduced index form a tile.
void tile_columns(LoopPlan& plan, std::int64_t preferred) {
    std::size_t rank = plan.extents.size(), reduced = 0;
    const PlanReduction& first = plan.reductions[0];
    for (std::size_t k = 0; k < rank; ++k) reduced += first.role[k] == 1;
    bool sequential = std::any_of(plan.reductions.begin(), plan.reductions.end(),
                                  [](const PlanReduction& r) { return r.tree.sequential; });
    std::int64_t inner = plan.extents[rank - 1];
    std::int64_t steps = 1;
    for (std::size_t k = 0; k < rank; ++k) steps *= first.role[k] == 1 ? plan.extents[k] : 1;
    // Each step moves on to the next row: longer pieces of rows are worth their room.
    plan.tile = 2 * preferred;
    plan.unit = plan.tile;
    plan.run = sequential ? steps : ReductionTree::kColumnChunk;
    if (reduced == 0 || !has_short_rows(plan)) {
        plan.tile = balanced(inner, plan.tile);
        plan.unit = swept_unit(plan, steps);
        plan.swept = static_cast<std::uint8_t>(reduced);
        return;
    }
    plan.span = static_cast<std::uint8_t>(1 + reduced);
    std::int64_t rows = 1;
    while (rows < ReductionTree::kColumnChunk && 2 * rows * inner <= plan.tile) rows *= 2;
    plan.tile = rows * inner;
    plan.unit =
        sequential ? (steps + rows - 1) / rows * plan.tile : ReductionTree::kColumnChunk * inner;
}

}  // namespace

std::int64_t preferred_tile(const LoopPlan& plan) {
    std::int64_t widest = 1;
    for (const Statement& s : plan.statements) widest = std::max(widest, itemsize(s.compute));
    for (DType dtype : plan.slots) widest = std::max(widest, itemsize(dtype));
    for (const PlanReduction& r : plan.reductions) {
        widest = std::max(widest, itemsize(r.accumulator));
    }
    return std::max<std::int64_t>(kSlotBytes / widest, 256);
}

void choose_tiles(LoopPlan& plan, std::int64_t preferred) {
    plan.span = 1;
    plan.swept = 0;
    plan.run = 1;
    if (plan.reductions.empty() || element_count(plan.extents) == 0) {
        tile_map(plan, preferred);
    } else if (plan.reductions[0].tree.row_form) {
        tile_rows(plan, preferred);
    } else {
        tile_columns(plan, preferred);
    }
}

}  // namespace hassium
