// Whole tiles run on the arrays themselves. The tail of a row is computed by a tile that overlaps
// the one before. If the chain writes what it reads, that tile runs first, while its inputs are
// unchanged, and its results wait in packed buffers until the others are done. If a result is
// streamed, tiles begin at its first whole cache line, and what lies before and after them comes
// from packed buffers, so that whole lines are stored once. A row shorter than a tile runs on
// packed copies; lanes without an element repeat the first one, so that they raise nothing new.
#include "exec/chain/run_chain.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/counters.hpp"

namespace hassium {
namespace {

char* at(Address address) { return reinterpret_cast<char*>(address); }

std::uintptr_t past_line(const char* p) { return reinterpret_cast<std::uintptr_t>(p) % 64; }

// Returns whether the copy only stores to packed buffers.
bool is_late(ChainCopy copy) {
    return copy == ChainCopy::Tail || copy == ChainCopy::TailLines ||
           copy == ChainCopy::TailOuterLoop;
}

}  // namespace

// ---- copies of the steps ----

TileStep* ChainRunner::filled(std::size_t number, ChainCopy copy) {
    const Chain& chain = code_.chains[number];
    TileStep* steps = steps_of(number, copy);
    bool& ready = ready_[kChainCopies * number + static_cast<std::size_t>(copy)];
    if (ready) return steps;
    ready = true;
    std::memcpy(steps, chain.steps.data(), chain.steps.size() * sizeof(TileStep));
    for (const Chain::Slot& s : chain.slots) steps[s.step].p[s.operand] = scratch_ + s.offset;
    place_singles(chain, steps, false);
    if (copy == ChainCopy::Tail || copy == ChainCopy::Packed) put_packs(chain, steps, copy);
    if (copy >= ChainCopy::Lines) step_by_lines(chain, steps, copy);
    if (copy >= ChainCopy::OuterLoop) lie_in_outer_loop(chain, steps);
    return steps;
}

void ChainRunner::put_packs(const Chain& chain, TileStep* steps, ChainCopy copy) const {
    const bool loads = copy == ChainCopy::Packed;
    for (const ChainAddress& a : chain.arrays) {
        if (!a.stored && !loads) continue;
        for (const ChainArray& array : a.stored ? chain.stores : chain.loads) {
            if (array.pointer == a.pointer) steps[a.step].p[a.operand] = scratch_ + array.stage;
        }
        steps[a.step].s[a.operand] = 0;
    }
    for (const Chain::Plain& p : chain.plain) {
        if (p.store || loads) steps[p.step].fn = p.fn;
    }
}

void ChainRunner::step_by_lines(const Chain& chain, TileStep* steps, ChainCopy copy) const {
    for (const auto* list : {&chain.arrays, &chain.singles}) {
        for (const ChainAddress& a : *list) {
            steps[a.step].s[a.operand] = static_cast<std::int32_t>(line_step(a.pointer));
        }
    }
    if (copy != ChainCopy::TailLines) return;
    char* stage = scratch_ + chain.ends_at;
    for (const ChainArray& a : chain.stores) {
        steps[a.step].p[0] = stage;
        steps[a.step].s[0] = static_cast<std::int32_t>(chain.pack_bytes(a));
        stage += kLinesTogether * chain.pack_bytes(a);
    }
}

void ChainRunner::place_singles(const Chain& chain, TileStep* steps, bool moving) const {
    for (const ChainAddress& a : chain.singles) {
        if ((a.pointer < code_.moving) == moving)
            steps[a.step].p[a.operand] = at(now_[a.pointer]) + a.into;
    }
}

TileStep* ChainRunner::placed(std::size_t number, ChainCopy copy, std::int64_t first) {
    const Chain& chain = code_.chains[number];
    TileStep* steps = filled(number, copy);
    place_singles(chain, steps, true);
    for (const ChainAddress& a : chain.arrays) {
        if (a.stored && is_late(copy)) continue;
        const std::int64_t stride = chain.steps[a.step].s[a.operand];
        steps[a.step].p[a.operand] = lies(a, first, stride);
    }
    return steps;
}

// ---- pieces of rows ----

void ChainRunner::run(std::size_t number, std::int64_t position, std::int64_t n) {
    const Chain& chain = code_.chains[number];
    if (!chain.walks.empty()) return run_rows(chain, number, position, n);
    run_piece(number, 0, n);
}

void ChainRunner::run_rows(const Chain& chain, std::size_t number, std::int64_t position,
                           std::int64_t n) {
    const Dims& extents = code_.walks[chain.walks[0]].extents;
    std::size_t inner = extents.size() - 1;
    offsets_.resize(chain.walks.size());
    for (std::int64_t done = 0; done < n;) {
        std::int64_t index[kMaxDims], rest = position + done;
        for (std::size_t k = extents.size(); k-- > 0;) {
            index[k] = rest % extents[k];
            rest /= extents[k];
        }
        for (std::size_t w = 0; w < chain.walks.size(); ++w) {
            const Dims& strides = code_.walks[chain.walks[w]].strides;
            std::int64_t offset = 0;
            for (std::size_t k = 0; k <= inner; ++k) offset += index[k] * strides[k];
            offsets_[w] = offset;
        }
        std::int64_t length = std::min(extents[inner] - index[inner], n - done);
        run_piece(number, done, length);
        done += length;
    }
}

void ChainRunner::run_piece(std::size_t number, std::int64_t first, std::int64_t n) {
    const Chain& chain = code_.chains[number];
    if (chain.row) return chain.row(placed(number, ChainCopy::Main, first), row_bytes(chain, n));
    if (n < chain.tile) return run_through_packing(number, first, n);
    const TileStep* steps = placed(number, ChainCopy::Main, first);
    const bool whole = n % chain.tile == 0 && head_of(chain, steps, n) == 0;
    const bool late = !whole && runs_late(chain, n);
    run_tiles(chain, steps, late ? placed(number, ChainCopy::Tail, first) : nullptr, n);
}

// Returns how many elements of a row lie before the first whole cache line of what is streamed.
std::int64_t ChainRunner::head_of(const Chain& chain, const TileStep* steps, std::int64_t n) {
    if (chain.streamed < 0) return 0;
    const ChainArray& a = chain.stores[static_cast<std::size_t>(chain.streamed)];
    const auto bytes = static_cast<std::int64_t>((64 - past_line(steps[a.step].p[0])) % 64);
    return bytes % a.bytes == 0 && bytes / a.bytes + chain.tile <= n ? bytes / a.bytes : 0;
}

// Runs a row of at least a tile. `late`: steps for the ends of the row if they go through packed
// buffers, or null.
void ChainRunner::run_tiles(const Chain& chain, const TileStep* steps, const TileStep* late,
                            std::int64_t n) const {
    const std::int64_t head = late ? head_of(chain, steps, n) : 0;
    if (head != 0) {
        code_.tiles->run(late, 0, chain.tile, chain.tile);
        store_packed(chain, steps, 0, {0, head});
    }
    const std::int64_t left = (n - head) % chain.tile;
    if (late && left != 0) code_.tiles->run(late, n - chain.tile, n, chain.tile);
    code_.tiles->run(steps, head, n - left, chain.tile);
    if (left == 0) return;
    if (!late) return code_.tiles->run(steps, n - chain.tile, n, chain.tile);
    store_packed(chain, steps, chain.tile - left, {n - left, left});
}

// Stores packed results from element `first` of the buffers to `count` elements of the row.
void ChainRunner::store_packed(const Chain& chain, const TileStep* steps, std::int64_t first,
                               Part to) const {
    for (std::size_t k = 0; k < chain.stores.size(); ++k) {
        const ChainArray& a = chain.stores[k];
        const char* from = scratch_ + a.stage + first * a.bytes;
        char* out = steps[a.step].p[0] + to.first * a.stride;
        if (a.stride != a.bytes) {
            code_.table->store[item_log2(a.bytes)](out, a.stride, from, to.count);
        } else if (static_cast<std::int32_t>(k) == chain.streamed && past_line(out) == 0) {
            code_.table->stream(out, from, to.count * a.bytes);
        } else {
            std::memcpy(out, from, static_cast<std::size_t>(to.count * a.bytes));
        }
    }
}

// Runs a row shorter than a tile.
void ChainRunner::run_through_packing(std::size_t number, std::int64_t first, std::int64_t n) {
    const Chain& chain = code_.chains[number];
    TileStep* steps = filled(number, ChainCopy::Packed);
    place_singles(chain, steps, true);
    for (const ChainArray& a : chain.loads) {
        char* to = scratch_ + a.stage;
        const char* from = lies(a, first, a.stride);
        code_.table->load[item_log2(a.bytes)](to, from, a.stride, n);
        code_.table->fill[item_log2(a.bytes)](to + n * a.bytes, from, chain.tile - n);
    }
    code_.tiles->run(steps, 0, 1, chain.tile);
    for (const ChainArray& a : chain.stores) {
        code_.table->store[item_log2(a.bytes)](lies(a, first, a.stride), a.stride,
                                               scratch_ + a.stage, n);
    }
}

// ---- lines ----

void ChainRunner::run_lines(std::size_t number, std::int64_t lines, std::int64_t n) {
    const Chain& chain = code_.chains[number];
    if (lines == 1) return run_piece(number, 0, n);
    if (chain.row) return run_whole_rows(number, lines, row_bytes(chain, n));
    if (runs_outer_loop(chain, lines, n)) return run_outer_loop(number, lines, n);
    if (n < chain.tile) {
        counters().add(Counter::rows_packed, lines);
        for (std::int64_t k = 0; k < lines; ++k) {
            run_through_packing(number, 0, n);
            next_line();
        }
        return;
    }
    if (lines_together(chain, n)) return run_together(number, lines, cut_of(chain, n));
    movers_.clear();
    TileStep *steps = placed(number, ChainCopy::Main, 0), *late = nullptr;
    find_movers(chain, steps, ChainCopy::Main);
    if (runs_late(chain, n)) {
        late = placed(number, ChainCopy::Tail, 0);
        find_movers(chain, late, ChainCopy::Tail);
    }
    for (std::int64_t k = 0; k < lines; ++k) {
        run_tiles(chain, steps, late, n);
        for (const Mover& m : movers_) *m.address += m.step;
    }
}

void ChainRunner::run_whole_rows(std::size_t number, std::int64_t lines, std::int64_t bytes) {
    const Chain& chain = code_.chains[number];
    movers_.clear();
    TileStep* steps = placed(number, ChainCopy::Main, 0);
    find_movers(chain, steps, ChainCopy::Main);
    for (std::int64_t k = 0; k < lines; ++k) {
        chain.row(steps, bytes);
        for (const Mover& m : movers_) *m.address += m.step;
    }
}

void ChainRunner::find_movers(const Chain& chain, TileStep* steps, ChainCopy copy) {
    for (const auto* list : {&chain.arrays, &chain.singles}) {
        for (const ChainAddress& a : *list) {
            if (a.stored && is_late(copy)) continue;
            const std::int64_t step = line_step(a.pointer);
            if (step != 0) movers_.push_back({&steps[a.step].p[a.operand], step});
        }
    }
}

// Returns whether a line stride exceeds the range of a step's stride.
bool ChainRunner::lines_far_apart() const {
    return std::any_of(code_.tracks.begin(), code_.tracks.end(),
                       [](const Track& t) { return !std::in_range<std::int32_t>(t.outer.back()); });
}

// With data from beyond the caches, rows one after another are faster.
bool ChainRunner::lines_together(const Chain& chain, std::int64_t n) const {
    return chain.together && code_.near && n <= kShortRow * chain.tile && !lines_far_apart();
}

// Runs the same tile of kLinesTogether lines in one call, then the next tile of these lines.
void ChainRunner::run_together(std::size_t number, std::int64_t lines, Cut cut) {
    const Chain& chain = code_.chains[number];
    const std::int64_t tile = chain.tile, last = cut.whole + cut.left - tile;
    movers_.clear();
    TileStep *steps = placed(number, ChainCopy::Lines, 0), *late = nullptr;
    find_movers(chain, steps, ChainCopy::Lines);
    if (cut.left != 0 && !chain.overlaps) {
        late = placed(number, ChainCopy::TailLines, last);
        find_movers(chain, late, ChainCopy::TailLines);
    }
    auto move = [&](std::int64_t elements) {
        for (const ChainAddress& a : chain.arrays) {
            steps[a.step].p[a.operand] += elements * chain.steps[a.step].s[a.operand];
        }
    };
    for (std::int64_t done = 0; done < lines; done += kLinesTogether) {
        const std::int64_t count = std::min(kLinesTogether, lines - done);
        if (late) code_.tiles->run(late, 0, count, 1);
        for (std::int64_t at = 0; at < cut.whole; at += tile) {
            code_.tiles->run(steps, 0, count, 1);
            move(tile);
        }
        if (late) {
            store_ends(chain, steps, late, count, cut.left);
        } else if (cut.left != 0) {
            move(last - cut.whole);
            code_.tiles->run(steps, 0, count, 1);
            move(cut.whole - last);
        }
        move(-cut.whole);
        for (const Mover& m : movers_) *m.address += kLinesTogether * m.step;
    }
}

// Copies the tails of some lines from packed buffers to the arrays of `steps`.
void ChainRunner::store_ends(const Chain& chain, const TileStep* steps, const TileStep* late,
                             std::int64_t lines, std::int64_t left) {
    for (const ChainArray& a : chain.stores) {
        const TileStep &to = steps[a.step], &from = late[a.step];
        const char* stage = from.p[0] + (chain.tile - left) * a.bytes;
        for (std::int64_t k = 0; k < lines; ++k) {
            std::memcpy(to.p[0] + k * to.s[0], stage + k * from.s[0],
                        static_cast<std::size_t>(left * a.bytes));
        }
    }
}

void ChainRunner::next_line() {
    for (std::size_t k = 0; k < code_.tracks.size(); ++k) here_[k] += code_.tracks[k].outer.back();
    for (std::size_t k = 0; k < code_.named; ++k) {
        now_[k] = here_[code_.on_track[k].track] + code_.on_track[k].offset;
    }
}

}  // namespace hassium
