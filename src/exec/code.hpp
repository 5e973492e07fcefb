// A compiled block: pointers that walk the nest and steps that use them. Internal to exec.
//
// A job is the smallest piece that threads share: one unit of the span at one position of the axes
// outside it (and, in the column form of a reduction, one run of the swept axes). Inside a job
// tiles run in order; a tile runs every step on at most `tile` elements. Steps name pointers by
// number. Pointers that move come first; the others (slots, constants, literals) are set once per
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/chain.hpp"
#include "exec/executor.hpp"
#include "exec/staging.hpp"
#include "plan/loop_plan.hpp"
#include "simd/kernels.hpp"

namespace hassium {

using Address = std::intptr_t;

enum class Source : std::uint8_t { Base, Partial, Position, Constant, Literal, Scratch };

struct Pointer {
    Source source;
    std::uint32_t index = 0;   // base, reduction, constant, literal
    std::int64_t offset = 0;   // bytes: in the base, in the scratch
    std::int64_t advance = 0;  // per element of the span; for Position in elements
    Dims outer;                // strides over the axes outside the span
};

enum class StepKind : std::uint8_t {
    Chain,         // maps on register tiles: number `walk`
    Map,           // fn(p...)
    Cast,          // p0 from p1
    Load,          // p0 contiguous from p1 strided
    Gather,        // the same over several axes of the span
    Store,         // p0 strided from p1 contiguous
    Scatter,       // the same over several axes
    Stream,        // p0 from p1, both contiguous, past the caches
    Blend,         // p0 strided from p1 where p2
    ScatterBlend,  // the same over several axes
    CopyOne,       // p0 from p1, one element
    Fill,          // p0 from the single element p1
    Range,         // p0 from start p1, step p2, position p3
    RangeRuns,     // the same, positions not consecutive
    Guard,         // p0 mask: skips `skip` steps when nothing is selected
    Guarded,       // p0 from p1 where p2, elsewhere a selected element of p1
    RowChunks,     // reduction: partials of p0 from p1, buffer p2
    RowScan,       // sequential row form: state p0, input p1, buffer p2
    Columns,       // reduction: accumulates p1 into p0, buffer p2
};

struct Step {
    StepKind kind;
    std::uint8_t pointers = 0;  // of a map
    bool one = false;           // a single element: all inputs are scalars
    std::uint8_t bytes = 0;     // element size of moves
    std::uint16_t skip = 0;
    PointerId p[7] = {};
    std::uint32_t scalars = 0;
    std::uint32_t walk = 0;  // index of the walk over the span, of the chain, of the reduction
    std::int64_t stride = 0;
    union {
        MapFn map;
        CastFn cast;
        LoadFn load;
        StoreFn store;
        BlendFn blend;
        FillFn fill;
        RangeFn range;
    };
};

struct ReductionCode {
    Op op;
    DType accumulator, result;
    std::uint8_t bytes;  // of the accumulator
    bool row_form, sequential;
    bool direct;            // partials lie in the result itself
    std::uint32_t base;     // of the result
    std::int64_t offset;    // of the result
    Dims extents, strides;  // of the result, in the order of the partials
    std::int64_t outputs;
    std::int64_t partials;     // per output
    std::int64_t row;          // row form: elements of a row
    std::int64_t piece;        // row form: elements of one partial
    std::int64_t inner;        // column form: extent of the innermost axis
    std::int64_t run;          // column form: steps of one chunk
    std::int64_t chunk_bytes;  // column form: bytes of one chunk's partials
    MapFn map;
    ChunkFn chunk;
    TreeFn tree;
    ScanFn scan;
    // Accumulator to compute dtype to result's dtype; null where nothing changes.
    CastFn round, cast;
    alignas(16) unsigned char identity[16];
    bool has_identity;

    std::int64_t partial_bytes() const { return outputs * partials * bytes; }
};

struct Literal {
    alignas(16) unsigned char bytes[16];
};

// Pointers that differ by a distance move together: the 27 views of a stencil are one track.
struct Track {
    Source source;
    std::uint32_t index;
    std::int64_t advance;
    Dims outer;
};
struct OnTrack {
    std::uint32_t track;
    std::int64_t offset;
};

class BlockCode {
  public:
    // Those that move first, of these first those that other steps than chains name.
    std::vector<Pointer> pointers;
    std::size_t named = 0, moving = 0;
    std::vector<Track> tracks;
    std::vector<OnTrack> on_track;  // of the moving pointers
    std::vector<Step> steps;
    std::vector<Chain> chains;
    std::vector<Walk> walks;
    std::vector<ReductionCode> reductions;
    std::vector<Literal> literals;
    std::int64_t scratch_bytes = 0;  // all of it but the pointer tables
    std::int64_t tiles_at = 0;       // in the scratch: memory of the chains' tiles

    Dims outer;  // extents of the axes outside the span and not swept
    Dims swept;
    std::int64_t span_elements = 0, tile = 0, unit = 0, run = 1;
    std::int64_t units = 0;   // per span
    std::int64_t sweeps = 1;  // runs of the swept axes
    std::int64_t swept_steps = 1;
    std::int64_t jobs = 0;
    bool interruptible = true;  // no base is both read and written
    const KernelTable* table = nullptr;
    const TileTable* tiles = nullptr;

    // Tables of addresses come before the slots: of tracks three, of pointers one.
    std::int64_t table_bytes() const {
        std::size_t count = 3 * tracks.size() + pointers.size();
        return static_cast<std::int64_t>((count * sizeof(Address) + 63) / 64 * 64);
    }
    std::int64_t all_scratch_bytes() const { return table_bytes() + scratch_bytes; }
};

// Scratch of the calling thread, at least `bytes`, aligned to 64; kept until the thread ends.
char* thread_scratch(std::int64_t bytes);

// Memory of one launch, shared by its threads.
struct Launch {
    const Constant* constants;  // of the program
    const BlockCode& code;
    std::span<const Binding> bases;
    char* const* partials;  // per reduction
};

// Runs jobs [first, last) on this thread.
void run_jobs(const Launch& launch, std::int64_t first, std::int64_t last);
// Combines the partials of every reduction and stores the results.
void finish_reductions(const Launch& launch);
// Results of reductions over nothing.
void store_identities(const Launch& launch);

}  // namespace hassium
