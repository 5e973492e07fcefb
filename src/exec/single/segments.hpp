// Reductions of segments of a vector that arrives in pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/single/line_scan.hpp"
#include "exec/single/moves_common.hpp"

namespace hassium {

// A segment inside one piece is reduced there, on any thread. Elements of a segment that spans
// pieces are appended to a buffer, in the order of the pieces, and reduced when the segment ends:
// so it has the bits of a reduction of the whole segment. If the segments' begins do not ascend,
// all elements are buffered, and reduced after the last piece.
class PiecewiseSegments {
  public:
    // Views as in the instruction; `values` is a shape only and may have no memory.
    PiecewiseSegments(const Instruction& i, const BoundView& out, const BoundView& values,
                      const BoundView& beginnings);
    // Allocates memory for the elements that are buffered at a time. Throws std::bad_alloc.
    void allocate();
    // Processes elements [first, first + n) of the vector. Pieces are numbered in the order of
    // their elements; `before` orders them.
    void run(const char* piece, std::int64_t first, std::int64_t n, std::int64_t number,
             Before& before);
    // Called after the last piece.
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
