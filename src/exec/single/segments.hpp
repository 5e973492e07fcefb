// Reductions of the segments of a vector that comes piece by piece.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/single/line_scan.hpp"
#include "exec/single/moves_common.hpp"

namespace hassium {

// A segment that lies in one piece is reduced there, on any thread. Elements of a segment that
// spans pieces are appended to a buffer, in the order of the pieces, and reduced when the segment
// ends: so it has the bits of a reduction of the whole segment. If the beginnings do not ascend,
// all elements are buffered, and reduced after the last piece.
class PiecewiseSegments {
  public:
    // Views as those of the instruction; `values` need not be in memory as a whole.
    PiecewiseSegments(const Instruction& i, const BoundView& out, const BoundView& values,
                      const BoundView& beginnings);
    // Memory for all elements that are buffered at a time. std::bad_alloc.
    void allocate();
    // Elements first to first + n of the vector. Pieces are numbered in the order of their
    // elements; `before` orders them.
    void run(const char* piece, std::int64_t first, std::int64_t n, std::int64_t number,
             Before& before);
    // After the last piece.
    void finish(RunState& state);

  private:
    Instruction instruction_;
    BoundView out_, values_, beginnings_;
    std::int64_t length_, item_;
    bool ascending_ = true;
    std::vector<char> buffer_;  // elements of segment `open_`, or all
    std::int64_t open_ = -1;    // the segment that spans into the next piece; -1: none

    std::int64_t begin_of(std::int64_t segment) const;
    std::int64_t end_of(std::int64_t segment) const;
    std::int64_t first_from(std::int64_t element) const;
    void append(const char* from, std::int64_t n);
};

}  // namespace hassium
