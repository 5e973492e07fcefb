// Terms of an advanced index; each has positions along one axis.
#pragma once

#include <vector>

#include "bind/index/index.hpp"

namespace hassium {

struct Term {
    std::size_t axis;    // axis of the view
    std::size_t origin;  // axis of the indexed array, for messages
    std::int64_t extent;
    Ref positions;                 // NumPy int64 array; may be negative
    Ref given = {};                // the user's positions; empty for a mask's
    const View* direct = nullptr;  // an int64 array of the same positions: the user's, or
    Ref found = {};                // those of a mask
    bool negative = false;         // whether some of the user's positions are negative
};

struct Terms {
    View view;
    std::vector<Term> terms;
    std::size_t place = 0;  // position of the indexed axes in the result
    Dims shape;             // the broadcast shape of all positions
};

// Collects the terms of an index; masks become positions along their axes.
Terms collect_terms(const View& source, const Index& index, bool reading);
// Returns the shape that all positions broadcast to; throws NumPy's error if they do not.
Dims broadcast_terms(const std::vector<Term>& terms);
// Makes the positions C-contiguous, as the functions below require.
void lay_positions(Term& term);
// Checks the bounds, unless `shape`, that of all positions, has no elements. Where only the
// `selected` elements are none, NumPy decides.
void check_terms(Terms& terms, const Dims& shape, const Dims& selected);

// Throws if the mask's shape differs from that of the axes from `origin` on.
void check_mask_shape(PyArrayObject* mask, const View& source, std::size_t origin);
Dims shape_of(PyArrayObject* array);
Ref as_numpy(const Ref& object);
// Coalesces the axes [first, first + count) to one; returns false, with nothing changed, if it
// cannot.
bool coalesce_axes(View& view, std::size_t first, std::size_t count);
// Merges the axes [axis, axis + ndim) to one if they are lines at a distance of a whole number of
// elements; the axis includes the elements between the lines. Returns the number of lines, or 0 if
// it cannot; `pitch` is their distance in elements.
std::int64_t take_lines(View& view, std::size_t axis, std::size_t ndim, std::int64_t& pitch);

}  // namespace hassium
