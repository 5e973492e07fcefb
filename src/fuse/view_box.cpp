#include "fuse/view_box.hpp"

#include <cstdlib>

namespace hassium {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

}  // namespace

std::int64_t row_length(const Extent& view) {
    std::int64_t length = 0;
    for (std::size_t k = 0; k < view.shape.size(); ++k) {
        if (view.shape[k] > 1) length = std::max(length, std::abs(view.strides[k]));
    }
    return length;
}

ViewBox box_of(const Extent& view, std::int64_t length) {
    std::int64_t first, last;
    byte_bounds(view, first, last);
    if (length <= 0) return {first, last, 0, 1};
    // Steps by whole rows move the view as a whole; the others stay within its first row, or it is
    // taken as all rows that it crosses.
    std::int64_t up = 0, down = 0, right = 0, left = 0;
    for (std::size_t k = 0; k < view.shape.size(); ++k) {
        if (view.shape[k] == 0) return {};
        std::int64_t stride = view.strides[k], reach = (view.shape[k] - 1) * stride;
        if (stride % length == 0) {
            (reach < 0 ? up : down) += reach / length;
        } else {
            (reach < 0 ? left : right) += reach;
        }
    }
    std::int64_t row = floor_divide(view.offset + left, length);
    std::int64_t column = view.offset + left - row * length;
    std::int64_t end = column + right - left + view.itemsize;
    if (end > length) {
        return {floor_divide(first, length), floor_divide(last - 1, length) + 1, 0, length};
    }
    return {row + up, row + down + 1, column, end};
}

}  // namespace hassium
