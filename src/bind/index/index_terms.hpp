// Terms of an advanced index: positions along one axis each.
#pragma once

#include <vector>

#include "bind/index/index.hpp"

namespace hassium {

struct Term {
    std::size_t axis;    // of the view
    std::size_t origin;  // of the indexed array, for messages
    std::int64_t extent;
    Ref positions;                 // NumPy int64 array; may be negative
    Ref given = {};                // the user's positions; empty for a mask's
    const View* direct = nullptr;  // an int64 array with just these: the user's own, or
    Ref found = {};                // of a mask
    bool negative = false;         // are some of the user's positions?
};

struct Terms {
    View view;
    std::vector<Term> terms;
    std::size_t place = 0;  // of the indexed extents in the result
    Dims shape;             // what all positions broadcast to
};

// Masks become positions along their axes.
Terms collect_terms(const View& source, const Index& index, bool reading);
// The shape that all positions broadcast to.
Dims broadcast_terms(const std::vector<Term>& terms);
// Positions in C order, as all below wants them.
void lay_positions(Term& term);
// Bounds; nothing is checked where nothing is selected, as in NumPy.
void check_terms(Terms& terms, const Dims& shape);

// Throws where a mask has another shape than the axes from `origin` on.
void check_mask_shape(PyArrayObject* mask, const View& source, std::size_t origin);
Dims shape_of(PyArrayObject* array);
Ref as_numpy(const Ref& object);
// Axes [first, first + count) become one. False, and nothing changes, where they are more.
bool coalesce_axes(View& view, std::size_t first, std::size_t count);
// Axes [axis, axis + ndim) that are lines some whole number of elements apart become one axis, with
// what lies between the lines. Returns how many lines there are, 0 where that cannot be done;
// `pitch` is their distance.
std::int64_t take_lines(View& view, std::size_t axis, std::size_t ndim, std::int64_t& pitch);

}  // namespace hassium
