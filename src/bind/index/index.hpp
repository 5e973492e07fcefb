// Indexing: a key becomes a list of items (index.cpp), basic items become a view (index.cpp), and
// advanced items - positions and masks - become one linear index (index_advanced.cpp). A key that
// is one int64 array of positions or one mask of the whole array needs no list of items
// (index_positions.cpp, index_masks.cpp).
#pragma once

#include <optional>
#include <vector>

#include "bind/array/array_parts.hpp"

namespace hassium {

enum class IndexKind : std::uint8_t {
    Integer,
    Slice,
    NewAxis,
    Ellipsis,
    Positions,  // an integer array
    Mask,       // a boolean array
};

struct IndexItem {
    IndexKind kind;
    std::int64_t start = 0, step = 1, count = 0;  // Integer: start alone
    Ref object = {};   // Positions, Mask: a hassium or NumPy array; Slice: the slice
    int consumes = 0;  // the number of axes of the source that it indexes
};

struct Index {
    std::vector<IndexItem> items;  // exactly one Ellipsis, appended if the key has none
    bool advanced = false;
    bool written_ellipsis = false;
    bool integer_array = false;  // has a 0-d integer array: the result is a copy
};

Index parse_index(const View& source, PyObject* key);
// Returns the view that the basic items select; axes of positions and masks are kept whole.
View apply_basic(const View& source, const Index& index);

// Advanced items of one key applied to one array: the elements at `linear` (one-dimensional int64
// positions, wrapped and checked) along `axis` of `source`. In the result the axes of the index
// replace that axis.
struct Selection {
    View source;
    std::size_t axis = 0;
    View linear;
    Dims result;  // the shape of the selected elements
    // The axis of the final result for each axis of `result`, if these are in memory order.
    AxisOrder order;
};
// Writing keeps the source in place; reading may first record a copy of a source whose indexed axes
// do not coalesce. `Reading` orders axes in memory as in NumPy's result.
enum class Purpose : std::uint8_t { Writing, Reading, ReadingInC };
// Throws NumPy's errors; the shape of `assigned` is checked before the positions, as in NumPy.
Selection select(const View& source, const Index& index, Purpose purpose,
                 const View* assigned = nullptr);

// Returns `value` broadcast to the shape of the selected elements; throws if it does not fit.
View broadcast_assigned(const View& value, const Dims& selected);

// For a key whose only advanced item is a mask: the view of all its elements, and the mask
// broadcast to it, so that an assignment under the mask needs no positions. `leading` and
// `trailing` count the axes before and behind those of the mask.
struct MaskedTarget {
    View target;
    View mask;
    Ref keep;
    std::size_t leading = 0, trailing = 0;
};
std::optional<MaskedTarget> masked_target(const View& source, const Index& index);

// Returns the selected elements as a new array, or writes them.
PyObject* take_selected(Selection&& selection);
void write_selected(const View& source, const Index& index, const Value& value);
void put_selected(const Selection& selection, const Value& value);
// The row that writes the elements: Put, or one that combines them with the value (Method::At).
struct Scatter {
    Op op = Op::Put;
    Method method = Method::Call;
    ErrState errstate = {};
};
void write_selection(const Selection& selection, const Value& value, const Scatter& scatter);

// Returns whether the key is a bool array with the shape of the whole array.
inline bool is_whole_mask(const View& source, PyObject* key) {
    if (Py_TYPE(key) != array_type) return false;
    const View& view = as_array(key)->view;
    return view.dtype == DType::Bool && view.ndim() > 0 && view.shape == source.shape;
}
// Read or write the elements under a mask of the whole, available array at the call. Return false,
// with nothing changed, if another path must do it.
bool take_under_mask(const View& source, PyObject* key, View& result);
bool put_under_mask(const View& target, PyObject* key, const Value& value);

// Computes the pending arrays of a key. A large pending source stays pending, so that only its
// selected elements are computed (Engine::run_index).
void run_index(const View& source, PyObject* key);
// Returns the range of the integers of a non-empty array; `values` are its `count` elements. The
// range is cached until the array is written, if the array is a whole base.
struct PositionRange {
    std::int64_t least, most;
};
PositionRange range_of(const View& array, const std::int64_t* values, std::int64_t count);
// Sets `selection` for a key that is a C-contiguous int64 array of positions along one axis.
// Returns false, with `source` unchanged, for other keys and if a position is out of bounds.
// `assigned`: as in select().
bool select_positions(View&& source, PyObject* key, std::size_t axis, Selection& selection,
                      const View* assigned = nullptr);
bool is_positions(PyObject* key);

// Returns stride * step, or the stride if that overflows: then at most one element is selected.
std::int64_t stepped(std::int64_t stride, std::int64_t step);
std::int64_t wrap_position(std::int64_t position, std::int64_t extent, std::size_t axis);

}  // namespace hassium
