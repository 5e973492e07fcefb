// Shapes, orders and axes as users write them, and reshaping without a copy.
#include <limits>

#include "bind/array/array_parts.hpp"

namespace hassium {

std::int64_t parse_extent(PyObject* item) {
    if (PyBool_Check(item)) fail(ErrorKind::Type, "an integer is required");
    const Py_ssize_t extent = PyNumber_AsSsize_t(item, PyExc_OverflowError);
    if (extent == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw PythonError();
        PyErr_Clear();
        fail(ErrorKind::Value, "Maximum allowed dimension exceeded");
    }
    return extent;
}

void check_axes(Py_ssize_t count) {
    if (count <= kMaxDims) return;
    fail(ErrorKind::Value, "maximum supported dimension for an ndarray is currently 64, found " +
                               std::to_string(count));
}

Dims parse_shape(PyObject* argument) {
    Dims shape;
    if (PyLong_CheckExact(argument)) {
        shape.push_back(parse_extent(argument));
        return shape;
    }
    if (!PyTuple_Check(argument) && !PyList_Check(argument)) {
        if (argument == Py_None) {
            fail(ErrorKind::Type, "Use () not None as shape arguments");
        }
        if (PyIndex_Check(argument) && !PySequence_Check(argument)) {
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
    // By length and position: an iterator may never end.
    Py_ssize_t count = PySequence_Size(argument);
    if (count < 0) throw PythonError();
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
    switch (order) {
        case NPY_CORDER:
            return 'C';
        case NPY_FORTRANORDER:
            return 'F';
        case NPY_ANYORDER:
            return 'A';
        default:
            return 'K';
    }
}

int parse_axis(PyObject* argument, int ndim, const char* prefix) {
    // One of two axes is a plain C integer to NumPy, which a bool will do for.
    if (!prefix && PyBool_Check(argument)) {
        fail(ErrorKind::Type, "an integer is required for the axis");
    }
    Py_ssize_t axis = PyNumber_AsSsize_t(argument, PyExc_OverflowError);
    if (axis == -1 && PyErr_Occurred()) throw PythonError();
    if (axis < -ndim || axis >= ndim) {
        fail(ErrorKind::Axis, std::string(prefix ? prefix : "") + (prefix ? ": " : "") + "axis " +
                                  std::to_string(axis) +
                                  " is out of bounds for array of dimension " +
                                  std::to_string(ndim));
    }
    return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

// Axes of the old shape are grouped with axes of the new one so that the products of both sides
// agree; a group is a view when its old axes follow each other in memory in the wanted order
// (NumPy: _attempt_nocopy_reshape).
bool reshaped_strides(const View& view, std::span<const std::int64_t> shape, bool fortran,
                      Dims& strides) {
    strides.resize(shape.size());
    std::int64_t step = itemsize(view.dtype);
    if (view.size() == 0) {
        strides = c_strides(shape, step);
        return true;
    }
    Dims old_shape, old_strides;
    for (std::size_t k = 0; k < view.ndim(); ++k) {
        if (view.shape[k] == 1) continue;
        old_shape.push_back(view.shape[k]);
        old_strides.push_back(view.strides[k]);
    }
    std::size_t oi = 0, ni = 0;
    const std::size_t old_n = old_shape.size(), new_n = shape.size();
    while (ni < new_n && oi < old_n) {
        std::size_t oj = oi + 1, nj = ni + 1;
        std::int64_t np = shape[ni], op = old_shape[oi];
        while (np != op) {
            if (np < op) {
                np *= shape[nj++];
            } else {
                op *= old_shape[oj++];
            }
        }
        for (std::size_t k = oi; k + 1 < oj; ++k) {
            bool follows = fortran ? old_strides[k + 1] == old_shape[k] * old_strides[k]
                                   : old_strides[k] == old_shape[k + 1] * old_strides[k + 1];
            if (!follows) return false;
        }
        if (fortran) {
            strides[ni] = old_strides[oi];
            for (std::size_t k = ni + 1; k < nj; ++k) strides[k] = strides[k - 1] * shape[k - 1];
        } else {
            strides[nj - 1] = old_strides[oj - 1];
            for (std::size_t k = nj - 1; k > ni; --k) strides[k - 1] = strides[k] * shape[k];
        }
        ni = nj;
        oi = oj;
    }
    // Trailing axes of one.
    std::int64_t last = ni > 0 ? strides[ni - 1] : step;
    if (fortran && ni > 0) last *= shape[ni - 1];
    for (std::size_t k = ni; k < new_n; ++k) strides[k] = last;
    return true;
}

}  // namespace hassium
