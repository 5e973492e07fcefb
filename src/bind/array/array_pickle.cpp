// Pickles of arrays: NumPy's reduction of an export, wrapped so that loading makes an array of
// ours. From protocol 5 on the data may be an out-of-band buffer; the loaded array shares the
// buffer that the program provides.
#include "bind/array/array_methods.hpp"
#include "bind/array/live_views.hpp"

namespace hassium {
namespace {

PyObject* reduced(PyObject* self, PyObject* protocol) {
    const Ref numpys =
        as_array(self)->is_scalar ? scalar_value(self) : export_to_numpy(as_array(self));
    const char* method = protocol ? "__reduce_ex__" : "__reduce__";
    const Ref parts =
        own(PyObject_CallMethod(numpys.get(), method, protocol ? "O" : nullptr, protocol));
    if (as_array(self)->is_scalar) return Ref(parts).release();
    const Py_ssize_t count = PyTuple_Check(parts.get()) ? PyTuple_GET_SIZE(parts.get()) : 0;
    if (count < 2) fail(ErrorKind::Runtime, "NumPy's __reduce__ gives no tuple");
    PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), "hassium._core");
    if (!module) fail(ErrorKind::Runtime, "hassium._core is gone");
    const Ref make = own(PyObject_GetAttrString(module, "array_from_pickle"));
    PyObject* state = count > 2 ? PyTuple_GET_ITEM(parts.get(), 2) : Py_None;
    return Py_BuildValue("(O(OOO))", make.get(), PyTuple_GET_ITEM(parts.get(), 0),
                         PyTuple_GET_ITEM(parts.get(), 1), state);
}

// Returns whether the pickle itself contains the data.
bool is_in_band(PyObject* args) {
    if (PyTuple_GET_SIZE(args) == 0) return true;
    PyObject* buffer = PyTuple_GET_ITEM(args, 0);
    return PyType_Check(buffer) || PyBytes_CheckExact(buffer) || PyByteArray_CheckExact(buffer);
}

}  // namespace

PyObject* array_reduce_pickle(PyObject* self, PyObject*) { return reduced(self, nullptr); }
PyObject* array_reduce_by_protocol(PyObject* self, PyObject* protocol) {
    return reduced(self, protocol);
}

// array_from_pickle(function, args, state): builds NumPy's array from these and returns ours.
// In-band data is copied, so that work on the array can be fused; other memory is shared.
HS_FAST_METHOD(array_from_pickle) {
    auto found = sort_arguments("array_from_pickle", {"function", "args", "state"}, {3}, args,
                                count, keywords);
    if (!found[0] || !found[1] || !PyTuple_Check(found[1])) {
        fail(ErrorKind::Type, "array_from_pickle() takes a function and a tuple");
    }
    const Ref made = own(PyObject_CallObject(found[0], found[1]));
    if (given(found[2])) {
        own(PyObject_CallMethod(made.get(), "__setstate__", "(O)", found[2]));
    }
    if (!PyArray_Check(made.get())) fail(ErrorKind::Type, "the pickle is none of an array");
    PyArrayObject* numpys = made.ndarray();
    if (!is_in_band(found[1])) return view_of_numpy(numpys, true).release();
    Ref copy = copy_of_numpy(numpys);
    as_array(copy.get())->writeable = PyArray_ISWRITEABLE(numpys) != 0;
    return copy.release();
}

// __setstate__((version, shape, dtype, is_fortran, data)), as in NumPy: replaces the memory.
PyObject* array_set_state(PyObject* self, PyObject* state) {
    const Ref numpys = own(PyObject_CallFunction(numpy_attribute("ndarray"), "((i))", 0));
    own(PyObject_CallMethod(numpys.get(), "__setstate__", "(O)", state));
    Ref made = copy_of_numpy(numpys.ndarray());
    ArrayObject* array = as_array(self);
    if (array->warns == Warns::Copied) forget_copy(array);
    set_view(array, View(as_array(made.get())->view));
    array->writeable = true;
    Py_CLEAR(array->parent);
    return Py_NewRef(Py_None);
}

}  // namespace hassium
