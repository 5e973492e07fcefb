// Outer-loop vectorization (simd/tables/tiles.hpp): for short rows, a tile has one register of each
// of eight lines, so that a step fills all of its registers with elements. The last register of a
// row overlaps the one before, and the last lines run once more with lines before them; if the
// chain writes what it reads, both run first, and their results wait in packed buffers.
#include <cstring>

#include "base/counters.hpp"
#include "exec/chain/run_chain.hpp"

namespace hassium {
namespace {

// Copies a register; a known length is copied inline.
void copy_register(char* to, const char* from, std::int64_t bytes) {
    if (bytes == 64) {
        std::memcpy(to, from, 64);
    } else if (bytes == 32) {
        std::memcpy(to, from, 32);
    } else {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
}

std::int64_t pieces(std::int64_t whole, std::int64_t piece) { return (whole + piece - 1) / piece; }

}  // namespace

// Rows shorter than a tile would otherwise run on packed copies. For other rows this pays if it
// computes fewer surplus elements; data from beyond the caches is faster row by row.
bool ChainRunner::runs_outer_loop(const Chain& chain, std::int64_t lines, std::int64_t n) const {
    const std::int64_t lanes = chain.tile / kTileLines;
    if (chain.across.empty() || lines < kTileLines || n < lanes) return false;
    const std::int64_t most = chain.overlaps ? kShortRow : kMostOuterLoop;
    if (n > most * chain.tile || lines_far_apart()) return false;
    if (n < chain.tile) return true;
    return code_.near &&
           pieces(lines, kTileLines) * pieces(n, lanes) < lines * pieces(n, chain.tile);
}

void ChainRunner::lie_in_outer_loop(const Chain& chain, TileStep* steps) const {
    const std::int64_t bytes = code_.tiles->tile_bytes / kTileLines;
    for (std::size_t k = 0; k < chain.across.size(); ++k) steps[k].fn = chain.across[k];
    for (const Chain::Slot& s : chain.slots) {
        steps[s.step].s[s.operand] = static_cast<std::int32_t>(bytes);
    }
}

void ChainRunner::run_columns(const TileStep* steps, const Columns& c) const {
    code_.tiles->run(steps, 0, c.whole, c.step);
    if (c.left != 0) code_.tiles->run(steps, c.last(), c.row(), c.step);
}

void ChainRunner::run_outer_loop(std::size_t number, std::int64_t lines, std::int64_t n) {
    counters().add(Counter::rows_outer_vectorized, lines);
    const Chain& chain = code_.chains[number];
    const std::int64_t step = code_.tiles->tile_bytes / kTileLines;
    const std::int64_t row = n * (code_.tiles->tile_bytes / chain.tile), left = row % step;
    const std::int64_t rest = lines % kTileLines;
    const Columns c{step, row - left, left};
    const bool waits = !chain.overlaps;
    movers_.clear();
    TileStep* late =
        waits && (left != 0 || rest != 0) ? placed(number, ChainCopy::TailOuterLoop, 0) : nullptr;
    if (late) find_movers(chain, late, ChainCopy::TailOuterLoop);
    if (waits && rest != 0) run_last_lines(chain, late, c, lines);
    if (waits && left != 0) pack_ends(chain, late, c);
    TileStep* steps = placed(number, ChainCopy::OuterLoop, 0);
    find_movers(chain, steps, ChainCopy::OuterLoop);
    for (std::int64_t done = rest; done < lines; done += kTileLines) {
        if (waits && left != 0) {
            code_.tiles->run(late, c.last(), c.row(), step);
            code_.tiles->run(steps, 0, c.whole, step);
            store_last_columns(chain, steps, late, c);
        } else {
            run_columns(steps, c);
        }
        move_lines(kTileLines);
    }
    if (rest == 0) return;
    if (waits) return store_last_lines(chain, steps, c, rest);
    move_lines(rest - kTileLines);
    run_columns(steps, c);
}

// Computes the last eight lines into packed buffers.
void ChainRunner::run_last_lines(const Chain& chain, TileStep* late, const Columns& c,
                                 std::int64_t lines) {
    char* stage = scratch_ + chain.rows_at;
    for (const ChainArray& a : chain.stores) {
        late[a.step].p[0] = stage;
        late[a.step].s[0] = static_cast<std::int32_t>(chain.row_pack_bytes(a));
        stage += kTileLines * chain.row_pack_bytes(a);
    }
    move_lines(lines - kTileLines);
    run_columns(late, c);
    move_lines(kTileLines - lines);
}

// Copies the last `lines` of them from the packed buffers to the arrays of `steps`.
void ChainRunner::store_last_lines(const Chain& chain, const TileStep* steps, const Columns& c,
                                   std::int64_t lines) const {
    const char* stage = scratch_ + chain.rows_at;
    for (const ChainArray& a : chain.stores) {
        const TileStep& to = steps[a.step];
        const std::int64_t pitch = chain.row_pack_bytes(a);
        const char* from = stage + (kTileLines - lines) * pitch;
        for (std::int64_t k = 0; k < lines; ++k) {
            std::memcpy(to.p[0] + k * to.s[0], from + k * pitch, static_cast<std::size_t>(c.row()));
        }
        stage += kTileLines * pitch;
    }
}

// Directs the last registers of eight rows to a packed buffer, side by side.
void ChainRunner::pack_ends(const Chain& chain, TileStep* late, const Columns& c) const {
    char* stage = scratch_ + chain.ends_at;
    for (const ChainArray& a : chain.stores) {
        late[a.step].p[0] = stage - c.last();
        late[a.step].s[0] = static_cast<std::int32_t>(c.step);
        stage += kTileLines * c.step;
    }
}

// Overwrites the overlap with the registers before, which has the same values.
void ChainRunner::store_last_columns(const Chain& chain, const TileStep* steps,
                                     const TileStep* late, const Columns& c) {
    for (const ChainArray& a : chain.stores) {
        const TileStep &to = steps[a.step], &from = late[a.step];
        for (std::int64_t k = 0; k < kTileLines; ++k) {
            copy_register(to.p[0] + k * to.s[0] + c.last(), from.p[0] + c.last() + k * c.step,
                          c.step);
        }
    }
}

}  // namespace hassium
