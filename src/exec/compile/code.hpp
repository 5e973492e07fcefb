// A compiled block: pointers that walk the nest and steps that use them. Internal to exec.
//
// A job is the smallest unit of work for a thread: one unit of the span at one position of the axes
// outside it (and, in the column form of a reduction, one run of the swept axes). Inside a job
// tiles run in order; a tile runs every step on at most `tile` elements. Steps name pointers by
// number. Pointers that move come first; the others (slots, constants, literals) are set once per
// thread.
//
// Offsets, strides and extents are parameters, which exec/compile/parameters.hpp fills in; all else
// is structure, and stays when code is bound to another plan of the same structure. A new field is
// one or the other: parameters are set there, and nowhere else.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "exec/chain/chain.hpp"
#include "exec/executor.hpp"
#include "exec/nest/packing.hpp"
#include "plan/loop_plan.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {

using Address = std::intptr_t;

// The layout of an operand over the span.
enum class OperandLayout : std::uint8_t { Scalar, Contiguous, Strided, Walked };

// How a chain reads or writes a strided or walked operand in place.
enum class Direct : std::uint8_t { No, Rows, Second, Backward, Strided };

struct LaidOutOperand {
    OperandLayout layout = OperandLayout::Scalar;
    Direct direct = Direct::No;
    bool repeats = false;                // walked: all rows of the span are the same elements
    bool transposed = false;             // contiguous in a panel (exec/nest/transposed.hpp)
    bool stream = false, ahead = false;  // as in the plan
    std::uint8_t lanes = 0, lane = 0;    // as in the plan, if streamed
    friend bool operator==(const LaidOutOperand&, const LaidOutOperand&) = default;
};

inline constexpr PointerId kNoPointer = 0xffff;
inline constexpr std::uint32_t kNoOperand = 0xffffffff;

enum class Source : std::uint8_t { Base, Partial, Position, Constant, Literal, Scratch };

struct Pointer {
    Source source;
    OperandLayout layout = OperandLayout::Scalar;
    PointerId before = kNoPointer;       // the last moving pointer before it into the same memory
    std::uint32_t index = 0;             // base, reduction, constant, literal, slot or temporary
    std::uint32_t operand = kNoOperand;  // of the plan, source of the parameters
    std::int64_t offset = 0;             // bytes in the scratch; for moving pointers see on_track
    friend bool operator==(const Pointer&, const Pointer&) = default;
};

enum class StepKind : std::uint8_t {
    Chain,         // maps on register tiles: number `walk`
    Map,           // fn(p...)
    Cast,          // p0 from p1
    Load,          // p0 contiguous from p1 strided
    Gather,        // same as Load, over several axes of the span
    Pick,          // p0 from vector p1 at the positions p2
    Store,         // p0 strided from p1 contiguous
    Scatter,       // same as Store, over several axes
    Stream,        // p0 from p1, both contiguous, past the caches
    Interleave,    // p0 from lanes: p1, p2, .. at equal distances, past the caches
    Blend,         // p0 strided from p1 where p2
    ScatterBlend,  // same as Blend, over several axes
    CopyOne,       // p0 from p1, one element
    Fill,          // p0 from the single element p1
    Range,         // p0 from start p1, step p2, position p3
    RangeRuns,     // same as Range, positions not consecutive
    Guard,         // p0 mask: skips `skip` steps when nothing is selected
    Guarded,       // p0 from p1 where p2, otherwise a selected element of p1
    RowChunks,     // reduction: partials of p0 from p1, buffer p2
    RowSums,       // reduction: partials of p0 from p1 and p2; bits in `scalars`: one element
    RowCounts,     // same as RowSums, for the number of true results in a row
    RowScan,       // row form in order: state p0, input p1, buffer p2
    Columns,       // reduction: accumulates p1 into p0, buffer p2
};

struct Step {
    StepKind kind;
    std::uint8_t pointers = 0;  // of a map; lanes that are interleaved
    bool one = false;           // a single element: all inputs are scalars
    bool keeps = false;         // a gather or fill with the same result for every tile
    std::uint8_t bytes = 0;     // element size of moves
    std::uint16_t skip = 0;
    PointerId p[7] = {};
    std::uint32_t scalars = 0;
    std::uint32_t walk = 0;  // index of the walk over the span, the chain, or the reduction
    std::uint32_t operand = kNoOperand;  // of the plan, whose stride along the span is `stride`
    std::int64_t stride = 0;
    union {
        MapFn map;
        CastFn cast;
        LoadFn load;
        StoreFn store;
        BlendFn blend;
        FillFn fill;
        RangeFn range;
        SumFn sum;
        CountFn count;
    };
    // The union is compared by `map`: kernels are pointers of one size.
    friend bool operator==(const Step& a, const Step& b) {
        return a.kind == b.kind && a.pointers == b.pointers && a.one == b.one &&
               a.keeps == b.keeps && a.bytes == b.bytes && a.skip == b.skip &&
               std::ranges::equal(a.p, b.p) && a.scalars == b.scalars && a.walk == b.walk &&
               a.operand == b.operand && a.stride == b.stride && a.map == b.map;
    }
};

// The longest row that is folded as planes, a power of two.
inline constexpr std::int64_t kMostPlanes = 32;

struct ReductionCode {
    Op op;
    DType accumulator, result;
    std::uint8_t bytes;  // of the accumulator
    bool row_form, sequential;
    bool direct;               // partials are stored in the result itself
    bool planes = false;       // row form: rows so short that several are folded at a time
    bool of_products = false;  // longer rows run a fused kernel (compile_sums.cpp)
    bool in_chain = false;     // column form, swept: a chain accumulates, starting from `neutral`
    bool from_zero = false;    // starts from 0 instead of the first element
    bool decides = false;      // row form: a partial equal to `decisive` is the result
    char decisive = 0;
    std::uint32_t base;     // of the result
    std::int64_t offset;    // of the result
    Dims extents, strides;  // of the result, in the order of the partials
    std::int64_t outputs;
    std::int64_t partials;     // per output
    std::int64_t row;          // row form: elements of a row
    std::int64_t piece;        // row form: elements of one partial
    std::int64_t pitch;        // row form: bytes from partial to partial along the span
    std::int64_t inner;        // column form: extent of the innermost axis
    std::int64_t run;          // column form: steps of one chunk
    std::int64_t chunk_bytes;  // column form: bytes of one chunk's partials
    MapFn map;
    ChunkFn chunk;
    TreeFn tree;
    ScanFn scan;
    ColumnsFn columns;  // null where there is none
    // Casts from accumulator to compute dtype, and to the result's dtype; null if not needed.
    CastFn round, cast;
    alignas(16) unsigned char identity[16];
    bool has_identity;
    // Start value of a chain: 0 where the row starts from 0, otherwise the neutral element.
    alignas(16) unsigned char neutral[16];
    bool has_neutral;

    std::int64_t partial_bytes() const { return outputs * partials * bytes; }
    friend bool operator==(const ReductionCode&, const ReductionCode&) = default;
};

struct LiteralBytes {
    alignas(16) unsigned char bytes[16];
    friend bool operator==(const LiteralBytes&, const LiteralBytes&) = default;
};

// Pointers with a constant distance move together: the 27 views of a stencil share one track.
struct Track {
    Source source = Source::Base;
    std::uint32_t index = 0;   // base, reduction
    std::int64_t advance = 0;  // per element of the span; for Position in elements
    Dims outer = {};           // strides over the axes outside the span
    // Of an input that is read through panels, in which `advance` and the last of `outer` are:
    // the stride of the span in its base, 0 for other tracks, and the offset of its first element.
    std::int64_t column = 0, first = 0;
    friend bool operator==(const Track&, const Track&) = default;
};
struct OnTrack {
    std::uint32_t track;
    std::int64_t offset;
    friend bool operator==(const OnTrack&, const OnTrack&) = default;
};

class BlockCode {
  public:
    // Moving pointers first; of these, first the ones that steps or broadcast elements name.
    std::vector<Pointer> pointers;
    std::size_t named = 0, moving = 0;
    std::vector<Track> tracks;
    std::vector<OnTrack> on_track;  // of the moving pointers
    std::vector<Step> steps;
    std::vector<Chain> chains;
    std::vector<Walk> walks;
    std::vector<std::uint32_t> walk_operands;  // of the plan, for each walk
    std::vector<ReductionCode> reductions;
    std::vector<LiteralBytes> literals;
    std::vector<LaidOutOperand> lies;  // of the plan's operands: the structure depends on them
    std::int64_t copies_bytes = 0;     // of the chains' steps
    // Scratch: memory of the chains' tiles and packed buffers, slots, temporaries.
    std::int64_t slots_at = 0;
    std::vector<std::uint8_t> slot_items;  // bytes of an element
    std::int64_t temporary_item = 0, temporaries = 0;
    std::int64_t scratch_bytes = 0;
    std::int64_t laid_tile = -1;  // tile length for which scratch offsets were computed

    Dims outer;  // extents of the axes outside the span, without swept ones
    Dims swept;
    std::int64_t span_elements = 0, tile = 0, unit = 0, run = 1;
    std::int64_t units = 0;   // per span
    std::int64_t sweeps = 1;  // runs of the swept axes
    std::int64_t swept_steps = 1;
    std::int64_t jobs = 0;
    bool near = false;              // its memory traffic fits the caches of one core
    bool only_reduces = false;      // stores only results of reductions
    bool transposes = false;        // some track is of an input that is read through panels
    bool interruptible = true;      // no base is both read and written
    std::vector<BlockCode> phases;  // of a block of kind Rows
    const KernelTable* table = nullptr;
    const TileTable* tiles = nullptr;

    // Returns whether the code is one chain, whose rows are at the tracks.
    bool one_chain() const {
        return steps.size() == 1 && steps[0].kind == StepKind::Chain && swept.empty() &&
               chains[steps[0].walk].walks.empty();
    }
    // Returns whether the code is one step, of any length, from arrays to an array or to partials.
    bool one_step() const {
        if (steps.size() != 1 || !swept.empty()) return false;
        const Step& s = steps[0];
        if (s.kind == StepKind::Fill) return s.p[0] < moving;
        const bool moves = s.kind == StepKind::Cast || s.kind == StepKind::Store ||
                           s.kind == StepKind::Stream || s.kind == StepKind::RowChunks ||
                           s.kind == StepKind::RowSums || s.kind == StepKind::RowCounts;
        return moves && !s.one && s.p[0] < moving && s.p[1] < moving;
    }
    // Returns whether the only result is one bool, which a part of the jobs may determine.
    bool can_short_circuit() const {
        return only_reduces && reductions.size() == 1 && reductions[0].decides &&
               reductions[0].outputs == 1 && reductions[0].pitch == 1 && !reductions[0].direct;
    }
    // Bytes of the address tables: three for tracks, one for pointers.
    std::int64_t table_bytes() const {
        std::size_t count = 3 * tracks.size() + pointers.size();
        return static_cast<std::int64_t>((count * sizeof(Address) + 63) / 64 * 64);
    }
    // Bytes of a walker: tables, and copies of steps.
    std::int64_t walker_bytes() const { return table_bytes() + copies_bytes; }
    std::int64_t all_scratch_bytes() const { return walker_bytes() + scratch_bytes; }
    friend bool operator==(const BlockCode&, const BlockCode&) = default;
};

// Returns scratch of the calling thread, at least `bytes`, aligned to 64; kept until the thread
// ends.
char* thread_scratch(std::int64_t bytes);

// State of one launch, shared by its threads. `decided`, if not null, is set when the remaining
// jobs cannot change the result; partials that are never stored hold the identity.
struct Launch {
    const Constant* constants;  // of the program
    const BlockCode& code;
    std::span<const Binding> bases;
    char* const* partials;  // per reduction
    // Elements and units of the span; fewer for a short panel.
    std::int64_t span_elements = code.span_elements, units = code.units;
    std::atomic<bool>* decided = nullptr;
};

// Runs jobs [first, last) on this thread.
void run_jobs(const Launch& launch, std::int64_t first, std::int64_t last);
// Combines the partials of every reduction and stores the results.
void finish_reductions(const Launch& launch);
// As finish_reductions, for `count` outputs from `first` on, in the order of the partials.
void finish_outputs(const Launch& launch, std::int64_t first, std::int64_t count);
// Stores the results of reductions over no elements.
void store_identities(const Launch& launch);

}  // namespace hassium
