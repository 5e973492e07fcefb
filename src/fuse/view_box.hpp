// Where a view lies in its base, seen as rows of a common length: a quick proof that two views are
// apart. Columns of a matrix overlap as ranges of bytes; as boxes of rows and columns they do not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "program/overlap.hpp"

namespace hassium {

// Bytes of the base, as (row, column) of rows of a given length; ends are exclusive.
struct ViewBox {
    std::int64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;

    bool apart(const ViewBox& other) const {
        return last_row <= other.first_row || other.last_row <= first_row ||
               last_column <= other.first_column || other.last_column <= first_column;
    }
};

// The length of a view's rows: its largest stride; 0 where it has none to speak of.
std::int64_t row_length(const Extent& view);
// The smallest box that holds the view when rows have `length` bytes; rows it crosses are taken
// whole.
ViewBox box_of(const Extent& view, std::int64_t length);

}  // namespace hassium
