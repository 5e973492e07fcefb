// The order in which an accumulation combines its elements; like that of a reduction it depends on
// the instruction alone.
//
// A line along the axis is cut into pieces. Within a piece elements are combined in order. From the
// second piece on each of those results is combined with the last result of the piece before, which
// stands left: out[k] = out[last of the piece before] op piece[k]. A running sum of numbers that
// are not negative never falls.
//
// One piece is the whole line, in NumPy's order and with its bits, where that is all there is,
// where the row is not associative, for products of inexact numbers, because the product of a piece
// may leave the range where the running product does not, and in float16, where every step rounds
// so much that another order would show.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/op_info.hpp"

namespace hassium {

inline constexpr std::int64_t kScanPiece = 1024;

// Elements of a piece of a line of `length` elements.
inline std::int64_t scan_piece(Op op, DType compute, std::int64_t length) {
    const bool pieces = combines_parts(op, compute) && compute != DType::F16;
    return pieces ? kScanPiece : std::max<std::int64_t>(length, 1);
}

}  // namespace hassium
