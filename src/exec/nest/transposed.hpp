// Strided inputs whose rows lie side by side, such as a transposed array in a sum. Internal to
// exec.
//
// A tile of such an input takes one element from each of many cache lines, and the next row takes
// the neighbours of the same elements. Where the distance between rows of memory is a multiple of
// 2 KiB, or lines are many, the caches do not hold them so long: they are read once for as many
// rows as they hold, turned, and kept until those rows come. It is decided while a block runs, from
// its numbers: code knows nothing of it.
#pragma once

#include <cstdint>

#include "base/small_vec.hpp"
#include "exec/compile/code.hpp"

namespace hassium {

struct TransposeTable;

class TransposedLoads {
  public:
    // A block that reads what it writes has none: rows are read ahead.
    explicit TransposedLoads(const BlockCode& code);
    bool any() const { return !loads_.empty(); }
    // Nothing is kept: it may have been written to, and the memory is the thread's.
    void begin();

    // The elements that `step` loads from `from` on for the tile at `position`; null where that is
    // not worth it. `row`: number of the row among all; `rows`: so many from this one on follow
    // each other along the innermost axis outside the span, and may be read now.
    const char* find(const Step& step, const char* from, std::int64_t row, std::int64_t rows,
                     std::int64_t position, std::int64_t n);

  private:
    struct Load {
        const Step* step;
        std::int64_t memory, pitch;  // offset, and bytes from row to row
        std::int64_t rows;           // at most kept
        std::size_t first;           // of its units
    };
    // What is kept of one unit.
    struct Kept {
        const char* from;  // where `row` was
        std::int64_t row, rows;
    };
    const BlockCode& code_;
    SmallVec<Load, 4> loads_;
    SmallVec<Kept, 8> kept_;
    std::int64_t bytes_ = 0;
    char* memory_ = nullptr;
    const TransposeTable* turns_ = nullptr;
};

}  // namespace hassium
