// Where bools are true: how many are in each run of them, then the positions of every run to their
// place behind those of the runs before, or the elements at those positions. All on the pool's
// threads where that is worth it.
#pragma once

#include <cstdint>

#include "base/small_vec.hpp"

namespace hassium {

// Rows of bools that follow one another; a position is `pitch` times the row's number, plus what it
// is in the row.
struct BoolRows {
    const char* first;
    std::int64_t rows, columns, pitch;
};

class NonzeroPositions {
  public:
    using Counts = SmallVec<std::int64_t, 4>;  // a short mask takes no memory for them

    // The bools are read here and by store().
    explicit NonzeroPositions(const BoolRows& bools);
    // The same where they are counted: how many are true before each run, and in all.
    NonzeroPositions(const BoolRows& bools, Counts counts);
    std::int64_t count() const { return before_.back(); }
    const Counts& counts() const { return before_; }
    // In order, to memory for so many.
    void store(std::int64_t* out) const;
    // The elements of `item` bytes at these positions of an array, `stride` bytes from each other;
    // and elements to these positions.
    void take(char* out, std::int64_t item, const char* from, std::int64_t stride) const;
    void put(const char* in, std::int64_t item, char* to, std::int64_t stride) const;

  private:
    template <class Item, class Piece>
    void for_pieces(Item* out, std::int64_t place, Piece piece) const;

    BoolRows bools_;
    Counts before_;  // each run, and all of them
};

}  // namespace hassium
