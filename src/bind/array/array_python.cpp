// Arrays as Python values: text, lists, numbers, pickles, iteration.
#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {

Ref scalar_value(PyObject* self) {
    const View& view = as_array(self)->view;
    return own(element_at(data_to_read(view), view.dtype));
}

namespace {

PyObject* printed(PyObject* self, const char* function) {
    Ref array = borrow_numpy(self);
    return PyObject_CallOneArg(numpy_attribute(function), array.get());
}

Py_ssize_t position_of(PyObject* argument) {
    if (is_bool(argument)) fail(ErrorKind::Type, "an integer is required");
    return checked(PyNumber_AsSsize_t(argument, PyExc_IndexError));
}

std::int64_t flat_offset(const View& view, PyObject* const* args, Py_ssize_t count) {
    if (count == 1) {
        const Py_ssize_t position = position_of(args[0]);
        std::int64_t size = view.size();
        if (position < -size || position >= size) {
            fail(ErrorKind::Index, "index ", position, " is out of bounds for size ", size);
        }
        return element_offset(view, position < 0 ? position + size : position);
    }
    if (static_cast<std::size_t>(count) != view.ndim()) {
        fail(ErrorKind::Value, "incorrect number of indices for array");
    }
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < view.ndim(); ++k) {
        const Py_ssize_t position = position_of(args[k]);
        if (position < -view.shape[k] || position >= view.shape[k]) {
            fail(ErrorKind::Index, "index ", position, " is out of bounds for axis ", k,
                 " with size ", view.shape[k]);
        }
        offset += (position < 0 ? position + view.shape[k] : position) * view.strides[k];
    }
    return offset;
}

}  // namespace

PyObject* array_repr(PyObject* self) {
    if (!as_array(self)->is_scalar) return printed(self, "array_repr");
    return PyObject_Repr(scalar_value(self).get());
}

PyObject* array_str(PyObject* self) {
    if (!as_array(self)->is_scalar) return printed(self, "array_str");
    return PyObject_Str(scalar_value(self).get());
}

PyObject* array_format(PyObject* self, PyObject* spec) {
    const View& view = as_array(self)->view;
    if (!PyUnicode_Check(spec)) {
        fail(ErrorKind::Type, "__format__() argument must be a string");
    }
    if (view.ndim() == 0) {
        // An array is formatted as its Python number, a scalar as NumPy's.
        Ref value = scalar_value(self);
        if (!as_array(self)->is_scalar)
            value = own(PyObject_CallMethod(value.get(), "item", nullptr));
        return PyObject_Format(value.get(), spec);
    }
    if (PyUnicode_GET_LENGTH(spec) == 0) return PyObject_Str(self);
    fail(ErrorKind::Type, "unsupported format string passed to numpy.ndarray.__format__");
}

PyObject* array_iter(PyObject* self) {
    if (as_array(self)->view.ndim() == 0) {
        if (as_array(self)->is_scalar) {
            PyErr_Format(PyExc_TypeError, "'%s' object is not iterable",
                         scalar_type_name(as_array(self)->view.dtype));
        } else {
            PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
        }
        return nullptr;
    }
    return PySeqIter_New(self);
}

int array_contains(PyObject* self, PyObject* value) {
    Ref equal = own(PyObject_RichCompare(self, value, Py_EQ));
    if (is_array(equal.get())) {
        return PyObject_IsTrue(own(ufunc_reduce(Op::LogicalOr, equal.get(), {})).get());
    }
    equal = own(PyArray_EnsureAnyArray(equal.release()));
    return PyObject_IsTrue(own(PyObject_CallMethod(equal.get(), "any", nullptr)).get());
}

namespace {

// Returns the elements along the axes from `axis` on as nested lists; a number without any.
PyObject* numbers_from(const char* data, const View& view, std::size_t axis) {
    if (axis == view.ndim()) return number_at(data, view.dtype);
    const std::int64_t extent = view.shape[axis], stride = view.strides[axis];
    Ref list = own(PyList_New(extent));
    for (std::int64_t k = 0; k < extent; ++k, data += stride) {
        PyList_SET_ITEM(list.get(), k, own(numbers_from(data, view, axis + 1)).release());
    }
    return list.release();
}

}  // namespace

HS_FAST_METHOD(array_item_method) {
    if (keywords && PyTuple_GET_SIZE(keywords) > 0) {
        fail(ErrorKind::Type, "item() takes no keyword arguments");
    }
    const View& view = as_array(self)->view;
    Ref indices;
    if (count == 1 && PyTuple_Check(args[0])) {
        indices = borrow(args[0]);
        args = &PyTuple_GET_ITEM(indices.get(), 0);
        count = PyTuple_GET_SIZE(indices.get());
    }
    std::int64_t offset = 0;
    if (count == 0) {
        if (view.size() != 1) {
            fail(ErrorKind::Value, "can only convert an array of size 1 to a Python scalar");
        }
    } else {
        offset = flat_offset(view, args, count);
    }
    return number_at(data_to_read(view) + offset, view.dtype);
}

PyObject* array_tolist(PyObject* self, PyObject*) {
    const View view = as_array(self)->view;  // owned: a new list may run a finalizer that resizes
    return numbers_from(data_to_read(view), view, 0);
}

HS_FAST_METHOD(array_tobytes) {
    const View& view = as_array(self)->view;
    if (count == 0 && !keywords && view.c_contiguous()) {
        return PyBytes_FromStringAndSize(data_to_read(view), view.size() * itemsize(view.dtype));
    }
    auto found = sort_arguments("tobytes", {"order"}, {1}, args, count, keywords);
    NPY_ORDER order = NPY_CORDER;
    if (given(found[0]) && !PyArray_OrderConverter(found[0], &order)) throw PythonError();
    return PyArray_ToString(borrow_numpy(self).ndarray(), order);
}

PyObject* array_complex(PyObject* self, PyObject*) {
    // NumPy decides about arrays with axes: its versions differ.
    const Ref value = as_array(self)->view.ndim() == 0 ? scalar_value(self) : borrow_numpy(self);
    return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), value.get());
}

// Counts the data for the owning array only, computed or not; extents and strides for each array.
PyObject* array_sizeof(PyObject* self, PyObject*) {
    const ArrayObject* array = as_array(self);
    const View& view = array->view;
    const bool owns = array->parent == nullptr && !view.base->foreign;
    const std::int64_t data = owns ? view.size() * itemsize(view.dtype) : 0;
    const auto axes = static_cast<std::int64_t>(view.ndim() * 2 * sizeof(std::int64_t));
    return PyLong_FromLongLong(Py_TYPE(self)->tp_basicsize + axes + data);
}

HS_FAST_METHOD(array_conjugate) {
    if (count == 0 && !keywords) {
        if (kind(as_array(self)->view.dtype) != DTypeKind::Complex) return Py_NewRef(self);
        return ufunc_unary(Op::Conjugate, self);
    }
    refuse_keywords("conjugate", keywords);
    return call_with(ufunc_object(Op::Conjugate), self, args, count, nullptr);
}

}  // namespace hassium
