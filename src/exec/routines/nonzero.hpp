// Positions of true bools: counts the true bools of each run, then stores the positions of all runs
// (or the elements there) at the offsets that follow. On the pool's threads if that pays.
#pragma once

#include <cstdint>

#include "base/small_vec.hpp"

namespace hassium {

// Contiguous rows of bools. The position of a bool is `pitch` times the row, plus its column.
struct BoolRows {
    const char* first;
    std::int64_t rows, columns, pitch;
};

class NonzeroPositions {
  public:
    using Counts = SmallVec<std::int64_t, 4>;  // inline for short masks

    // Counts the true bools. store() reads the bools again.
    explicit NonzeroPositions(const BoolRows& bools);
    // With known counts: how many bools are true before each run, and in all.
    NonzeroPositions(const BoolRows& bools, Counts counts);
    std::int64_t count() const { return before_.back(); }
    const Counts& counts() const { return before_; }
    // Stores the positions in order; `out` has room for count().
    void store(std::int64_t* out) const;
    // Copies elements of `item` bytes at these positions of an array with that `stride` in bytes;
    // put copies elements to these positions.
    void take(char* out, std::int64_t item, const char* from, std::int64_t stride) const;
    void put(const char* in, std::int64_t item, char* to, std::int64_t stride) const;

  private:
    template <class Item, class Piece>
    void for_pieces(Item* out, std::int64_t place, Piece piece) const;

    BoolRows bools_;
    Counts before_;  // true bools before each run, and in all
};

}  // namespace hassium
