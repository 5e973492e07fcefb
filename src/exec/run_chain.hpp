// One thread's copies of the chains of a block, with addresses.
#pragma once

#include "exec/code.hpp"

namespace hassium {

class ChainRunner {
  public:
    // The walker's addresses of tracks and of pointers that steps name; all memory outlives the
    // runner.
    ChainRunner(const BlockCode& code, char* scratch, const Address* here, const Address* now)
        : code_(code), scratch_(scratch), here_(here), now_(now) {
        for (std::size_t k = 0; k < 2 * code.chains.size(); ++k) ready_.push_back(false);
    }
    // `n` elements from where the pointers are, which is element `position` of the span.
    void run(std::size_t number, std::int64_t position, std::int64_t n);

  private:
    const BlockCode& code_;
    char* scratch_;
    const Address *here_, *now_;
    SmallVec<bool, 16> ready_;            // main and staged copy of each chain
    SmallVec<std::int64_t, 16> offsets_;  // of the walks of the chain that runs, at the piece

    TileStep* copy(const Chain& chain, bool staged);
    // Arrays in scratch lie still.
    char* place(PointerId pointer) const {
        if (pointer >= code_.moving) return reinterpret_cast<char*>(now_[pointer]);
        const OnTrack& p = code_.on_track[pointer];
        return reinterpret_cast<char*>(here_[p.track] + p.offset);
    }
    void place_singles(const Chain& chain, TileStep* steps, bool moving) const;
    template <class Array>
    char* lies(const Array& a, std::int64_t first, std::int64_t bytes) const {
        return place(a.pointer) + (a.walk < 0 ? first * bytes : offsets_[a.walk]);
    }
    void run_rows(const Chain& chain, std::size_t number, std::int64_t position, std::int64_t n);
    // `n` elements from the element `first` of the tile, in one row.
    void run_piece(const Chain& chain, std::size_t number, std::int64_t first, std::int64_t n);
    void run_staged(const Chain& chain, std::size_t number, std::int64_t first, std::int64_t piece,
                    std::int64_t n);
};

}  // namespace hassium
