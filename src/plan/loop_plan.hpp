// The loop plan, product of planning: one block as one loop nest in canonical iteration order.
//
// It holds no pointers: operands name bases of the program and slots of the tile, so a plan is
// immutable and shared between flushes; the executor binds it. Kernels are named by op and dtypes.
//
// A plan is structure and numbers (extents, strides, offsets, tiles, estimates). Flushes of one
// family share the structure and differ in numbers (plan/rebind/rebind.hpp). So rebinding must set
// every new field that is a number and repeat every new test of numbers in lowering. Plans compare
// field by field; with the setting `verify` each rebound plan is compared with the one that
// planning makes for its numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/small_vec.hpp"
#include "base/types.hpp"
#include "ops/op_info.hpp"
#include "program/reduction_tree.hpp"

namespace hassium {

// Position: the number of the element in C order, which generators count.
enum class Home : std::uint8_t { Position, Tile, Base, Constant };

struct PlanOperand {
    DType dtype;  // as stored
    Home home;
    bool anywhere = false;  // Base: a vector that is read or written at positions of an index
    bool stream = false;    // Base: written with non-temporal stores
    std::uint32_t index;    // Base: program base; Tile: slot; Constant: index
    // Base, of streamed outputs whose elements are interleaved: number of such outputs, and index
    // of this one.
    std::uint8_t lanes = 0, lane = 0;
    bool ahead = false;       // Base: prefetched, as it comes from beyond the caches
    std::int64_t offset = 0;  // Base: bytes of the first element
    Dims strides;             // bytes along each axis of the nest
    friend bool operator==(const PlanOperand&, const PlanOperand&) = default;
};

struct Statement {
    std::uint32_t instruction;  // of the program, for origins and dumps
    Op op;
    Method method;
    DType compute;
    std::uint8_t nout, nin, masked;
    SmallVec<std::uint32_t, 6> operands;  // indices into LoopPlan::operands: outputs, inputs, mask
    std::int32_t reduction = -1;          // index into LoopPlan::reductions
    friend bool operator==(const Statement&, const Statement&) = default;
};

// A fused reduction: its tree and its result. Nest axes are in the tree's order; in the column form
// the kept axes outside the innermost come first, then the reduced ones: the elements of an output
// are visited in the same order.
struct PlanReduction {
    ReductionTree tree;
    DType accumulator;  // dtype of partials: float32 for float16, rounded once at the end
    // Role of each nest axis: 0 kept, 1 reduced outside the row, 2 inside the row (row form).
    SmallVec<std::uint8_t, 8> role;
    std::uint32_t result;   // operand (Home::Base), strides over the nest's kept axes, 0 elsewhere
    Dims extents, strides;  // of the result: its elements in the order of the partials
    friend bool operator==(const PlanReduction&, const PlanReduction&) = default;
};

enum class BlockKind : std::uint8_t {
    Nest,     // statements over a loop nest
    Rows,     // several nests, one after another on each panel of rows (plan/lower/rows.hpp)
    Single,   // one instruction run by its own routine: scan, gather, scatter, opaque, argreduce
    Ordered,  // one that processes the last axis in order: a phase of kind Rows
    System,   // only del and sync
};

// A base of which only some rows exist at a time during a sweep. Its rows are numbered by cells:
// cell i is row i of the nest that writes it, the `cell_bytes` bytes from `offset` + i *
// cell_bytes.
struct SweepRing {
    std::uint32_t base;
    std::int64_t offset;
    std::int64_t cell_bytes;
    std::int64_t lag, lead;  // of the nest that writes it
    // Range of cells in use: while rows t to u of the first nest run, those from t - back to u +
    // front; between bands that meet at row t, those from t - back to t + above.
    std::int64_t back, front, above;
    friend bool operator==(const SweepRing&, const SweepRing&) = default;
};

// Position of a nest in a sweep of several nests (plan/sweep/sweep.hpp).
struct Sweep {
    static constexpr std::size_t kMostNests = 16;
    static constexpr std::int64_t kMostHalo = 8;  // most rows between accesses to the same bytes
    static constexpr std::int64_t kMostHead = 32;
    // Set for the first nest: number of nests; rows per panel; rows that run before any band begins
    // because all others read their results; bases that are rings. nests == 0: no sweep begins
    // here.
    std::uint32_t nests = 0;
    std::int64_t panel = 0;
    std::int64_t head = 0;
    std::vector<SweepRing> rings;
    std::int64_t spared = 0;  // bytes that are in the cache when they are read
    // Set for each nest: its rows; elements per row if a row is a unit of work (0: the plan's
    // unit); rows by which it lags the first nest; first row of a band that is independent of the
    // band before.
    std::int64_t rows = 0;
    std::int64_t unit = 0;
    std::int64_t lag = 0;
    std::int64_t lead = 0;
    friend bool operator==(const Sweep&, const Sweep&) = default;
};

// Memory for one panel of a base that lives and dies in a block of kind Rows.
struct PanelBase {
    std::uint32_t base;
    std::int64_t offset;  // in the base, of the first panel's first byte
    std::int64_t bytes;   // of a panel
    Dims strides;         // bytes along the fixed axes
    friend bool operator==(const PanelBase&, const PanelBase&) = default;
};

// How a block of kind Rows is cut. The last fixed axis is cut into panels; the last panel at each
// position of the other axes may be short.
struct Panels {
    std::int64_t count = 1;   // of all panels
    std::int64_t height = 1;  // rows of a panel
    std::int64_t rows = 1;    // along the last fixed axis
    std::int64_t width = 1;   // results of a reduction per row: product of the kept axes inside
    // Panels along the last fixed axis are pieces of a line that is accumulated: each needs the
    // result of the one before.
    bool in_order = false;
    Dims extents;  // fixed axes; empty: phases run whole
    std::vector<PanelBase> bases;
    friend bool operator==(const Panels&, const Panels&) = default;
};

struct LoopPlan {
    BlockKind kind = BlockKind::Nest;
    Dims extents;                     // of the nest, outermost first; the last is the inner loop
    SmallVec<std::uint8_t, 8> order;  // program axis at which each nest axis begins (for dumps)
    std::vector<PlanOperand> operands;
    std::vector<Statement> statements;  // in execution order
    std::vector<PlanReduction> reductions;
    std::vector<DType> slots;  // tile slots: the widest dtype each must hold
    // A tile is a range of the linear index over the `span` innermost axes. The `swept` axes just
    // outside the span are walked inside a unit of work, in runs of at most `run` steps (the column
    // form).
    std::uint8_t span = 1;
    std::uint8_t swept = 0;
    std::uint8_t fixed = 0;  // of a phase: leading axes that all phases of the block share
    std::int64_t tile = 0;   // elements per tile
    std::int64_t unit = 0;   // elements of the span that one thread walks in order
    std::int64_t run = 1;
    Sweep sweep;
    std::vector<std::uint32_t> acquires;    // program bases that need memory before the first store
    std::vector<std::uint32_t> releases;    // bases whose memory is returned after the block
    std::vector<std::uint32_t> contracted;  // bases that never get memory
    std::vector<std::uint32_t> instructions;  // of the program, in order, with del and sync
    double cycles = 0;                        // of a nest, per element
    double seconds = 0;                       // estimated work on one core
    std::int64_t bytes = 0;                   // memory traffic: each external view once
    bool stream = false;                      // non-temporal stores
    bool ahead = false;                       // some operand is prefetched
    std::uint8_t raises = 0;                  // union of the rows' FpFlag bits
    std::vector<LoopPlan> phases;             // of a block of kind Rows: nests in execution order
    Panels panels;

    std::string dump() const;
    void verify() const;
    friend bool operator==(const LoopPlan&, const LoopPlan&) = default;
};

}  // namespace hassium
