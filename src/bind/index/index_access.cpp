// Reading and writing by index: single elements in place, basic items as views, the rest by
// positions.
#include <algorithm>
#include <span>

#include "base/settings.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/index/index.hpp"
#include "bind/module/value_uses.hpp"

namespace hassium {
namespace {

bool is_plain_integer(PyObject* item) {
    return PyLong_CheckExact(item) || Py_IS_TYPE(item, &PyLongArrType_Type);
}

// Reads a plain integer; returns false beyond int64. NumPy's int64 is included, as loops take
// subscripts from integer arrays as often as from range().
bool plain_position(PyObject* item, std::int64_t& position) {
    if (!PyLong_CheckExact(item)) {
        position = PyArrayScalar_VAL(item, Long);
        return true;
    }
    int overflow = 0;
    position = PyLong_AsLongLongAndOverflow(item, &overflow);
    return !overflow;
}

// Returns the items of a key: those of a tuple, else the key itself.
std::span<PyObject* const> items_of(PyObject* const& key) {
    if (!PyTuple_CheckExact(key)) return {&key, 1};
    return {&PyTuple_GET_ITEM(key, 0), static_cast<std::size_t>(PyTuple_GET_SIZE(key))};
}

// Computes the byte offset of one element addressed by integers alone; returns false for other
// keys. Throws if an integer is out of bounds.
bool element_offset(const View& view, PyObject* key, std::int64_t& offset) {
    const std::span<PyObject* const> items = items_of(key);
    if (items.size() != view.ndim()) return false;
    std::int64_t at = view.offset;
    for (std::size_t k = 0; k < items.size(); ++k) {
        std::int64_t position = 0;
        if (!is_plain_integer(items[k]) || !plain_position(items[k], position)) return false;
        at += wrap_position(position, view.shape[k], k) * view.strides[k];
    }
    offset = at;
    return true;
}

// Sets `view` for a key of plain slices and integers, without a list of items; returns false for
// other keys.
bool plain_view(const View& source, PyObject* key, View& view) {
    const std::span<PyObject* const> items = items_of(key);
    const std::size_t count = items.size();
    if (count > source.ndim()) return false;
    for (PyObject* item : items) {
        if (!PySlice_Check(item) && !is_plain_integer(item)) return false;
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
            std::int64_t position = 0;
            if (!plain_position(items[k], position)) return false;
            view.offset += wrap_position(position, extent, k) * stride;
            continue;
        }
        view.shape.push_back(extent);
        view.strides.push_back(stride);
    }
    return true;
}

bool defers_reads() {
    return settings().choice(Setting::lazy_scalars) != "off" && may_stay_pending({});
}

// Reads an element of a pending array: a lazy scalar if the program only calculates with its
// elements, else the value after a flush.
PyObject* read_pending_element(const View& view, std::int64_t offset) {
    const bool inexact =
        kind(view.dtype) == DTypeKind::Float || kind(view.dtype) == DTypeKind::Complex;
    if (inexact && defers_reads()) {
        View element;
        element.base = view.base;
        element.dtype = view.dtype;
        element.offset = offset;
        if (auto number = Engine::instance().read_lazily(element))
            return new_scalar(std::move(*number));
    }
    return element_at(Engine::instance().ready(view) - view.offset + offset, view.dtype);
}

PyObject* read_element(const View& view, std::int64_t offset) {
    const Base& base = *view.base;
    if (!base.readable()) return read_pending_element(view, offset);
    Engine::instance().reads.read(base);
    return element_at(base.data + offset, view.dtype);
}

// Returns whether the value is an array with axes. Whether one of a single element may be written
// to an element depends on the dtype and on the version of NumPy, which is asked.
bool has_axes(PyObject* value) {
    if (is_array(value)) return as_array(value)->view.ndim() > 0;
    return PyArray_Check(value) && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(value)) > 0;
}

// Writes one element: in place if nothing is pending on the base, else by a recorded copy.
void write_element(ArrayObject* array, std::int64_t offset, PyObject* value) {
    const View& view = array->view;
    Base& base = *view.base;
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
    if (has_axes(value)) {
        const Ref place = borrow_numpy(target, reinterpret_cast<PyObject*>(array), true);
        const Ref all = own(PyTuple_New(0));
        return check(PyObject_SetItem(place.get(), all.get(), as_numpys(value).get()));
    }
    Value assigned;
    if (is_array(value) || (PyArray_Check(value) && !is_derived_number(value))) {
        assigned = assignment_value(value, view.dtype);
    } else {
        assigned.is_constant = true;
        pack_element(reinterpret_cast<char*>(assigned.constant.bytes), view.dtype, value);
    }
    assign(target, assigned);
}

// Converts an assigned value; numbers are cast without an error, as NumPy converts them to arrays
// first.
Value cast_value(PyObject* object, DType dtype) {
    if (!is_integer(dtype)) return assignment_value(object, dtype);
    const bool number = PyObject_TypeCheck(object, &PyIntegerArrType_Type) ||
                        PyObject_TypeCheck(object, &PyInexactArrType_Type);
    if (!number) return assignment_value(object, dtype);
    Value value;
    value.is_constant = true;
    if (!to_constant(object, dtype, value.constant)) throw PythonError();
    return value;
}

// Returns the array of positions of a key that is a plain list of integers, else null.
Ref listed_positions(PyObject* key) {
    if (!PyList_CheckExact(key)) return {};
    constexpr DType kPositions = DType::I64;
    const bool plain = PyList_GET_SIZE(key) > 0 && PyLong_CheckExact(PyList_GET_ITEM(key, 0));
    Ref positions(plain ? array_of_list(key, &kPositions, 'C') : nullptr);
    if (!positions && PyErr_Occurred()) throw PythonError();
    return positions;
}

// Returns a view of the elements that basic items select, or a copy if the source is a scalar,
// which is immutable.
PyObject* basic_part(ArrayObject* array, View&& view) {
    if (array->is_scalar) return new_array(contiguous_copy(view, view.dtype));
    return view_of(array, std::move(view));
}

}  // namespace

PyObject* index_item(ArrayObject* array, Py_ssize_t position) {
    const View& view = array->view;
    if (view.ndim() == 0) {
        fail(ErrorKind::Index,
             "too many indices for array: array is 0-dimensional, but 1 were indexed");
    }
    // The sequence protocol has already wrapped negative positions.
    if (position < 0 || position >= view.shape[0]) {
        wrap_position(position < 0 ? view.shape[0] : position, view.shape[0], 0);
    }
    std::int64_t offset = view.offset + position * view.strides[0];
    if (view.ndim() == 1) return read_element(view, offset);
    View row = view;
    row.offset = offset;
    row.shape.erase(0);
    row.strides.erase(0);
    return view_of(array, std::move(row));
}

void run_index(const View& source, PyObject* key) {
    const Py_ssize_t count = PyTuple_Check(key) ? PyTuple_GET_SIZE(key) : 1;
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* const item = PyTuple_Check(key) ? PyTuple_GET_ITEM(key, k) : key;
        if (!is_array(item) || as_array(item)->view.base->readable()) continue;
        const BaseHold hold(as_array(item)->view.base.get());
        Engine::instance().run_index(*hold.base(), *source.base);
    }
}

PyObject* index_read(ArrayObject* array, PyObject* key) {
    const bool may_be_basic = Py_TYPE(key) != array_type;
    std::int64_t offset = 0;
    if (may_be_basic && element_offset(array->view, key, offset)) {
        // An empty tuple reads the element of a scalar, as an integer does of a vector.
        if (!array->is_scalar) return read_element(array->view, offset);
        return element_at(data_to_read(array->view), array->view.dtype);
    }
    View view;
    // Parsing the key may run Python code that reshapes the array.
    View source = array->view;
    if (may_be_basic && plain_view(source, key, view)) return basic_part(array, std::move(view));
    run_index(source, key);
    if (take_under_mask(source, key, view)) return new_array(std::move(view));
    const Ref listed = listed_positions(key);
    if (listed) key = listed.get();
    // For other sources NumPy's result is not in C order.
    if (source.ndim() <= 2 || source.c_contiguous()) {
        Selection selection;
        if (select_positions(std::move(source), key, 0, selection)) {
            return take_selected(std::move(selection));
        }
    }
    Index index = parse_index(source, key);
    if (index.advanced) return take_selected(select(source, index, Purpose::Reading));
    View basic = apply_basic(source, index);
    // parse_index appends an ellipsis if the key has none: then a result without axes is an
    // element.
    bool all_integers = basic.ndim() == 0;
    for (std::size_t k = 0; k + 1 < index.items.size(); ++k) {
        all_integers &= index.items[k].kind == IndexKind::Integer;
    }
    all_integers &= index.items.back().kind == IndexKind::Integer || !index.written_ellipsis;
    if (all_integers) return read_element(basic, basic.offset);
    if (index.integer_array) return new_array(copy_in_order(basic, basic.dtype, 'K'));
    return basic_part(array, std::move(basic));
}

HS_FAST_METHOD(take_at) {
    if (count != 2 || Py_TYPE(args[0]) != array_type) {
        fail(ErrorKind::Type, "take_at() takes an array and a key");
    }
    View view;
    View source = as_array(args[0])->view;
    run_index(source, args[1]);
    if (take_under_mask(source, args[1], view)) return new_array(std::move(view));
    Selection selection;
    if (select_positions(std::move(source), args[1], 0, selection)) {
        return take_selected(std::move(selection));
    }
    const Index index = parse_index(source, args[1]);
    return take_selected(select(source, index, Purpose::ReadingInC));
}

void index_write(ArrayObject* array, PyObject* key, PyObject* assigned) {
    check_writeable(array);
    PyObject* value = assigned;
    Ref number;
    if (may_not_fit(assigned, array->view.dtype)) {
        number = scalar_value(assigned);
        value = number.get();
    }
    const bool may_be_basic = Py_TYPE(key) != array_type;
    std::int64_t offset = 0;
    if (may_be_basic && element_offset(array->view, key, offset)) {
        write_element(array, offset, value);
        return;
    }
    View source = array->view;
    View view;
    if (may_be_basic && plain_view(source, key, view)) {
        assign(view, assignment_value(value, view.dtype, view.ndim()));
        return;
    }
    if (is_whole_mask(source, key)) {
        const Value values = cast_value(assigned, source.dtype);
        const View mask = as_array(key)->view;
        if (values.is_constant) return record_fill(source, values.constant, &mask);
    }
    const Ref listed = listed_positions(key);
    if (listed) key = listed.get();
    if (source.ndim() > 0 && is_positions(key)) {
        const Value values = cast_value(assigned, source.dtype);
        const View* shaped = values.is_constant ? nullptr : &values.view;
        Selection selection;
        if (select_positions(std::move(source), key, 0, selection, shaped)) {
            return put_selected(selection, values);
        }
        return write_selected(source, parse_index(source, key), values);
    }
    Index index = parse_index(source, key);
    if (index.advanced) {
        Value values = cast_value(assigned, source.dtype);
        // Only after both are parsed: either may have run Python code.
        if (!put_under_mask(source, key, values)) write_selected(source, index, values);
        return;
    }
    View basic = apply_basic(source, index);
    if (basic.ndim() == 0 && !index.written_ellipsis) {
        write_element(array, basic.offset, value);
        return;
    }
    assign(basic, assignment_value(value, basic.dtype, basic.ndim()));
}

}  // namespace hassium
