// Digit boxes of views: a quick proof that two views are disjoint. Columns of a matrix overlap as
// ranges of bytes, but not as ranges of column positions.
//
// The position of a byte is written in a mixed radix: the radices are row lengths that divide one
// another; the digits are the whole rows of the longest length before it, then of the next length,
// and so on. A box bounds each digit of the bytes of a view.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "program/overlap.hpp"

namespace hassium {

inline constexpr std::size_t kRowLengths = 3;

// Longest first, each a multiple of the next; zeros at the end.
using RowLengths = std::array<std::int64_t, kRowLengths>;

// Chooses row lengths for the views of a base: the strides that most of them have (by the
// frequent-items algorithm of Misra and Gries). Any lengths give a valid proof, though not always a
// successful one.
class RowVote {
  public:
    void add(const Extent& view);
    RowLengths lengths() const;

  private:
    struct Candidate {
        std::int64_t stride = 0;
        std::size_t votes = 0;
    };
    std::array<Candidate, kRowLengths + 1> candidates_;

    void add(std::int64_t stride);
};

// Ends are exclusive. The first digit is that of the longest rows.
struct ViewBox {
    std::array<std::int64_t, kRowLengths + 1> first = {}, last = {};

    bool apart(const ViewBox& other) const {
        bool any = false;
        for (std::size_t k = 0; k < first.size(); ++k) {
            any |= (last[k] <= other.first[k]) | (other.last[k] <= first[k]);
        }
        return any;
    }
};

// Returns the smallest bounds, except that a digit with a carry into the next is taken to have any
// value.
ViewBox box_of(const Extent& view, const RowLengths& lengths);

}  // namespace hassium
