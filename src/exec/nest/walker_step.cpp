// Runs one step of a nest on one tile.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "exec/nest/walker.hpp"
#include "exec/single/index_lookups.hpp"
#include "exec/single/long_lines.hpp"

namespace hassium {
namespace {

char* at(Address address) { return reinterpret_cast<char*>(address); }

}  // namespace

// Returns how many of the following steps to skip.
std::size_t Walker::run_step(const Step& s) {
    if (s.kind == StepKind::Chain) {
        chains_->run(s.walk, position_, count_);
        return 0;
    }
    char* p[6];
    std::int64_t n = s.one ? 1 : count_;
    if (s.kind == StepKind::Map) {
        for (int k = 0; k < s.pointers; ++k) p[k] = at(now_[s.p[k]]);
        s.map(p, s.scalars, n);
        return 0;
    }
    for (int k = 0; k < 3; ++k) p[k] = at(now_[s.p[k]]);
    switch (s.kind) {
        case StepKind::Map:
        case StepKind::Chain:
            break;
        case StepKind::Cast:
            s.cast(p[0], p[1], n);
            break;
        case StepKind::Load:
            s.load(p[0], p[1], s.stride, n);
            break;
        case StepKind::Gather:
            if (s.keeps && is_kept(s, p[1], position_ % code_.walks[s.walk].extents.back(), n))
                break;
            gather(*code_.table, code_.walks[s.walk], p[0], p[1], s.bytes, position_, n);
            break;
        case StepKind::Pick:
            gather_line(
                {p[1], p[0], p[2], n, s.bytes, s.bytes, sizeof(std::int64_t), s.bytes, false});
            break;
        case StepKind::Store:
            store(s, p[0], p[1], n);
            break;
        case StepKind::Scatter:
            scatter(*code_.table, code_.walks[s.walk], p[0], p[1], s.bytes, position_, n);
            break;
        case StepKind::Stream:
            stream_line(*code_.table, p[0], p[1], n * s.bytes);
            break;
        case StepKind::Interleave:
            code_.table->interleave[item_log2(s.bytes)](p[0], p[1], p[2] - p[1], s.pointers, n);
            break;
        case StepKind::Blend:
            s.blend(p[0], s.stride, p[1], p[2], n);
            break;
        case StepKind::ScatterBlend:
            scatter_blend(*code_.table, code_.walks[s.walk], p[0], p[1], p[2], s.bytes, position_,
                          n);
            break;
        case StepKind::CopyOne:
            std::memcpy(p[0], p[1], s.bytes);
            break;
        case StepKind::Fill:
            if (!s.keeps || !is_kept(s, p[1], 0, n)) fill(s, p[0], p[1], n);
            break;
        case StepKind::Range:
            s.range(p[0], p[1], p[2], now_[s.p[3]], 1, n);
            break;
        case StepKind::RangeRuns:
            range_runs(s.range, code_.walks[s.walk], p[0], p[1], p[2], now_[s.p[3]], s.bytes,
                       position_, n);
            break;
        case StepKind::Guard:
            selected_ = static_cast<const char*>(std::memchr(p[0], 1, static_cast<std::size_t>(n)));
            if (!selected_) return s.skip;
            selected_at_ = selected_ - p[0];
            break;
        case StepKind::Guarded:
            code_.table->fill[item_log2(s.bytes)](p[0], p[1] + selected_at_ * s.bytes, n);
            code_.table->blend[item_log2(s.bytes)](p[0], s.bytes, p[1], p[2], n);
            break;
        case StepKind::RowChunks:
            fold().row_chunks(code_.reductions[s.walk], p[0], p[1], p[2]);
            if (launch_.decided) look_for_decision(code_.reductions[s.walk], p[0]);
            break;
        case StepKind::RowSums:
            fold().row_sums(code_.reductions[s.walk], s, p[0], p[1], p[2]);
            break;
        case StepKind::RowCounts:
            fold().row_counts(code_.reductions[s.walk], s, p[0], p[1], p[2]);
            if (launch_.decided) look_for_decision(code_.reductions[s.walk], p[0]);
            break;
        case StepKind::RowScan:
            fold().row_scan(code_.reductions[s.walk], p[0], p[1], p[2]);
            break;
        case StepKind::Columns:
            fold().columns(code_.reductions[s.walk], p[0], p[1], p[2]);
            break;
    }
    return 0;
}

// Returns whether an earlier tile has left the data of the step; otherwise records this tile's.
bool Walker::is_kept(const Step& s, const char* from, std::int64_t phase, std::int64_t n) {
    if (kept_.empty()) kept_.resize(code_.steps.size());
    Kept& kept = kept_[static_cast<std::size_t>(&s - code_.steps.data())];
    if (kept.from == from && kept.phase == phase && kept.elements >= n) return true;
    kept = {from, phase, n};
    return false;
}

// Kernels allow an identical destination, but no partial overlap.
void Walker::store(const Step& s, char* out, const char* in, std::int64_t n) const {
    const std::int64_t bytes = n * s.bytes;
    if (s.stride != s.bytes) {
        s.store(out, s.stride, in, n);
    } else if (out != in && std::abs(out - in) < bytes) {
        std::memmove(out, in, static_cast<std::size_t>(bytes));
    } else if (goes_by_library(out, in, bytes, code_.near)) {
        copy_by_library(out, in, bytes);
    } else {
        s.store(out, s.stride, in, n);
    }
}

// Looks for a decisive value among the tile's partials, which are contiguous bools.
void Walker::look_for_decision(const ReductionCode& r, const char* partials) {
    const std::int64_t count = (count_ + r.piece - 1) / r.piece;
    const char* const first = partials + position_ / r.piece;
    if (std::memchr(first, r.decisive, static_cast<std::size_t>(count))) {
        launch_.decided->store(true, std::memory_order_relaxed);
    }
}

void Walker::fill(const Step& s, char* out, const char* value, std::int64_t n) {
    if (!fills_by_library(value, s.bytes, n * s.bytes)) return s.fill(out, value, n);
    std::memset(out, *value, static_cast<std::size_t>(n * s.bytes));
}

}  // namespace hassium
