// ndarray.flat: an iterator over the elements in C order that also reads and writes by position.
#include "bind/array/array_call.hpp"
#include "bind/module/call_sites.hpp"

namespace hassium {
namespace {

PyTypeObject* flat_type = nullptr;

struct FlatObject {
    PyObject_HEAD PyObject* array;
    std::int64_t position;
};

FlatObject* as_flat(PyObject* self) { return reinterpret_cast<FlatObject*>(self); }
ArrayObject* array_of(PyObject* self) { return as_array(as_flat(self)->array); }

PyObject* flat_next(PyObject* self) {
    const View& view = array_of(self)->view;
    std::int64_t& position = as_flat(self)->position;
    if (position >= view.size()) return nullptr;
    const char* data = data_to_read(view);
    return element_at(data + element_offset(view, position++), view.dtype);
}

Py_ssize_t flat_length(PyObject* self) { return array_of(self)->view.size(); }

// Returns a 1-d view of the elements if the strides allow one, else null.
Ref vector_of(ArrayObject* array) {
    View view = array->view;
    return make_vector(view) ? own(view_of(array, std::move(view))) : Ref();
}

// Returns whether the key is Python's integer, of a size that can be a position.
bool is_position(PyObject* key) {
    int overflow = 0;
    return PyLong_CheckExact(key) && (PyLong_AsLongLongAndOverflow(key, &overflow), overflow == 0);
}

// Returns whether a key selects the same elements of a 1-d array as of the iterator. NumPy's
// iterator handles the others: other number types, tuples, bools, ellipses and invalid keys.
bool as_of_vector(PyObject* key) {
    if (PySlice_Check(key)) return true;
    if (is_array(key)) {
        const View& view = as_array(key)->view;
        return view.ndim() > 0 && is_integer(view.dtype);
    }
    if (PyArray_CheckExact(key)) {
        auto* array = reinterpret_cast<PyArrayObject*>(key);
        return PyArray_NDIM(array) > 0 && PyArray_ISINTEGER(array);
    }
    if (!PyList_CheckExact(key)) return false;
    bool positions = true;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(key); ++k) {
        positions = positions && is_position(PyList_GET_ITEM(key, k));
    }
    return positions;
}

// Returns whether `dtype` holds the number without a cast. For the others NumPy's iterator raises
// its own errors.
bool holds(DType dtype, PyObject* number) {
    if (PyFloat_CheckExact(number)) return !is_integer(dtype);
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    const auto bits = 8 * itemsize(dtype);
    const bool every_sign = kind(dtype) != DTypeKind::Unsigned;
    if (overflow != 0 || (value < 0 && !every_sign)) return false;
    if (!is_integer(dtype) || bits == 64) return true;
    const long long bound = 1LL << (every_sign ? bits - 1 : bits);
    return value < bound && value >= -bound;
}

// Returns NumPy's iterator over the same elements.
Ref numpys_flat(PyObject* self, bool writeable) {
    count_eager("flat");
    const Ref target = borrow_numpy(as_flat(self)->array, writeable);
    return own(PyObject_GetAttrString(target.get(), "flat"));
}

PyObject* flat_subscript(PyObject* self, PyObject* key) {
    ArrayObject* array = array_of(self);
    as_flat(self)->position = 0;  // as in NumPy, whose iterator rewinds
    if (is_position(key)) {
        const Py_ssize_t position = checked(PyLong_AsSsize_t(key));
        const View& view = array->view;
        std::int64_t size = view.size(), wrapped = position < 0 ? position + size : position;
        if (wrapped < 0 || wrapped >= size) {
            fail(ErrorKind::Index, "index ", position, " is out of bounds for size ", size);
        }
        const char* data = data_to_read(view);
        return element_at(data + element_offset(view, wrapped), view.dtype);
    }
    if (!as_of_vector(key)) {
        const Ref found =
            own(PyObject_GetItem(numpys_flat(self, false).get(), as_numpys(key).get()));
        return PyArray_CheckExact(found.get()) ? copy_of_numpy(found.ndarray()).release()
                                               : Py_NewRef(found.get());
    }
    Ref vector = vector_of(array);
    if (!vector) {
        vector = own(new_array(as_vector(contiguous_copy(array->view, array->view.dtype))));
    }
    Ref part = own(index_read(as_array(vector.get()), key));
    if (!is_array(part.get()) || as_array(part.get())->is_scalar) return part.release();
    // flat[...] is a copy even where indexing returns a view.
    const View& view = as_array(part.get())->view;
    return new_array(contiguous_copy(view, view.dtype));
}

void flat_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
    ArrayObject* array = array_of(self);
    if (!value) fail(ErrorKind::Type, "Cannot delete iterator elements");
    check_writeable(array);
    as_flat(self)->position = 0;
    Ref vector = vector_of(array);
    const bool single = PyFloat_CheckExact(value) || PyLong_CheckExact(value);
    const bool native =
        is_position(key) ? single && holds(array->view.dtype, value) : as_of_vector(key);
    if (vector && single && native) {
        try {
            return index_write(as_array(vector.get()), key, value);
        } catch (const UserError& error) {
            if (error.kind() != ErrorKind::Index) throw;
        }
        // Nothing was written yet; NumPy's iterator writes up to the first index out of bounds.
    }
    // NumPy's iterator repeats the values to fill the selection.
    check(PyObject_SetItem(numpys_flat(self, true).get(), as_numpys(key).get(),
                           as_numpys(value).get()));
}

// Returns NumPy's array on the memory of a C-contiguous array, else a copy, which is read-only so
// that no write to it is lost.
PyObject* flat_array(PyObject* self, PyObject* const*, Py_ssize_t, PyObject*) {
    if (array_of(self)->view.c_contiguous()) {
        return export_to_numpy(as_array(vector_of(array_of(self)).get())).release();
    }
    Ref target = borrow_numpy(as_flat(self)->array);
    Ref copy = own(PyArray_Flatten(target.ndarray(), NPY_CORDER));
    PyArray_CLEARFLAGS(copy.ndarray(), NPY_ARRAY_WRITEABLE);
    return copy.release();
}

PyObject* flat_copy(PyObject* self, PyObject*) {
    const View& view = array_of(self)->view;
    return new_array(as_vector(contiguous_copy(view, view.dtype)));
}

PyObject* flat_base(PyObject* self, void*) { return Py_NewRef(as_flat(self)->array); }
PyObject* flat_index(PyObject* self, void*) { return PyLong_FromLongLong(as_flat(self)->position); }
PyObject* flat_coords(PyObject* self, void*) {
    const View& view = array_of(self)->view;
    std::int64_t rest = as_flat(self)->position;
    Dims at(view.ndim(), 0);
    for (std::size_t k = view.ndim(); k-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(view.shape[k], 1);
        at[k] = rest % extent;
        rest /= extent;
    }
    return tuple_of(at);
}

PyObject* flat_richcompare(PyObject* a, PyObject* b, int op) {
    const Ref left = own(flat_copy(a, nullptr));
    const Ref right = Py_TYPE(b) == flat_type ? own(flat_copy(b, nullptr)) : borrow(b);
    return PyObject_RichCompare(left.get(), right.get(), op);
}

PyMethodDef flat_methods[] = {method<flat_array>("__array__"),
                              method<flat_copy>("copy", METH_NOARGS),
                              {nullptr, nullptr, 0, nullptr}};
PyGetSetDef flat_getset[] = {{"base", flat_base, nullptr, nullptr, nullptr},
                             {"index", flat_index, nullptr, nullptr, nullptr},
                             {"coords", guard<flat_coords>, nullptr, nullptr, nullptr},
                             {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

PyObject* new_flat(ArrayObject* array) {
    auto* flat = PyObject_New(FlatObject, flat_type);
    if (!flat) throw PythonError();
    flat->array = Py_NewRef(reinterpret_cast<PyObject*>(array));
    flat->position = 0;
    return reinterpret_cast<PyObject*>(flat);
}

bool init_flat() {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(deallocate<FlatObject, &FlatObject::array>)},
                           {Py_tp_iter, slot(PyObject_SelfIter)},
                           {Py_tp_iternext, slot(guard<flat_next>)},
                           {Py_tp_richcompare, slot(guard<flat_richcompare>)},
                           {Py_tp_hash, slot(PyObject_HashNotImplemented)},
                           {Py_tp_methods, flat_methods},
                           {Py_tp_getset, flat_getset},
                           {Py_mp_length, slot(flat_length)},
                           {Py_mp_subscript, slot(guard<flat_subscript>)},
                           {Py_mp_ass_subscript, slot(guard<flat_assign_subscript>)},
                           {0, nullptr}};
    flat_type = make_type<FlatObject>("hassium.flatiter", kFinalType, slots);
    return flat_type != nullptr;
}

}  // namespace hassium
