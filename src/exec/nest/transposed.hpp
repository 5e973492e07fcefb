// Strided inputs whose rows are adjacent in memory, such as a transposed array in a sum. Internal
// to exec.
//
// A tile of such an input reads one element from each of many cache lines, and the next row reads
// the adjacent elements of the same lines. If the distance between memory rows is a multiple of 2
// KiB, or there are many lines, the caches evict them in between. So they are loaded once for as
// many rows as they hold, transposed, and kept until those rows come. This depends on numbers at
// run time only: code knows nothing of it.
#pragma once

#include <cstdint>

#include "base/small_vec.hpp"
#include "exec/compile/code.hpp"

namespace hassium {

struct TransposeTable;

class TransposedLoads {
  public:
    // Finds no loads in a block that reads what it writes, as rows are read ahead.
    explicit TransposedLoads(const BlockCode& code);
    bool any() const { return !loads_.empty(); }
    // Forgets all rows: their source may have changed, and the thread shares the memory.
    void begin();

    // Returns the elements that `step` loads from `from` on for the tile at `position`; null if
    // that does not pay. `row`: number of the row among all; `rows`: how many rows from this one on
    // are adjacent along the innermost axis outside the span, and may be read now.
    const char* find(const Step& step, const char* from, std::int64_t row, std::int64_t rows,
                     std::int64_t position, std::int64_t n);

  private:
    struct Load {
        const Step* step;
        std::int64_t memory, pitch;  // offset, and bytes from row to row
        std::int64_t rows;           // kept, at most
        std::size_t first;           // of its units
    };
    // The rows kept of one unit.
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
