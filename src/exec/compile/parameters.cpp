#include "exec/compile/parameters.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "exec/nest/transposed.hpp"
#include "program/axes.hpp"

namespace hassium {
namespace {

// Gap after a slot: adjacent slots start in different cache sets and never at the same offset in a
// page, as a load would be taken for dependent on an earlier store to the same offset.
constexpr std::int64_t kSlotGap = 320;
// Rows of this many tiles, of eight bytes per element, are walked in place; the tails of shorter
// ones would cost more than copies.
constexpr std::int64_t kLongRow = 2;
// Bytes that fit the caches of one core.
constexpr std::int64_t kNear = std::int64_t{1} << 20;

bool is_long_row(std::int64_t elements) {
    return 8 * elements >= kLongRow * tiles_of(kernels()).tile_bytes;
}

std::int64_t unit_stride(const PlanOperand& o) {
    return o.home == Home::Position ? 1 : itemsize(o.dtype);
}

Direct direct_of(const PlanOperand& o) {
    const std::int64_t size = itemsize(o.dtype), stride = o.strides.back();
    if (o.home != Home::Base || kind(o.dtype) == DTypeKind::Complex) return Direct::No;
    const TileStrided how = stride == 2 * size ? TileStrided::Second
                            : stride == -size  ? TileStrided::Backward
                                               : TileStrided::Strided;
    const auto& takes = tiles_of(kernels()).take[static_cast<int>(how)];
    const bool fits = std::in_range<std::int32_t>(stride);
    if (!fits || !takes[item_log2(size)][kTileWidths - 1]) return Direct::No;
    return how == TileStrided::Second     ? Direct::Second
           : how == TileStrided::Backward ? Direct::Backward
                                          : Direct::Strided;
}

bool is_written(const LoopPlan& plan, std::uint32_t base) {
    return std::ranges::any_of(plan.statements, [&](const Statement& s) {
        return std::any_of(s.operands.begin(), s.operands.begin() + s.nout, [&](std::uint32_t k) {
            return plan.operands[k].home == Home::Base && plan.operands[k].index == base;
        });
    });
}

// Returns whether the operand is read through panels. A panel is read ahead of its rows, so nothing
// may write the base. Phases run few rows at a time, less than a panel has.
bool is_transposed(const LoopPlan& plan, const PlanOperand& o, std::size_t span_at) {
    const std::int64_t size = itemsize(o.dtype);
    return span_at > 0 && plan.span == 1 && plan.swept == 0 && plan.fixed == 0 &&
           std::abs(o.strides[span_at - 1]) == size && !o.anywhere && o.home == Home::Base &&
           reads_panels(plan.extents[span_at], plan.extents[span_at - 1], o.strides[span_at],
                        size) &&
           !is_written(plan, o.index);
}

LaidOutOperand operand_layout(const LoopPlan& plan, const PlanOperand& o, std::size_t span_at) {
    if (o.home != Home::Base && o.home != Home::Position) return {};
    const std::int64_t *extents = plan.extents.data(), *strides = o.strides.data();
    std::int64_t inside = unit_stride(o);
    const std::size_t last = plan.extents.size() - 1;
    bool still = true, contiguous = true, even = o.home == Home::Base, repeats = plan.span > 1;
    for (std::size_t k = plan.extents.size(); k-- > span_at;) {
        still &= strides[k] == 0;
        contiguous &= strides[k] == inside;
        inside *= extents[k];
        even &= k == last || carries(strides[k], strides[k + 1], extents[k + 1]);
        repeats &= k == last || strides[k] == 0;
    }
    LaidOutOperand layout{OperandLayout::Scalar, Direct::No, false, false, o.stream, o.ahead};
    if (still) return layout;
    if (contiguous) {
        layout.layout = OperandLayout::Contiguous;
    } else if (is_transposed(plan, o, span_at)) {
        layout.layout = OperandLayout::Contiguous;
        layout.transposed = true;
        layout.ahead = false;
    } else if (plan.span == 1 || even) {
        layout.layout = OperandLayout::Strided;
        layout.direct = direct_of(o);
        if (o.stream) {
            layout.lanes = o.lanes;
            layout.lane = o.lane;
        }
    } else {
        layout.layout = OperandLayout::Walked;
        layout.repeats = repeats && o.home == Home::Base;
        if (strides[last] == itemsize(o.dtype) && is_long_row(extents[last])) {
            layout.direct = Direct::Rows;
        }
    }
    return layout;
}

bool lies_in_order(const ReductionCode& c) {
    std::int64_t inside = c.bytes;
    for (std::size_t k = c.extents.size(); k-- > 0;) {
        if (c.strides[k] != inside) return false;
        inside *= c.extents[k];
    }
    return true;
}

void bind_reduction(ReductionCode& c, const LoopPlan& plan, const PlanReduction& r) {
    c.offset = plan.operands[r.result].offset;
    c.extents = r.extents;
    c.strides = r.strides;
    c.outputs = r.tree.outputs;
    c.partials = r.tree.partials();
    c.row = r.tree.row_elements;
    c.planes = folds_planes(r);
    c.piece = c.sequential ? c.row : std::min(c.row, ReductionTree::kChunk);
    const bool rows = r.role[plan.extents.size() - plan.span] == 0;
    c.pitch = (rows ? c.partials : 1) * c.bytes;
    c.inner = plan.extents.back();
    c.run = plan.run;
    c.chunk_bytes = c.outputs * c.bytes;
    c.direct = c.partials == 1 && !c.round && !c.cast && lies_in_order(c);
}

// Sets the strides of partials in memory: row form [output][position of the row][chunk], column
// form [chunk][output]; outputs in nest order.
void follow_partials(Track& track, const BlockCode& code, const LoopPlan& plan) {
    const PlanReduction& r = plan.reductions[track.index];
    const ReductionCode& c = code.reductions[track.index];
    std::size_t span_at = plan.extents.size() - plan.span;
    std::int64_t kept = c.row_form ? c.partials * c.bytes : c.bytes;
    std::int64_t reduced = c.row_form ? r.tree.chunks * c.bytes : 0;
    track.outer = Dims(span_at, 0);
    for (std::size_t k = plan.extents.size(); k-- > 0;) {
        if (r.role[k] == 2) continue;
        std::int64_t& stride = r.role[k] == 0 ? kept : reduced;
        if (k < span_at) track.outer[k] = stride;
        stride *= plan.extents[k];
    }
    track.advance = !c.row_form && plan.span == 1 ? c.bytes : 0;
}

// Returns whether a pointer with these strides moves like the track.
bool follows(const Track& track, std::int64_t advance, const std::int64_t* outer) {
    return track.advance == advance && track.column == 0 &&
           std::equal(track.outer.begin(), track.outer.end(), outer);
}

// Assigns pointers to tracks; those with a constant distance share one.
void bind_tracks(BlockCode& code, const LoopPlan& plan) {
    const std::size_t span_at = plan.extents.size() - plan.span;
    const Pointer* const pointers = code.pointers.data();
    OnTrack* const places = code.on_track.data();
    std::uint32_t count = 0;
    code.transposes = false;
    for (std::size_t k = 0; k < code.moving; ++k) {
        if (count == code.tracks.size()) code.tracks.emplace_back();
        const Pointer& p = pointers[k];
        Track* const tracks = code.tracks.data();
        Track& track = tracks[count];
        track.column = track.first = 0;
        if (p.source == Source::Partial) {
            track.source = p.source;
            track.index = p.index;
            follow_partials(track, code, plan);
            places[k] = {count++, 0};
            continue;
        }
        const PlanOperand& o = plan.operands[p.operand];
        const std::int64_t* outer = o.strides.data();
        const std::int64_t advance = p.layout == OperandLayout::Contiguous ? unit_stride(o)
                                     : p.layout == OperandLayout::Strided  ? o.strides.back()
                                                                           : 0;
        const bool transposed = code.lies[p.operand].transposed;
        PointerId at = transposed ? kNoPointer : p.before;
        while (at != kNoPointer && !follows(tracks[places[at].track], advance, outer)) {
            at = pointers[at].before;
        }
        if (at != kNoPointer) {
            places[k] = {places[at].track, o.offset};
            continue;
        }
        track.source = p.source;
        track.index = p.index;
        track.advance = advance;
        track.outer.assign(outer, span_at);
        places[k] = {count++, o.offset};
        if (!transposed) continue;
        code.transposes = true;
        track.column = o.strides.back();
        const std::int64_t pitch = panel_pitch(plan.extents.back(), track.advance);
        track.outer.back() = outer[span_at - 1] < 0 ? -pitch : pitch;
        track.first = std::exchange(places[k].offset, 0);
    }
    code.tracks.resize(count);
}

// Sets the strides of a chain's arrays that are parameters of the plan.
void bind_distances(BlockCode& code, const LoopPlan& plan) {
    auto distance = [&](PointerId pointer) -> std::int64_t {
        const std::uint32_t operand = code.pointers[pointer].operand;
        const bool bound = operand != kNoOperand && code.lies[operand].direct == Direct::Strided;
        return bound ? plan.operands[operand].strides.back() : 0;
    };
    for (Chain& chain : code.chains) {
        if (!chain.strided) continue;
        for (const ChainAddress& a : chain.arrays) {
            if (std::int64_t s = distance(a.pointer)) {
                chain.steps[a.step].s[a.operand] = static_cast<std::int32_t>(s);
            }
        }
        for (auto* arrays : {&chain.loads, &chain.stores}) {
            for (ChainArray& a : *arrays) {
                if (std::int64_t s = distance(a.pointer)) a.stride = s;
            }
        }
    }
}

// Places slots, then temporaries and a spare one, after the chains' memory.
void bind_scratch(BlockCode& code) {
    if (code.laid_tile == code.tile) return;
    code.laid_tile = code.tile;
    auto padded = [&](std::int64_t item) { return (item * code.tile + 63) / 64 * 64 + kSlotGap; };
    std::int64_t at = code.slots_at;
    SmallVec<std::int64_t, 32> offsets;
    for (std::uint8_t item : code.slot_items) {
        offsets.push_back(at);
        at += padded(item);
    }
    const std::int64_t temporary = padded(code.temporary_item);
    for (std::size_t k = code.moving; k < code.pointers.size(); ++k) {
        Pointer& p = code.pointers[k];
        if (p.source != Source::Scratch) continue;
        std::size_t slots = offsets.size();
        p.offset = p.index < slots ? offsets[p.index]
                                   : at + static_cast<std::int64_t>(p.index - slots) * temporary;
    }
    code.scratch_bytes = at + (code.temporaries + 1) * temporary;
}

}  // namespace

// ---- rebinding ----

bool folds_planes(const PlanReduction& r) {
    // The fold of a single row goes through memory for complex numbers.
    const std::int64_t most = kind(r.accumulator) == DTypeKind::Complex ? 256 : 63;
    const std::int64_t row = r.tree.row_elements;
    return r.tree.row_form && row <= kMostPlanes && row * itemsize(r.accumulator) <= most;
}

bool rebind(BlockCode& code, const LoopPlan& plan) {
    if (plan.kind == BlockKind::Rows) {
        for (std::size_t k = 0; k < code.phases.size(); ++k) {
            if (!rebind(code.phases[k], plan.phases[k])) return false;
        }
        return true;
    }
    if (plan.kind != BlockKind::Nest) return true;
    const std::size_t span_at = plan.extents.size() - plan.span;
    if (code.swept.size() != plan.swept || code.outer.size() + plan.swept != span_at) return false;
    const LaidOutOperand* layout = code.lies.data();
    for (const PlanOperand& o : plan.operands) {
        if (operand_layout(plan, o, span_at) != *layout++) return false;
    }
    for (std::size_t k = 0; k < code.reductions.size(); ++k) {
        const ReductionCode& c = code.reductions[k];
        const bool by_planes = c.of_products || c.sequential;  // these steps depend on it
        if (by_planes && folds_planes(plan.reductions[k]) != c.planes) return false;
    }
    const bool runs = code.jobs > 0;
    bind_numbers(code, plan);
    return (code.jobs > 0) == runs;
}

bool rebind_congruent(BlockCode& code, const LoopPlan& plan, const BlockCode& model) {
    if (code.swept.size() != model.swept.size() || code.outer.size() != model.outer.size() ||
        code.lies != model.lies || (code.jobs > 0) != (model.jobs > 0)) {
        return false;
    }
    for (std::size_t k = 0; k < code.reductions.size(); ++k) {
        if (code.reductions[k].planes != model.reductions[k].planes) return false;
    }
    bind_numbers(code, plan);
    return true;
}

std::shared_ptr<BlockCode> copy_of(const BlockCode& code) {
    return std::make_shared<BlockCode>(code);
}

bool same_code(const BlockCode& a, const BlockCode& b) { return a == b; }

// ---- parameters ----

std::vector<LaidOutOperand> operand_layouts(const LoopPlan& plan) {
    std::vector<LaidOutOperand> lies;
    lies.reserve(plan.operands.size());
    std::size_t span_at = plan.extents.size() - plan.span;
    for (const PlanOperand& o : plan.operands) lies.push_back(operand_layout(plan, o, span_at));
    return lies;
}

void bind_shape(BlockCode& code, const LoopPlan& plan) {
    const std::size_t rank = plan.extents.size(), span_at = rank - plan.span;
    const std::size_t swept_at = span_at - plan.swept;
    const std::int64_t* extents = plan.extents.data();
    code.outer.assign(extents, swept_at);
    code.swept.assign(extents + swept_at, plan.swept);
    code.swept_steps = element_count({extents + swept_at, plan.swept});
    code.span_elements = element_count({extents + span_at, plan.span});
    code.tile = std::min(plan.tile, std::max<std::int64_t>(code.span_elements, 1));
    code.unit = plan.sweep.unit > 0 ? plan.sweep.unit : plan.unit;
    code.run = plan.run;
    code.near = plan.bytes <= kNear;
    // Avoids divisions, as most blocks are small.
    auto pieces = [](std::int64_t whole, std::int64_t piece) {
        return whole > piece ? (whole + piece - 1) / piece : std::min<std::int64_t>(whole, 1);
    };
    code.units = pieces(code.span_elements, code.unit);
    code.sweeps = plan.swept ? pieces(code.swept_steps, code.run) : 1;
    code.jobs = element_count({extents, swept_at}) * code.units * code.sweeps;
}

void bind_numbers(BlockCode& code, const LoopPlan& plan) {
    const std::size_t span_at = plan.extents.size() - plan.span;
    bind_shape(code, plan);
    for (std::size_t k = 0; k < code.reductions.size(); ++k) {
        bind_reduction(code.reductions[k], plan, plan.reductions[k]);
    }
    bind_tracks(code, plan);
    bind_scratch(code);
    bind_distances(code, plan);
    for (Step& step : code.steps) {
        if (step.operand != kNoOperand) step.stride = plan.operands[step.operand].strides.back();
    }
    const std::int64_t* extents = plan.extents.data() + span_at;
    const std::uint32_t* operand = code.walk_operands.data();
    for (Walk& walk : code.walks) {
        const PlanOperand& o = plan.operands[*operand++];
        walk.extents.assign(extents, plan.span);
        walk.strides.assign(o.strides.data() + span_at, plan.span);
        walk.ahead = o.ahead;
    }
}

}  // namespace hassium
