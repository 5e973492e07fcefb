// The block during lowering: operands over common axes, before these are ordered and merged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/lower/lower.hpp"

namespace hassium {

// A complex view that the block has written, and the operands of its parts that were read since.
struct WrittenComplex {
    const Operand* view;
    std::uint32_t operand;
    std::uint32_t parts[2];
};

struct LoweringContext {
    const Program& program;
    const Block& block;
    Lowering& lowering;
    LoopPlan plan;
    std::vector<std::uint32_t> work = {};  // members that compute, in execution order
    // Bases used only in the block that cannot be tile slots.
    std::vector<std::uint32_t> local = {};
    std::vector<WrittenComplex> wholes = {};

    const Instruction& instruction(std::uint32_t i) const { return program.instructions[i]; }
};

constexpr bool is_reduction(const Instruction& i) { return i.method == Method::Reduce; }
// Returns whether `i` processes its elements in order, in a phase of its own: an accumulation, a
// scatter or a segmented reduction.
constexpr bool is_ordered(const Instruction& i) {
    return i.method == Method::Accumulate || i.method == Method::Reduceat ||
           is_scatter(i.op, i.method);
}

// --- lower.cpp: one nest, whole or from its parts
void lower_nest(LoweringContext& context);
// Adds statements over plan.extents.
void add_statements(LoweringContext& context);
// Merges the ordered axes and sets what depends on them.
void finish_axes(LoweringContext& context);
void finish_nest(LoweringContext& context);

// ---- axes.cpp ----

// Returns the common axes of the iteration spaces of the working members, in C order, without axes
// of extent 1.
Dims common_axes(const Program& program, std::span<const std::uint32_t> work);
// Returns the strides of a view over axes that refine its coalesced axes.
Dims strides_over(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                  std::span<const std::int64_t> axes);
// Returns the axis of `shape` in which each of `axes` begins (the innermost if several were
// merged).
SmallVec<std::uint8_t, 8> axis_origins(std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> axes);
// Orders the nest (by the outputs' strides, or the reductions' trees) and merges axes.
void order_axes(LoweringContext& context);
// Permutes the axes of the nest: new axis k is axis order[k].
void apply_order(LoopPlan& plan, const std::vector<std::size_t>& order);
// Returns the nest order of a reduction, that of its tree.
std::vector<std::size_t> tree_order(const LoweringContext& context, const PlanReduction& r,
                                    const Instruction& i);
// Returns whether an axis and the next one inside can be merged. merge_axis merges them.
bool can_merge(const LoopPlan& plan, std::size_t outer);
void merge_axis(LoopPlan& plan, std::size_t outer);
void merge_axes(LoweringContext& context);
// Returns the outer axis along which an operand's rows are adjacent in memory, if that is not the
// innermost outer axis already: inside the others, neighbouring rows run one after another and the
// operand is read by cache lines (exec/nest/transposed.hpp).
std::optional<std::size_t> axis_of_adjacent_rows(const LoopPlan& plan);
// Returns whether the plan has an operand with adjacent rows, which would be too long to be read by
// cache lines if they had so many elements.
bool has_wide_rows(const LoopPlan& plan, std::int64_t elements);
// Moves that axis inside the other outer axes. Call after merging.
void bring_rows_together(LoopPlan& plan);
Dims without_ones(std::span<const std::int64_t> shape);
// Column form: moves kept axes outside the innermost before the reduced ones, so that the reduced
// axes can be swept over a tile. Call after merging, which needs the axes in memory order.
void hoist_kept_axes(LoweringContext& context);

// ---- contract.cpp ----

// Sets contracted, acquires and releases.
void find_lifetimes(LoweringContext& context);
// Assigns tile slots to the views of contracted bases; slots are reused when lives end.
void assign_slots(LoweringContext& context);

// ---- tile.cpp ----

// Returns the preferred elements per tile for the plan's dtypes.
std::int64_t preferred_tile(const LoopPlan& plan);
void choose_tiles(LoopPlan& plan, std::int64_t preferred);

// ---- traffic.cpp ----

void estimate(LoweringContext& context);
// The part of an estimate that depends on numbers: bytes, seconds, and which stores are
// non-temporal.
void estimate_traffic(LoopPlan& plan, const BaseUses& uses);
void estimate_single_traffic(LoopPlan& plan, const Program& program, const Instruction& alone,
                             const BaseUses& uses);
// The estimate of a block of kind Rows, from its phases.
void estimate_rows(LoweringContext& context);
std::int64_t view_bytes(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                        DType dtype);

}  // namespace hassium
