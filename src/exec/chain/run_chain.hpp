// One thread's copies of the chains of a block, with addresses.
#pragma once

#include "exec/compile/code.hpp"

namespace hassium {

class ChainRunner {
  public:
    // The walker's addresses of tracks and of pointers that steps name; all memory outlives the
    // runner.
    ChainRunner(const BlockCode& code, char* copies, char* scratch, Address* here, Address* now)
        : code_(code), copies_(copies), scratch_(scratch), here_(here), now_(now) {
        for (std::size_t k = 0; k < kChainCopies * code.chains.size(); ++k) ready_.push_back(false);
    }
    // `n` elements from where the pointers are, which is element `position` of the span.
    void run(std::size_t number, std::int64_t position, std::int64_t n);
    // As many lines of `n` elements, each where the tracks' innermost axis outside the span leads.
    // Chains without walks; the pointers are at the first line, and move.
    void run_lines(std::size_t number, std::int64_t lines, std::int64_t n);

  private:
    // An address that is another in every line.
    struct Mover {
        char** address;
        std::int64_t step;
    };

    const BlockCode& code_;
    char *copies_, *scratch_;
    Address *here_, *now_;
    SmallVec<bool, 16> ready_;            // copies of each chain
    SmallVec<std::int64_t, 16> offsets_;  // of the walks of the chain that runs, at the piece
    SmallVec<Mover, 16> movers_;

    TileStep* steps_of(std::size_t number, ChainCopy copy) const {
        const Chain& chain = code_.chains[number];
        std::int64_t at = chain.copies_at + static_cast<int>(copy) * chain.copy_bytes();
        return reinterpret_cast<TileStep*>(copies_ + at);
    }
    // The copy with the addresses that do not move.
    TileStep* filled(std::size_t number, ChainCopy copy);
    // Bytes from line to line.
    std::int64_t line_step(PointerId pointer) const {
        if (pointer >= code_.moving) return 0;
        return code_.tracks[code_.on_track[pointer].track].outer.back();
    }
    void step_by_lines(const Chain& chain, TileStep* steps, ChainCopy copy) const;
    void put_packs(const Chain& chain, TileStep* steps, ChainCopy copy) const;
    // Arrays in scratch lie still.
    char* place(PointerId pointer) const {
        if (pointer >= code_.moving) return reinterpret_cast<char*>(now_[pointer]);
        const OnTrack& p = code_.on_track[pointer];
        return reinterpret_cast<char*>(here_[p.track] + p.offset);
    }
    void place_singles(const Chain& chain, TileStep* steps, bool moving) const;
    // The arrays of the copy at the piece that begins at `first`.
    TileStep* placed(std::size_t number, ChainCopy copy, std::int64_t first);
    template <class Array>
    char* lies(const Array& a, std::int64_t first, std::int64_t stride) const {
        return place(a.pointer) + (a.walk < 0 ? first * stride : offsets_[a.walk]);
    }
    void run_rows(const Chain& chain, std::size_t number, std::int64_t position, std::int64_t n);
    // `n` elements from the element `first` of the tile, in one row.
    void run_piece(std::size_t number, std::int64_t first, std::int64_t n);
    // A row of at least a tile: elements in whole tiles, and behind them.
    struct Cut {
        std::int64_t whole, left;
    };
    static Cut cut_of(const Chain& chain, std::int64_t n) {
        const std::int64_t left = n % chain.tile;
        return {n - left, left};
    }
    static std::int64_t row_bytes(const Chain& chain, std::int64_t n) {
        return n * chain.stores.front().bytes;
    }
    void run_whole_rows(std::size_t number, std::int64_t lines, std::int64_t bytes);
    void run_tiles(const Chain& chain, const TileStep* steps, const TileStep* late, Cut cut) const;
    void run_through_packing(std::size_t number, std::int64_t first, std::int64_t n);
    void find_movers(const Chain& chain, TileStep* steps, ChainCopy copy);
    bool lines_far_apart() const;
    bool lines_together(const Chain& chain, std::int64_t n) const;
    void run_together(std::size_t number, std::int64_t lines, Cut cut);
    static void store_ends(const Chain& chain, const TileStep* steps, const TileStep* late,
                           std::int64_t lines, std::int64_t left);
    void next_line();

    // --- run_outer_loop.cpp
    bool runs_outer_loop(const Chain& chain, std::int64_t lines, std::int64_t n) const;
    void run_outer_loop(std::size_t number, std::int64_t lines, std::int64_t n);
    void lie_in_outer_loop(const Chain& chain, TileStep* steps) const;
    void move_lines(std::int64_t lines) {
        for (const Mover& m : movers_) *m.address += lines * m.step;
    }
    // Bytes of a row that tiles lie across: of a register, in whole registers, behind them.
    struct Columns {
        std::int64_t step, whole, left;
        std::int64_t row() const { return whole + left; }
        std::int64_t last() const { return whole + left - step; }
    };
    void run_columns(const TileStep* steps, const Columns& c) const;
    void run_last_lines(const Chain& chain, TileStep* late, const Columns& c, std::int64_t lines);
    void store_last_lines(const Chain& chain, const TileStep* steps, const Columns& c,
                          std::int64_t lines) const;
    void pack_ends(const Chain& chain, TileStep* late, const Columns& c) const;
    static void store_last_columns(const Chain& chain, const TileStep* steps, const TileStep* late,
                                   const Columns& c);
};

}  // namespace hassium
