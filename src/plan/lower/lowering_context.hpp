// The block while it is being lowered: operands over common axes, not yet ordered or merged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/lower/lower.hpp"

namespace hassium {

// A complex view that the block has written, and its parts where they were read since.
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
    // Bases that are not used before or after the block but that cannot be slots.
    std::vector<std::uint32_t> local = {};
    std::vector<WrittenComplex> wholes = {};

    const Instruction& instruction(std::uint32_t i) const { return program.instructions[i]; }
};

constexpr bool is_reduction(const Instruction& i) { return i.method == Method::Reduce; }
// Whether it takes its elements in order, in a phase of its own: an accumulation, a scatter or a
// reduction of segments.
constexpr bool is_ordered(const Instruction& i) {
    return i.method == Method::Accumulate || i.method == Method::Reduceat ||
           is_scatter(i.op, i.method);
}

// --- lower.cpp: one nest, whole or from its parts
void lower_nest(LoweringContext& context);
// Statements over plan.extents.
void add_statements(LoweringContext& context);
// Everything after the axes have their order: merging, and what follows from it.
void finish_axes(LoweringContext& context);
void finish_nest(LoweringContext& context);

// ---- axes.cpp ----

// Axes that the iteration spaces of working members can be written in, in C order, no extent 1.
Dims common_axes(const Program& program, std::span<const std::uint32_t> work);
// Strides of a view over axes that refine its coalesced axes.
Dims strides_over(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                  std::span<const std::int64_t> axes);
// Which axis of `shape` each of `axes` begins in (the innermost, when several were merged).
SmallVec<std::uint8_t, 8> axis_origins(std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> axes);
// Orders the nest (outputs' strides first, or the reductions' trees) and merges axes.
void order_axes(LoweringContext& context);
// Numbers the axes of the nest, then takes them in another order: number k becomes order[k].
void apply_order(LoopPlan& plan, const std::vector<std::size_t>& order);
// The nest order of a reduction: its tree's.
std::vector<std::size_t> tree_order(const LoweringContext& context, const PlanReduction& r,
                                    const Instruction& i);
// Whether an axis and the next one inside may become one. merge_axis makes them one.
bool can_merge(const LoopPlan& plan, std::size_t outer);
void merge_axis(LoopPlan& plan, std::size_t outer);
void merge_axes(LoweringContext& context);
Dims without_ones(std::span<const std::int64_t> shape);
// Column form: kept axes outside the innermost come before the reduced ones, so that the reduced
// axes can be swept over a tile. After merging, which needs the axes as memory is laid out.
void hoist_kept_axes(LoweringContext& context);

// ---- contract.cpp ----

// Fills contracted, acquires, releases.
void find_lifetimes(LoweringContext& context);
// Gives the views of contracted bases tile slots, reused as lives end.
void assign_slots(LoweringContext& context);

// ---- tile.cpp ----

// Elements of a tile that suits the dtypes.
std::int64_t preferred_tile(const LoopPlan& plan);
void choose_tiles(LoopPlan& plan, std::int64_t preferred);

// ---- traffic.cpp ----

void estimate(LoweringContext& context);
// What of an estimate are numbers: bytes, seconds, and which stores stream.
void estimate_traffic(LoopPlan& plan, const BaseUses& uses);
void estimate_single_traffic(LoopPlan& plan, const Program& program, const Instruction& alone);
// For a block of kind Rows, from its phases.
void estimate_rows(LoweringContext& context);
std::int64_t view_bytes(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                        DType dtype);

}  // namespace hassium
