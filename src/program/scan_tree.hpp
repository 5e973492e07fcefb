// The order in which an accumulation combines its elements; it depends on the instruction alone,
// like that of a reduction.
//
// A line along the axis is cut into pieces. Within a piece elements are combined in order. From the
// second piece on each result is combined with the last result of the previous piece as left
// operand: out[k] = out[last of the previous piece] op piece[k]. A running sum of non-negative
// numbers never decreases.
//
// The line is one piece, in NumPy's order and bit-identical to it, if it is short, if the row is
// not associative, for products of inexact numbers, because the product of a piece may overflow
// where the running product does not, and in float16, where every step rounds so coarsely that
// another order would show.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/op_info.hpp"

namespace hassium {

inline constexpr std::int64_t kScanPiece = 1024;

// Returns the elements of a piece of a line of `length` elements.
inline std::int64_t scan_piece(Op op, DType compute, std::int64_t length) {
    const bool pieces = combines_parts(op, compute) && compute != DType::F16;
    return pieces ? kScanPiece : std::max<std::int64_t>(length, 1);
}

}  // namespace hassium
