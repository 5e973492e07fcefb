// Whole tiles run on the arrays themselves. What is left of a row is computed by a tile that
// reaches back into the one before, where nothing read is written; else, and where a row has no
// whole tile, on copies. Lanes without an element repeat the first one, so that they raise nothing
// that it does not.
#include "exec/run_chain.hpp"

#include <algorithm>
#include <cstring>

namespace hassium {
namespace {

char* at(Address address) { return reinterpret_cast<char*>(address); }

}  // namespace

TileStep* ChainRunner::copy(const Chain& chain, bool staged) {
    char* to = scratch_ + (staged ? chain.staged_at : chain.main_at);
    std::memcpy(to, chain.steps.data(), chain.steps.size() * sizeof(TileStep));
    auto* steps = reinterpret_cast<TileStep*>(to);
    char* tiles = scratch_;
    for (const Chain::Slot& s : chain.slots) steps[s.step].p[s.operand] = tiles + s.offset;
    place_singles(chain, steps, false);
    if (!staged) return steps;
    for (const ChainAddress& a : chain.arrays) {
        for (const auto* list : {&chain.loads, &chain.stores}) {
            for (const ChainArray& array : *list) {
                if (array.pointer == a.pointer) steps[a.step].p[a.operand] = tiles + array.stage;
            }
        }
        steps[a.step].s[a.operand] = 0;
    }
    for (const Chain::Plain& p : chain.plain) steps[p.step].fn = p.fn;
    return steps;
}

void ChainRunner::place_singles(const Chain& chain, TileStep* steps, bool moving) const {
    for (const ChainAddress& a : chain.singles) {
        if ((a.pointer < code_.moving) == moving)
            steps[a.step].p[a.operand] = at(now_[a.pointer]) + a.into;
    }
}

void ChainRunner::run(std::size_t number, std::int64_t position, std::int64_t n) {
    const Chain& chain = code_.chains[number];
    if (!chain.walks.empty()) return run_rows(chain, number, position, n);
    run_piece(chain, number, 0, n);
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
        run_piece(chain, number, done, length);
        done += length;
    }
}

void ChainRunner::run_piece(const Chain& chain, std::size_t number, std::int64_t first,
                            std::int64_t n) {
    std::int64_t whole = n - n % chain.tile;
    if (whole > 0) {
        if (!ready_[2 * number]) copy(chain, false);
        ready_[2 * number] = true;
        auto* steps = reinterpret_cast<TileStep*>(scratch_ + chain.main_at);
        place_singles(chain, steps, true);
        for (const ChainAddress& a : chain.arrays) {
            TileStep& step = steps[a.step];
            step.p[a.operand] = lies(a, first, step.s[a.operand]);
        }
        code_.tiles->run(steps, 0, whole, chain.tile);
        if (whole < n && chain.overlaps) {
            code_.tiles->run(steps, n - chain.tile, n, chain.tile);
            return;
        }
    }
    if (whole < n) run_staged(chain, number, first, whole, n - whole);
}

// What a piece that begins at `first` has from its element `piece` on.
void ChainRunner::run_staged(const Chain& chain, std::size_t number, std::int64_t first,
                             std::int64_t piece, std::int64_t n) {
    if (!ready_[2 * number + 1]) copy(chain, true);
    ready_[2 * number + 1] = true;
    auto* steps = reinterpret_cast<TileStep*>(scratch_ + chain.staged_at);
    char* tiles = scratch_;
    place_singles(chain, steps, true);
    for (const ChainArray& a : chain.loads) {
        const char* from = lies(a, first, a.bytes) + piece * a.bytes;
        code_.table->fill[item_log2(a.bytes)](tiles + a.stage, from, chain.tile);
        std::memcpy(tiles + a.stage, from, static_cast<std::size_t>(n * a.bytes));
    }
    code_.tiles->run(steps, 0, 1, chain.tile);
    for (const ChainArray& a : chain.stores) {
        std::memcpy(lies(a, first, a.bytes) + piece * a.bytes, tiles + a.stage,
                    static_cast<std::size_t>(n * a.bytes));
    }
}

}  // namespace hassium
