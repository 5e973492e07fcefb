// Indexing: a key becomes a list of items (index.cpp), basic items become a view (index.cpp), and
// advanced ones - positions and masks - become one linear index (index_advanced.cpp). A key that is
// one array of int64 positions, or one mask of the whole array, needs no list of items
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
    Ref object = {};   // Positions and Mask: a hassium or NumPy array; Slice: the slice
    int consumes = 0;  // axes of the source
};

struct Index {
    std::vector<IndexItem> items;  // exactly one Ellipsis, last when the key has none
    bool advanced = false;
    bool written_ellipsis = false;
    bool integer_array = false;  // a 0-d integer array: the result is a copy
};

Index parse_index(const View& source, PyObject* key);
// The view that basic items select. Axes of positions and masks are kept whole.
View apply_basic(const View& source, const Index& index);

// Advanced items of one key applied to one array: the elements at `linear` (one-dimensional int64
// positions, wrapped and checked) along `axis` of `source`. In the result the axes of the index
// stand in the place of that axis.
struct Selection {
    View source;
    std::size_t axis = 0;
    View linear;
    Dims result;  // the shape of all that is selected
    // The axes that those of `result` become, where these are in the order of memory.
    AxisOrder order;
};
// Writing leaves the source where it is; for reading, one whose indexed axes do not merge may be
// copied first (recorded). `Reading` orders axes as NumPy's result has them in memory.
enum class Purpose : std::uint8_t { Writing, Reading, ReadingInC };
// The shape of what is `assigned` is checked before the positions are, as NumPy does.
Selection select(const View& source, const Index& index, Purpose purpose,
                 const View* assigned = nullptr);

// The value as `selected` elements take it; throws where its shape does not fit.
View broadcast_assigned(const View& value, const Dims& selected);

// When the only advanced item is a mask: the target view of every element and the mask broadcast
// to it, so that assigning under the mask needs no positions. `trailing` counts axes behind it.
struct MaskedTarget {
    View target;
    View mask;
    Ref keep;
    std::size_t leading = 0, trailing = 0;
};
std::optional<MaskedTarget> masked_target(const View& source, const Index& index);

// What an index with an advanced item selects: as a new array, and written.
PyObject* take_selected(Selection&& selection);
void write_selected(const View& source, const Index& index, const Value& value);
void put_selected(const Selection& selection, const Value& value);
// Combines the elements with the value, or puts it there.
struct Scatter {
    Op op = Op::Put;
    Method method = Method::Call;
    ErrState errstate = {};
};
void write_selection(const Selection& selection, const Value& value, const Scatter& scatter);

// Whether the key is an array of bools with the shape of the whole array.
inline bool is_whole_mask(const View& source, PyObject* key) {
    if (Py_TYPE(key) != array_type) return false;
    const View& view = as_array(key)->view;
    return view.dtype == DType::Bool && view.ndim() > 0 && view.shape == source.shape;
}
// Elements under a mask of the whole array that is ready, read and written at the call. False: not
// this way, and nothing has changed.
bool take_under_mask(const View& source, PyObject* key, View& result);
bool put_under_mask(const View& target, PyObject* key, const Value& value);

// Computes the pending arrays of a key. A large pending source stays pending, so that only the
// selected elements of it are computed (Engine::run_index).
void run_index(const View& source, PyObject* key);
// The range of an array of integers, which has elements; `values` are these, `count` of them. Known
// without a look until the array is written, if it is a base of its own.
struct PositionRange {
    std::int64_t least, most;
};
PositionRange range_of(const View& array, const std::int64_t* values, std::int64_t count);
// Sets `selection` to what a key selects that is an array of int64 positions in C order, along one
// axis. False: it is something else, or a position is out of bounds; then `source` is as it was.
// `assigned`: as in select().
bool select_positions(View&& source, PyObject* key, std::size_t axis, Selection& selection,
                      const View* assigned = nullptr);
bool is_positions(PyObject* key);

// stride * step, or the stride where that overflows: then no two elements are selected.
std::int64_t stepped(std::int64_t stride, std::int64_t step);
std::int64_t wrap_position(std::int64_t position, std::int64_t extent, std::size_t axis);

}  // namespace hassium
