// Reading and writing by index: elements in place, basic items as views, the rest by Take and Put.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/settings.hpp"
#include "bind/index.hpp"
#include "engine/read_habit.hpp"

namespace hassium {
namespace {

constexpr char kRead[] = "getitem", kWrite[] = "setitem";

// The byte offset of one element addressed by integers alone; false when the key is anything else.
// Throws when an integer is out of bounds.
bool element_offset(const View& view, PyObject* key, const char* name, std::int64_t& offset) {
    PyObject* const* items = &key;
    std::size_t count = 1;
    if (PyTuple_CheckExact(key)) {
        items = &PyTuple_GET_ITEM(key, 0);
        count = static_cast<std::size_t>(PyTuple_GET_SIZE(key));
    }
    if (count != view.ndim()) return false;
    std::int64_t at = view.offset;
    for (std::size_t k = 0; k < count; ++k) {
        if (!PyLong_CheckExact(items[k])) return false;
        int overflow = 0;
        long long position = PyLong_AsLongLongAndOverflow(items[k], &overflow);
        if (overflow) return false;
        at += wrap_position(position, view.shape[k], k, name) * view.strides[k];
    }
    offset = at;
    return true;
}

// Keys of plain slices and integers, without a list of items: false when there is anything else.
bool plain_view(const View& source, PyObject* key, View& view) {
    PyObject* const* items = &key;
    std::size_t count = 1;
    if (PyTuple_CheckExact(key)) {
        items = &PyTuple_GET_ITEM(key, 0);
        count = static_cast<std::size_t>(PyTuple_GET_SIZE(key));
    }
    if (count > source.ndim()) return false;
    for (std::size_t k = 0; k < count; ++k) {
        if (!PySlice_Check(items[k]) && !PyLong_CheckExact(items[k])) return false;
    }
    view.base = source.base;
    view.dtype = source.dtype;
    view.offset = source.offset;
    for (std::size_t k = 0; k < source.ndim(); ++k) {
        std::int64_t extent = source.shape[k], stride = source.strides[k];
        if (k < count && PySlice_Check(items[k])) {
            Py_ssize_t start, stop, step;
            check(PySlice_Unpack(items[k], &start, &stop, &step));
            std::int64_t length = PySlice_AdjustIndices(extent, &start, &stop, step);
            if (length > 0) view.offset += start * stride;
            stride = stepped(stride, step);
            extent = length;
        } else if (k < count) {
            int overflow = 0;
            long long position = PyLong_AsLongLongAndOverflow(items[k], &overflow);
            if (overflow) return false;
            view.offset += wrap_position(position, extent, k, kRead) * stride;
            continue;
        }
        view.shape.push_back(extent);
        view.strides.push_back(stride);
    }
    return true;
}

bool defers_reads() {
    const std::string_view choice = settings().choice(Setting::deferred_reads);
    return choice == "on" || (choice == "auto" && element_habit().defers());
}

// An element of pending work: read later where the program's elements go into operations on arrays.
PyObject* read_pending_element(const View& view, std::int64_t offset) {
    const bool inexact =
        kind(view.dtype) == DTypeKind::Float || kind(view.dtype) == DTypeKind::Complex;
    if (inexact && defers_reads()) {
        View element;
        element.base = view.base;
        element.dtype = view.dtype;
        element.offset = offset;
        if (auto number = Engine::instance().defer_read(element))
            return new_scalar(std::move(*number));
    }
    PyObject* number = element_at(Engine::instance().ready(*view.base) + offset, view.dtype);
    if (!inexact || !number) return number;
    element_habit().waited();
    static PyObject* kept = nullptr;  // or another number could come to lie where it was
    Py_XSETREF(kept, Py_NewRef(number));
    waited_number = number;
    return number;
}

PyObject* read_element(const View& view, std::int64_t offset) {
    const Base& base = *view.base;
    if (!base.readable()) return read_pending_element(view, offset);
    read_habit().read(base);
    return element_at(base.data + offset, view.dtype);
}

Request indexed_request(Op op, const Selection& selection, DType dtype) {
    Request request;
    request.op = op;
    request.compute = dtype;
    request.nin = 2;
    request.in[1].view = &selection.linear;
    request.in[1].dtype = DType::I64;
    request.axes = std::uint64_t{1} << selection.axis;
    return request;
}

// The shape of a selection with the indexed extents as one axis.
Dims flat_shape(const Selection& selection) {
    Dims shape = selection.source.shape;
    shape[selection.axis] = selection.linear.shape[0];
    return shape;
}

// A few elements that are ready are moved at the call.
bool take_now(const Selection& selection, View& result) {
    const View& source = selection.source;
    std::int64_t size = result.size();
    const Base& base = *source.base;
    bool direct = size > 0 && size <= settings().get(Setting::direct_elements) && base.readable() &&
                  selection.linear.base->readable();
    if (!direct) return false;
    // Elements behind one another in both are moved together.
    std::size_t axes = result.ndim();
    std::int64_t run = itemsize(source.dtype);
    for (; axes > selection.axis + 1 && source.strides[axes - 1] == run; --axes) {
        run *= result.shape[axes - 1];
    }
    const auto* positions = reinterpret_cast<const std::int64_t*>(data_to_read(selection.linear));
    char* out = ready_data(result);
    const char* const end = out + size * itemsize(source.dtype);
    Dims at(axes, 0);
    for (; out != end; out += run) {
        std::int64_t offset = source.offset;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            std::int64_t position = axis == selection.axis ? positions[at[axis]] : at[axis];
            offset += position * source.strides[axis];
        }
        std::memcpy(out, base.data + offset, static_cast<std::size_t>(run));
        for (std::size_t axis = axes; axis-- > 0;) {
            if (++at[axis] < result.shape[axis]) break;
            at[axis] = 0;
        }
    }
    return true;
}

// Do the elements of a row lie further apart than the rows? Each is a cache line to fetch, of which
// a gather of many rows makes little use: it is quicker to lay the rows together first.
bool rows_to_lay_together(const Selection& selection) {
    const View& source = selection.source;
    const std::size_t axis = selection.axis;
    if (source.strides[axis] == 0 || source.shape[axis] == 1) return false;
    if (selection.linear.shape[0] < source.shape[axis] / 2) return false;
    bool apart = false;
    for (std::size_t k = axis + 1; k < source.ndim(); ++k) {
        if (source.shape[k] == 1) continue;
        if (std::abs(source.strides[k]) <= std::abs(source.strides[axis])) return false;
        apart = true;
    }
    return apart;
}

PyObject* take(Selection&& selection) {
    DType dtype = selection.source.dtype;
    View result = fresh_view(dtype, flat_shape(selection));
    if (result.size() > 0 && !take_now(selection, result)) {
        if (rows_to_lay_together(selection)) {
            selection.source = contiguous_copy(selection.source, dtype);
        }
        Request request = indexed_request(Op::Take, selection, dtype);
        request.out[0] = &result;
        request.in[0].view = &selection.source;
        request.in[0].dtype = dtype;
        Engine::instance().submit(request);
    }
    result.shape = selection.result;
    result.strides = c_strides(selection.result, itemsize(dtype));
    return new_array(std::move(result));
}

void put(const Selection& selection, const Value& value) {
    std::int64_t total = element_count(selection.result);
    Request request = indexed_request(Op::Put, selection, selection.source.dtype);
    request.out[0] = &selection.source;
    View flat;
    if (value.is_constant) {
        request.in[0].dtype = selection.source.dtype;
        request.in[0].value = value.constant;
    } else {
        View spread = broadcast_value(value.view, selection.result, kWrite);
        Dims shape = flat_shape(selection);
        flat = spread;
        flat.shape = shape;
        if (!reshaped_strides(spread, shape, false, flat.strides)) {
            flat = contiguous_copy(spread, spread.dtype);
            flat.strides = c_strides(shape, itemsize(spread.dtype));
            flat.shape = shape;
        }
        warn_complex_discard(flat.dtype, selection.source.dtype);
        if (cast_raises(flat.dtype, selection.source.dtype) != kNoFlag) {
            flat = contiguous_copy(flat, selection.source.dtype);  // what casts warns, Put does not
        }
        request.in[0].view = &flat;
        request.in[0].dtype = flat.dtype;
    }
    if (total > 0) Engine::instance().submit(request);
}

// Assigning under a mask needs no positions when every selected element gets the same value, or
// the value has only the axes behind the mask.
bool write_masked(const View& source, const Index& index, const Value& value) {
    std::optional<MaskedTarget> masked = masked_target(source, index, kWrite);
    if (!masked) return false;
    if (value.is_constant) {
        record_fill(masked->target, value.constant, &masked->mask);
        return true;
    }
    View view = value.view;
    if (view.size() == 1) {
        view.shape.clear();
        view.strides.clear();
    }
    std::size_t trailing = masked->trailing;
    if (view.ndim() == trailing + 1 && view.shape[0] == 1) {
        view.shape.erase(0);
        view.strides.erase(0);
    }
    bool fits = view.ndim() == 0 || (masked->leading == 0 && view.ndim() <= trailing);
    if (!fits) return false;
    record_copy(masked->target, view, &masked->mask);
    return true;
}

// NumPy takes no more than a line for the elements under a mask of all of an array.
void check_masked_value(const View& source, const Index& index, const Value& value) {
    if (value.is_constant || value.view.ndim() < 2 || index.written_ellipsis) return;
    const IndexItem& first = index.items[0];
    const bool whole = first.kind == IndexKind::Mask && index.items.size() <= 2 &&
                       static_cast<std::size_t>(first.consumes) == source.ndim();
    if (!whole) return;
    fail(ErrorKind::Type,
         "[setitem] NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
         "input has " +
             std::to_string(value.view.ndim()) + " dimensions");
}

void write_selected(const View& source, const Index& index, const Value& value) {
    check_masked_value(source, index, value);
    if (write_masked(source, index, value)) return;
    const bool one_mask = index.items[0].kind == IndexKind::Mask && index.items.size() <= 2;
    const View* shaped = value.is_constant || one_mask ? nullptr : &value.view;
    Selection selection = select(source, index, false, kWrite, shaped);
    const bool one_line = one_mask && selection.result.size() == 1 && value.view.ndim() == 1;
    if (one_line && value.view.shape[0] != selection.result[0]) {
        fail(ErrorKind::Value,
             std::string("[setitem] NumPy boolean array indexing assignment cannot assign ") +
                 std::to_string(value.view.shape[0]) + " input values to the " +
                 std::to_string(selection.result[0]) + " output values where the mask is true");
    }
    put(selection, value);
}

// One element: at once when nothing is pending, else a recorded copy.
void write_element(ArrayObject* array, std::int64_t offset, PyObject* value) {
    const View& view = array->view;
    Base& base = *view.base;
    note_number(value);
    bool scalar = PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
                  PyObject_TypeCheck(value, &PyGenericArrType_Type);
    if (scalar && base.idle() && base.data) {
        Constant element = {};
        pack_element(reinterpret_cast<char*>(element.bytes), view.dtype, value);
        // Converting may have run Python code that recorded on the base.
        if (base.idle() && base.data) {
            std::copy_n(element.bytes, itemsize(view.dtype),
                        reinterpret_cast<unsigned char*>(base.data + offset));
            touched(base);
            return;
        }
    }
    View target;
    target.base = view.base;
    target.dtype = view.dtype;
    target.offset = offset;
    Value assigned;
    if (is_array(value) || (PyArray_Check(value) && !is_derived_number(value))) {
        assigned = assignment_value(value, view.dtype);
    } else {
        assigned.is_constant = true;
        pack_element(reinterpret_cast<char*>(assigned.constant.bytes), view.dtype, value);
    }
    if (!assigned.is_constant && assigned.view.ndim() > 0) {
        if (kind(view.dtype) == DTypeKind::Complex) {
            fail(ErrorKind::Type, "only 0-dimensional arrays can be converted to Python scalars");
        }
        // Only bool takes the truth of a single element.
        if (view.dtype != DType::Bool || assigned.view.size() != 1) {
            fail(ErrorKind::Value, "setting an array element with a sequence.");
        }
        assigned.view.shape.clear();
        assigned.view.strides.clear();
    }
    assign(target, assigned);
}

// Where NumPy makes an array of a number and casts that, so that nothing is refused.
Value cast_value(PyObject* object, DType dtype) {
    const bool number = PyObject_TypeCheck(object, &PyIntegerArrType_Type) ||
                        PyObject_TypeCheck(object, &PyInexactArrType_Type);
    if (!number || !is_integer(dtype)) return assignment_value(object, dtype);
    Value value;
    value.is_constant = true;
    if (!to_constant(object, dtype, value.constant)) throw PythonError();
    return value;
}

// What basic items select: a view, but of a scalar, which never changes, a copy.
PyObject* basic_part(ArrayObject* array, View&& view) {
    if (array->is_scalar) return new_array(contiguous_copy(view, view.dtype));
    return view_of(array, std::move(view));
}

}  // namespace

PyObject* index_item(ArrayObject* array, Py_ssize_t position) {
    const View& view = array->view;
    if (view.ndim() == 0) {
        fail(ErrorKind::Index,
             "[getitem] too many indices for array: array is 0-dimensional, but "
             "1 were indexed");
    }
    // The sequence protocol has wrapped negative positions already.
    if (position < 0 || position >= view.shape[0]) {
        wrap_position(position < 0 ? view.shape[0] : position, view.shape[0], 0, kRead);
    }
    std::int64_t offset = view.offset + position * view.strides[0];
    if (view.ndim() == 1) return read_element(view, offset);
    View row = view;
    row.offset = offset;
    row.shape.erase(0);
    row.strides.erase(0);
    return view_of(array, std::move(row));
}

PyObject* index_read(ArrayObject* array, PyObject* key) {
    std::int64_t offset = 0;
    if (element_offset(array->view, key, kRead, offset)) {
        // An empty tuple on a scalar, as an integer on a vector, reads an element.
        if (!array->is_scalar) return read_element(array->view, offset);
        return element_at(data_to_read(array->view), array->view.dtype);
    }
    View view;
    // Reading the key may run Python code, and that may reshape the array.
    const View source = array->view;
    if (plain_view(source, key, view)) return basic_part(array, std::move(view));
    if (take_small(source, key, view)) return new_array(std::move(view));
    Index index = parse_index(source, key, kRead);
    if (index.advanced) return take(select(source, index, true, kRead));
    View basic = apply_basic(source, index, kRead);
    // parse_index appends an ellipsis when the user wrote none: then no axis means an element.
    bool all_integers = basic.ndim() == 0;
    for (std::size_t k = 0; k + 1 < index.items.size(); ++k) {
        all_integers &= index.items[k].kind == IndexKind::Integer;
    }
    all_integers &= index.items.back().kind == IndexKind::Integer || !index.written_ellipsis;
    if (all_integers) return read_element(basic, basic.offset);
    if (index.integer_array) return new_array(contiguous_copy(basic, basic.dtype));
    return basic_part(array, std::move(basic));
}

void index_write(ArrayObject* array, PyObject* key, PyObject* assigned) {
    check_writeable(array, kWrite);
    PyObject* value = assigned;
    Ref number;
    if (may_not_fit(assigned, array->view.dtype)) {
        number = scalar_value(assigned);
        value = number.get();
    }
    std::int64_t offset = 0;
    if (element_offset(array->view, key, kWrite, offset)) {
        write_element(array, offset, value);
        return;
    }
    const View source = array->view;
    View view;
    if (plain_view(source, key, view)) {
        if (!put_numbers(view, value)) {
            assign(view, assignment_value(value, view.dtype, view.ndim()));
        }
        return;
    }
    if (is_whole_mask(source, key)) {
        const Value values = cast_value(assigned, source.dtype);
        const View mask = as_array(key)->view;
        if (values.is_constant) return record_fill(source, values.constant, &mask);
    }
    Index index = parse_index(source, key, kWrite);
    if (index.advanced) {
        Value values = cast_value(assigned, source.dtype);
        // After both were understood: either may have run Python code.
        if (!put_small(source, key, values)) write_selected(source, index, values);
        return;
    }
    View basic = apply_basic(source, index, kWrite);
    if (basic.ndim() == 0 && !index.written_ellipsis) {
        write_element(array, basic.offset, value);
        return;
    }
    assign(basic, assignment_value(value, basic.dtype, basic.ndim()));
}

}  // namespace hassium
