// The order in which an accumulation combines its elements; it depends on the instruction alone,
// like that of a reduction.
//
// A line along the axis is cut into pieces, and a piece into blocks. A block of one element is that
// element. A longer one is combined by halves (Sklansky, "Conditional-sum addition logic", 1960):
// in each block of 2, then of 4, then of 8 elements, those of the second half are combined with the
// last of the first half as left operand. From the second block of a piece on, each result is
// combined with the last one of the block before: out[k] = out[last of the block before] op
// block[k]. From the second piece on each result is combined with the last result of the previous
// piece in the same way. A running sum of non-negative numbers never decreases.
//
// Sums have blocks of several elements, which an instruction or two for each register computes; the
// other rows combine the elements of a piece in order.
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

inline constexpr std::int64_t kScanBlock = 8;

// Returns the elements of a block of a line of `length` elements, a divisor of those of a piece
// unless the line is a single one.
inline std::int64_t scan_block(Op op, DType compute, std::int64_t length) {
    const bool blocks = info(op).is_sum() && is_inexact(compute);
    return blocks && scan_piece(op, compute, length) < length ? kScanBlock : 1;
}

// Returns the last position of the first half of the 2 * half ones among which k is: the element
// there is the left operand of those of the second half.
constexpr std::int64_t last_of_first_half(std::int64_t k, std::int64_t half) {
    return (k & -2 * half) + half - 1;
}

}  // namespace hassium
