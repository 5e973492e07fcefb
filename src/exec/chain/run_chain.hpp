// One thread's copies of the steps of a block's chains, with addresses.
#pragma once

#include "exec/compile/code.hpp"

namespace hassium {

class ChainRunner {
  public:
    // `here`: the walker's addresses of tracks; `now`: those of named pointers. All memory outlives
    // the runner.
    ChainRunner(const BlockCode& code, char* copies, char* scratch, Address* here, Address* now)
        : code_(code), copies_(copies), scratch_(scratch), here_(here), now_(now) {
        for (std::size_t k = 0; k < kChainCopies * code.chains.size(); ++k) ready_.push_back(false);
    }
    // Runs `n` elements from the current pointers, which are at element `position` of the span.
    void run(std::size_t number, std::int64_t position, std::int64_t n);
    // Runs `lines` lines of `n` elements each, along the innermost axis outside the span. For
    // chains without walks. The pointers are at the first line, and move.
    void run_lines(std::size_t number, std::int64_t lines, std::int64_t n);

  private:
    // An address that advances from line to line.
    struct Mover {
        char** address;
        std::int64_t step;
    };

    const BlockCode& code_;
    char *copies_, *scratch_;
    Address *here_, *now_;
    SmallVec<bool, 16> ready_;            // copies of each chain
    SmallVec<std::int64_t, 16> offsets_;  // of the walks of the running chain, at the current row
    SmallVec<Mover, 16> movers_;

    TileStep* steps_of(std::size_t number, ChainCopy copy) const {
        const Chain& chain = code_.chains[number];
        std::int64_t at = chain.copies_at + static_cast<int>(copy) * chain.copy_bytes();
        return reinterpret_cast<TileStep*>(copies_ + at);
    }
    // Returns the copy with the addresses that do not move.
    TileStep* filled(std::size_t number, ChainCopy copy);
    // Returns the bytes from line to line.
    std::int64_t line_step(PointerId pointer) const {
        if (pointer >= code_.moving) return 0;
        return code_.tracks[code_.on_track[pointer].track].outer.back();
    }
    void step_by_lines(const Chain& chain, TileStep* steps, ChainCopy copy) const;
    void put_packs(const Chain& chain, TileStep* steps, ChainCopy copy) const;
    // Arrays in scratch do not move.
    char* place(PointerId pointer) const {
        if (pointer >= code_.moving) return reinterpret_cast<char*>(now_[pointer]);
        const OnTrack& p = code_.on_track[pointer];
        return reinterpret_cast<char*>(here_[p.track] + p.offset);
    }
    void place_singles(const Chain& chain, TileStep* steps, bool moving) const;
    // Returns the copy with its arrays at the row that begins at element `first`.
    TileStep* placed(std::size_t number, ChainCopy copy, std::int64_t first);
    template <class Array>
    char* lies(const Array& a, std::int64_t first, std::int64_t stride) const {
        return place(a.pointer) + (a.walk < 0 ? first * stride : offsets_[a.walk]);
    }
    void run_rows(const Chain& chain, std::size_t number, std::int64_t position, std::int64_t n);
    // Runs `n` elements of one row, from element `first` of the tile.
    void run_piece(std::size_t number, std::int64_t first, std::int64_t n);
    // The elements of a row in whole tiles, and those of its tail.
    struct Cut {
        std::int64_t whole, left;
    };
    static Cut cut_of(const Chain& chain, std::int64_t n) {
        const std::int64_t left = n % chain.tile;
        return {n - left, left};
    }
    // Returns whether ends of a row of `n` elements go through packed buffers.
    static bool runs_late(const Chain& chain, std::int64_t n) {
        return chain.streamed >= 0 || (!chain.overlaps && n % chain.tile != 0);
    }
    static std::int64_t row_bytes(const Chain& chain, std::int64_t n) {
        return n * chain.stores.front().bytes;
    }
    void run_whole_rows(std::size_t number, std::int64_t lines, std::int64_t bytes);
    static std::int64_t head_of(const Chain& chain, const TileStep* steps, std::int64_t n);
    void run_tiles(const Chain& chain, const TileStep* steps, const TileStep* late,
                   std::int64_t n) const;
    struct Part {
        std::int64_t first, count;
    };
    void store_packed(const Chain& chain, const TileStep* steps, std::int64_t first, Part to) const;
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
    // Bytes of a row for tiles across lines: of one register, in whole registers, of the tail.
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
