// Where a view lies in its base: a quick proof that two views are apart. Columns of a matrix
// overlap as ranges of bytes; the columns of their bytes do not.
//
// A byte's place is written in digits, as an odometer would: of rows of lengths that divide one
// another, how many whole ones lie before it, how many of the next length behind those, and so on.
// A box says between which bounds each digit of a view's bytes lies.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "program/overlap.hpp"

namespace hassium {

inline constexpr std::size_t kRowLengths = 3;

// The longest first, each a multiple of the next; zeros at the end.
using RowLengths = std::array<std::int64_t, kRowLengths>;

// Lengths that suit the views of a base: the strides that most of them have (frequent ones as
// Misra and Gries find them). Any lengths make a proof, if not always one that succeeds.
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

// Ends are exclusive. The first digit is the one of the longest rows.
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

// The smallest bounds, but that a digit which another one is carried to is taken to have any value.
ViewBox box_of(const Extent& view, const RowLengths& lengths);

}  // namespace hassium
