#include "exec/nest/walker.hpp"

#include <algorithm>

namespace hassium {
namespace {

char* at(Address address) { return reinterpret_cast<char*>(address); }

}  // namespace

Walker::Walker(const Launch& launch, WalkerRoom& room)
    : launch_(launch), code_(launch.code), transposed_(launch.code) {
    char *const own = room.own(code_), *const scratch = room.scratch();
    const std::size_t count = code_.tracks.size();
    start_ = reinterpret_cast<Address*>(own);
    row_ = start_ + count;
    here_ = row_ + count;
    now_ = here_ + count;
    for (std::size_t k = code_.moving; k < code_.pointers.size(); ++k) {
        const Pointer& p = code_.pointers[k];
        const void* address = p.source == Source::Constant  ? launch_.constants[p.index].bytes
                              : p.source == Source::Literal ? code_.literals[p.index].bytes
                                                            : nullptr;
        if (p.source == Source::Scratch) address = scratch + p.offset;
        now_[k] = reinterpret_cast<Address>(address);
    }
    if (!code_.chains.empty())
        chains_.emplace(code_, own + code_.table_bytes(), scratch, here_, now_);
}

void Walker::run(std::int64_t first, std::int64_t last) {
    place_tracks();
    transposed_.begin();
    kept_.clear();
    if (transposed_.any()) rows_left_ = (last - 1) / launch_.units - first / launch_.units + 1;
    if (code_.one_chain() || code_.one_step()) return run_lines(first, last);
    seek(first);
    for (std::int64_t job = first; job < last && !decided(); ++job) {
        run_job();
        next_job();
    }
}

void Walker::place_tracks() {
    for (std::size_t k = 0; k < code_.tracks.size(); ++k) {
        const Track& t = code_.tracks[k];
        const char* address = t.source == Source::Base      ? launch_.bases[t.index].data
                              : t.source == Source::Partial ? launch_.partials[t.index]
                                                            : nullptr;
        start_[k] = reinterpret_cast<Address>(address);
    }
}

// Avoids divisions, which most runs do not need.
void Walker::seek(std::int64_t job) {
    sweep_ = 0;
    if (code_.sweeps > 1) {
        sweep_ = job % code_.sweeps;
        job /= code_.sweeps;
    }
    unit_ = job;
    if (!code_.outer.empty()) {
        unit_ = job % launch_.units;
        job /= launch_.units;
    }
    for (std::size_t k = code_.outer.size(); k-- > 0;) {
        outer_index_[k] = job % code_.outer[k];
        job /= code_.outer[k];
    }
    place_rows();
}

void Walker::next_job() {
    if (++sweep_ < code_.sweeps) return;
    sweep_ = 0;
    if (++unit_ < launch_.units) return;
    unit_ = 0;
    next_lines(1);
}

// Advances by `lines` along the last outer axis, which must have as many left.
void Walker::next_lines(std::int64_t lines) {
    rows_left_ -= lines;
    for (std::size_t k = code_.outer.size(); k-- > 0; lines = 1) {
        outer_index_[k] += lines;
        if (outer_index_[k] < code_.outer[k]) break;
        outer_index_[k] = 0;
    }
    place_rows();
}

void Walker::place_rows() {
    for (std::size_t p = 0; p < code_.tracks.size(); ++p) {
        const Dims& strides = code_.tracks[p].outer;
        Address address = start_[p];
        for (std::size_t k = 0; k < code_.outer.size(); ++k) {
            address += outer_index_[k] * strides[k];
        }
        row_[p] = address;
    }
    if (transposed_.any() && rows_left_ > 0) place_transposed();
}

// Places the rows of inputs that are read through panels.
void Walker::place_transposed() {
    const std::size_t last = code_.outer.size() - 1;
    const std::int64_t rows = std::min(rows_left_, code_.outer[last] - outer_index_[last]);
    for (std::size_t p = 0; p < code_.tracks.size(); ++p) {
        const Track& track = code_.tracks[p];
        if (track.column == 0) continue;
        const std::int64_t step = track.outer[last] < 0 ? -track.advance : track.advance;
        const Address from =
            row_[p] + track.first + outer_index_[last] * (step - track.outer[last]);
        row_[p] = transposed_.row(p, from, rows, launch_.span_elements);
    }
}

// Runs code that is one chain, or one step on arrays in place: whole rows of the span, many at a
// time, or part of one row. No tile depends on another, and longer calls cost less per element. If
// the launch can short-circuit, calls start short, as that is likely to happen early.
void Walker::run_lines(std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kMostBeforeShortCircuit = 32;
    const std::int64_t units = launch_.units;
    const std::int64_t limit = launch_.decided ? kMostBeforeShortCircuit : last - first;
    std::int64_t most = launch_.decided ? 1 : limit;
    seek(first);
    for (; first < last && !decided(); most = std::min(2 * most, limit)) {
        const std::int64_t left = std::min(last - first, most);
        std::int64_t wanted = std::min(units - unit_, left), lines = 1;
        const std::int64_t begin = unit_ * code_.unit;
        const std::int64_t end = std::min((unit_ + wanted) * code_.unit, launch_.span_elements);
        if (wanted == units && !code_.outer.empty()) {
            const std::size_t axis = code_.outer.size() - 1;
            lines = std::min(code_.outer[axis] - outer_index_[axis], left / units);
            if (transposed_.any()) lines = std::min(lines, transposed_.rows_held());
        }
        if (code_.one_chain()) {
            place_tile(row_, begin);
            chains_->run_lines(code_.steps[0].walk, lines, end - begin);
        } else {
            run_step_lines(lines, begin, end - begin);
        }
        first += lines * wanted;
        unit_ += wanted;
        if (unit_ < units) continue;
        unit_ = 0;
        next_lines(lines);
    }
}

void Walker::run_step_lines(std::int64_t lines, std::int64_t position, std::int64_t n) {
    run_tile(row_, position, n);
    for (std::int64_t k = 1; k < lines; ++k) {
        for (std::size_t p = 0; p < code_.tracks.size(); ++p) {
            here_[p] += code_.tracks[p].outer.back();
        }
        name_pointers();
        run_steps();
    }
}

void Walker::run_job() {
    if (code_.swept.empty()) {
        std::int64_t begin = unit_ * code_.unit;
        std::int64_t end = std::min(begin + code_.unit, launch_.span_elements);
        for (std::int64_t p = begin; p < end; p += code_.tile) {
            run_tile(row_, p, std::min(code_.tile, end - p));
        }
        return;
    }
    run_sweep();
}

// Runs a part of the inner axis at each step of a run of the reduced axes.
void Walker::run_sweep() {
    std::size_t rank = code_.swept.size(), outside = code_.outer.size();
    std::int64_t begin = sweep_ * code_.run;
    std::int64_t end = std::min(begin + code_.run, code_.swept_steps);
    const std::int64_t left = unit_ * code_.unit;
    const std::int64_t right = std::min(left + code_.unit, code_.span_elements);
    std::int64_t index[kMaxDims], rest = begin, rows = 1;
    for (std::size_t k = rank; k-- > 0;) {
        index[k] = rest % code_.swept[k];
        rest /= code_.swept[k];
    }
    chunk_ = sweep_;
    const bool folds = only_folds();
    const std::int64_t tile = needs_tiles() ? code_.tile : right - left;
    begin_partials(left, right - left);
    for (std::int64_t step = begin; step < end; step += rows) {
        first_ = step == begin;
        if (folds) {
            rows = std::min({kFoldRows, end - step, code_.swept[rank - 1] - index[rank - 1]});
        }
        for (std::size_t p = 0; p < code_.tracks.size(); ++p) {
            Address address = row_[p] + chunk_bytes(p);
            const std::int64_t* strides = code_.tracks[p].outer.data() + outside;
            for (std::size_t k = 0; k < rank; ++k) address += index[k] * strides[k];
            here_[p] = address + left * code_.tracks[p].advance;
        }
        for (std::int64_t position = left; position < right; position += tile) {
            name_pointers();
            position_ = position;
            count_ = std::min(tile, right - position);
            rows > 1 ? fold_rows(rows) : run_steps();
            if (position + tile < right) advance_tile(tile);
        }
        index[rank - 1] += rows - 1;
        for (std::size_t k = rank; k-- > 0;) {
            if (++index[k] < code_.swept[k]) break;
            index[k] = 0;
        }
    }
}

void Walker::advance_tile(std::int64_t elements) {
    for (std::size_t p = 0; p < code_.tracks.size(); ++p) {
        here_[p] += elements * code_.tracks[p].advance;
    }
}

// Returns the offset of the swept run's partials, for a track of partials that a chain accumulates.
std::int64_t Walker::chunk_bytes(std::size_t track) const {
    const Track& t = code_.tracks[track];
    if (t.source != Source::Partial || !code_.reductions[t.index].in_chain) return 0;
    return chunk_ * code_.reductions[t.index].chunk_bytes;
}

// Initializes partials that chains accumulate, `n` elements from `left` on.
void Walker::begin_partials(std::int64_t left, std::int64_t n) {
    for (std::size_t p = 0; p < code_.tracks.size(); ++p) {
        const Track& t = code_.tracks[p];
        if (t.source != Source::Partial || !code_.reductions[t.index].in_chain) continue;
        const ReductionCode& r = code_.reductions[t.index];
        char* const partials = at(row_[p] + chunk_bytes(p) + left * t.advance);
        code_.table->fill[item_log2(r.bytes)](partials, reinterpret_cast<const char*>(r.neutral),
                                              n);
    }
}

// Returns whether steps need tiles: chains and folds of arrays in memory do not, others have
// buffers of one tile.
bool Walker::needs_tiles() const {
    return !only_folds() && std::any_of(code_.steps.begin(), code_.steps.end(),
                                        [](const Step& s) { return s.kind != StepKind::Chain; });
}

// Returns whether the code only folds arrays in place.
bool Walker::only_folds() const {
    return std::all_of(code_.steps.begin(), code_.steps.end(), [this](const Step& s) {
        return s.kind == StepKind::Columns && s.p[1] < code_.named;
    });
}
// Folds rows of the innermost swept axis.
void Walker::fold_rows(std::int64_t rows) {
    const std::size_t axis = code_.outer.size() + code_.swept.size() - 1;
    for (const Step& s : code_.steps) {
        const std::int64_t pitch = code_.tracks[code_.on_track[s.p[1]].track].outer[axis];
        fold().column_rows(code_.reductions[s.walk], at(now_[s.p[0]]), at(now_[s.p[1]]),
                           at(now_[s.p[2]]), pitch, rows);
    }
}

void Walker::place_tile(const Address* row, std::int64_t position) {
    for (std::size_t p = 0; p < code_.tracks.size(); ++p) {
        here_[p] = row[p] + position * code_.tracks[p].advance;
    }
    name_pointers();
}

void Walker::run_tile(const Address* row, std::int64_t position, std::int64_t n) {
    place_tile(row, position);
    position_ = position;
    count_ = n;
    run_steps();
}

void Walker::name_pointers() {
    for (std::size_t k = 0; k < code_.named; ++k) {
        now_[k] = here_[code_.on_track[k].track] + code_.on_track[k].offset;
    }
}

void Walker::run_steps() {
    const Step* end = code_.steps.data() + code_.steps.size();
    for (const Step* step = code_.steps.data(); step != end; ++step) {
        step += run_step(*step);
    }
}

void run_jobs(const Launch& launch, std::int64_t first, std::int64_t last) {
    WalkerBytes bytes;
    bytes.add(launch.code);
    WalkerRoom room(bytes);
    Walker(launch, room).run(first, last);
}

}  // namespace hassium
