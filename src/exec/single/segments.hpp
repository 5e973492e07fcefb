// Reductions of the segments of a vector that comes piece by piece.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/single/line_scan.hpp"
#include "exec/single/moves_common.hpp"

namespace hassium {

// Segments that lie in a piece are reduced from there, on any thread. What a piece begins with of a
// segment that is older is kept behind what there is of that, in the order of the pieces, until the
// segment ends. So a segment is reduced at once, with the bits that it has in memory. Where the
// beginnings do not ascend all is kept, and reduced when all pieces have been there.
class PiecewiseSegments {
  public:
    // Views as those of the instruction; `values` need not be in memory as a whole.
    PiecewiseSegments(const Instruction& i, const BoundView& out, const BoundView& values,
                      const BoundView& beginnings);
    // The n elements from number `first` on: piece `number` of all that `before` counts.
    void run(const char* piece, std::int64_t first, std::int64_t n, std::int64_t number,
             Before& before);
    // After the last piece.
    void finish(RunState& state);

  private:
    Instruction instruction_;
    BoundView out_, values_, beginnings_;
    std::int64_t length_, item_;
    bool ascending_ = true;
    std::vector<char> kept_;  // of segment `open_`, or all
    std::int64_t open_ = -1;  // whose end has not come yet

    std::int64_t begin_of(std::int64_t segment) const;
    std::int64_t end_of(std::int64_t segment) const;
    std::int64_t first_from(std::int64_t element) const;
    void keep(const char* from, std::int64_t n);
};

}  // namespace hassium
