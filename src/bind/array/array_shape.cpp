// Parsing of shapes, orders and axes, and reshaping without a copy.

#include "bind/array/array_parts.hpp"

namespace hassium {

namespace {

std::int64_t parse_extent(PyObject* item) {
    if (is_bool(item)) fail(ErrorKind::Type, "an integer is required");
    const Py_ssize_t extent = PyLong_CheckExact(item)
                                  ? PyLong_AsSsize_t(item)
                                  : PyNumber_AsSsize_t(item, PyExc_OverflowError);
    if (extent == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw PythonError();
        PyErr_Clear();
        fail(ErrorKind::Value, "Maximum allowed dimension exceeded");
    }
    return extent;
}

}  // namespace

void check_axes(Py_ssize_t count) {
    if (count <= kMaxDims) return;
    fail(ErrorKind::Value, "maximum supported dimension for an ndarray is currently 64, found ",
         count);
}

Dims parse_shape(PyObject* argument) {
    Dims shape;
    if (PyLong_CheckExact(argument)) {
        shape.push_back(parse_extent(argument));
        return shape;
    }
    if (!PyTuple_Check(argument) && !PyList_Check(argument)) {
        if (argument == Py_None) {  // NumPy refuses it, or warns and takes it for ()
            PyArray_Dims none = {nullptr, -1};
            if (!PyArray_IntpConverter(Py_None, &none)) throw PythonError();
            return shape;
        }
        if (PyIndex_Check(argument) && !PySequence_Check(argument) && !is_bool(argument)) {
            shape.push_back(parse_extent(argument));
            return shape;
        }
        const bool one = is_array(argument) ? as_array(argument)->view.ndim() == 0
                         : PyArray_Check(argument)
                             ? PyArray_NDIM(reinterpret_cast<PyArrayObject*>(argument)) == 0
                             : false;
        if (one) {
            shape.push_back(parse_extent(argument));
            return shape;
        }
        if (!PySequence_Check(argument) || PyUnicode_Check(argument)) {
            PyErr_Format(PyExc_TypeError,
                         "expected a sequence of integers or a single integer, got '%R'", argument);
            throw PythonError();
        }
    }
    // Reads by length and position: an iterator may never end.
    const Py_ssize_t count = checked(PySequence_Size(argument));
    check_axes(count);
    for (Py_ssize_t k = 0; k < count; ++k) {
        Ref item = own(PySequence_GetItem(argument, k));
        shape.push_back(parse_extent(item.get()));
    }
    return shape;
}

Dims shape_arguments(PyObject* const* args, Py_ssize_t count) {
    if (count == 1) return parse_shape(args[0]);
    check_axes(count);
    Dims shape;
    for (Py_ssize_t k = 0; k < count; ++k) shape.push_back(parse_extent(args[k]));
    return shape;
}

char parse_order(PyObject* argument, char fallback) {
    if (!argument || argument == Py_None) return fallback;
    NPY_ORDER order = NPY_KEEPORDER;
    if (!PyArray_OrderConverter(argument, &order)) throw PythonError();
    return order == NPY_CORDER         ? 'C'
           : order == NPY_FORTRANORDER ? 'F'
           : order == NPY_ANYORDER     ? 'A'
                                       : 'K';
}

bool has_order(const View& view, char order) {
    const bool c = view.c_contiguous(), f = view.f_contiguous();
    return order == 'C' ? c : order == 'F' ? f : order == 'K' || c || f;
}

int parse_axis(PyObject* argument, int ndim, const char* prefix) {
    // With a prefix (axis1, axis2) NumPy parses a C integer, which accepts bools.
    if (!prefix && is_bool(argument)) {
        fail(ErrorKind::Type, "an integer is required for the axis");
    }
    const Py_ssize_t axis = checked(PyNumber_AsSsize_t(argument, PyExc_OverflowError));
    if (axis < -ndim || axis >= ndim) {
        fail(ErrorKind::Axis, prefix ? prefix : "", (prefix ? ": " : ""), "axis ", axis,
             " is out of bounds for array of dimension ", ndim);
    }
    return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

bool broadcast_into(Dims& shape, const Dims& other) {
    while (shape.size() < other.size()) shape.insert(0, 1);
    const std::size_t missing = shape.size() - other.size();
    for (std::size_t k = 0; k < other.size(); ++k) {
        std::int64_t& extent = shape[missing + k];
        if (extent == other[k] || other[k] == 1) continue;
        if (extent != 1) return false;
        extent = other[k];
    }
    return true;
}

bool make_vector(View& view) {
    const std::int64_t size = view.size();
    Dims strides;
    if (!reshaped_strides(view, {&size, 1}, false, strides)) return false;
    view.shape = {size};
    view.strides = strides;
    return true;
}

std::int64_t element_offset(const View& view, std::int64_t position) {
    std::int64_t offset = 0;
    for (std::size_t k = view.ndim(); k-- > 0;) {
        offset += position % view.shape[k] * view.strides[k];
        position /= view.shape[k];
    }
    return offset;
}

bool along_axis(PyObject* object, PyObject* axis_argument, View& view, std::size_t& axis) {
    if (Py_TYPE(object) != array_type) return false;
    view = as_array(object)->view;
    if (axis_argument == Py_None) {
        if (!view.c_contiguous()) return false;
        as_vector(std::move(view));
        axis = 0;
        return true;
    }
    if (!PyLong_CheckExact(axis_argument)) return false;
    int overflow = 0;
    long long wanted = PyLong_AsLongLongAndOverflow(axis_argument, &overflow);
    const auto ndim = static_cast<long long>(view.ndim());
    if (overflow || wanted < -ndim || wanted >= ndim) return false;
    axis = static_cast<std::size_t>(wanted < 0 ? wanted + ndim : wanted);
    return true;
}

// As NumPy's _attempt_nocopy_reshape. Fortran order is C order of the reversed axes.
bool reshaped_strides(const View& view, std::span<const std::int64_t> shape, bool fortran,
                      Dims& strides) {
    if (view.size() == 0) {
        strides = c_strides(shape, itemsize(view.dtype));
        return true;
    }
    const std::int64_t item = itemsize(view.dtype);
    if (!fortran) return spread_strides(coalesce(view.shape, view.strides), shape, item, strides);
    Dims old_shape = view.shape, old_strides = view.strides, new_shape(shape);
    for (Dims* dims : {&old_shape, &old_strides, &new_shape}) std::ranges::reverse(*dims);
    if (!spread_strides(coalesce(old_shape, old_strides), new_shape, item, strides)) return false;
    std::ranges::reverse(strides);
    // Axes of extent 1 have the stride of the next axis.
    for (std::size_t k = shape.size(); k-- > 1;) {
        if (shape[k - 1] == 1) strides[k - 1] = strides[k];
    }
    return true;
}

}  // namespace hassium
