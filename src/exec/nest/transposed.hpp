// Inputs whose rows are adjacent in memory, such as a transposed array in a sum. Internal to exec.
//
// A row of such an input has one element in each of many cache lines, and the next row has the
// adjacent elements of the same lines. They are read as a panel of as many rows as the lines hold,
// which a kernel transposes into memory of the thread: to the steps of the nest the input is
// contiguous along its rows.
#pragma once

#include <cstdint>

#include "base/small_vec.hpp"
#include "exec/compile/code.hpp"

namespace hassium {

struct TransposeTable;

// Returns whether an input is read through panels. `columns` and `rows` are the extents of the
// innermost axis and of the axis outside it, along which the elements of `bytes` bytes are
// adjacent, in either direction; `column` is the stride of the innermost axis.
bool reads_panels(std::int64_t columns, std::int64_t rows, std::int64_t column, std::int64_t bytes);
// Returns the bytes from row to row of a panel.
std::int64_t panel_pitch(std::int64_t columns, std::int64_t bytes);

class TransposedPanels {
  public:
    explicit TransposedPanels(const BlockCode& code);
    bool any() const { return !panels_.empty(); }
    // Forgets all rows: their source may have changed, and other walkers of the thread use the
    // memory.
    void begin();
    // Returns the address of the row of a track that begins at `from` in its source. Reads at most
    // `rows` rows from that one on, `columns` elements of each.
    Address row(std::size_t track, Address from, std::int64_t rows, std::int64_t columns);
    // Returns how many rows from the current one on all panels hold.
    std::int64_t rows_held() const;

  private:
    struct Panel {
        std::size_t track;
        std::int64_t memory, pitch, most;  // offset, bytes from row to row, rows
        Address from;                      // of the first row held, in the source
        std::int64_t rows, at;             // held; the current one
    };
    const BlockCode& code_;
    SmallVec<Panel, 4> panels_;
    std::int64_t bytes_ = 0;
    char* memory_ = nullptr;
    const TransposeTable* turns_ = nullptr;
};

}  // namespace hassium
