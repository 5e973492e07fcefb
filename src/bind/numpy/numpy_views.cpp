// `view(ndarray)` of NumPy's arrays: matrices, masked arrays, records and derived classes. A
// program that names its array type there means NumPy's, but ours is no subtype of NumPy's. So a
// function in front of NumPy's method replaces our type among the arguments and changes nothing
// else.
#include "bind/array/array_parts.hpp"

namespace hassium {
namespace {

PyObject* numpys = nullptr;  // NumPy's own method

PyObject* view(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    const Py_ssize_t all = count + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
    SmallVec<PyObject*, 4> stack = {self};
    for (Py_ssize_t k = 0; k < all; ++k) {
        const bool ours = args[k] == reinterpret_cast<PyObject*>(array_type);
        stack.push_back(ours ? reinterpret_cast<PyObject*>(&PyArray_Type) : args[k]);
    }
    return PyObject_Vectorcall(numpys, stack.data(), static_cast<std::size_t>(count) + 1, keywords);
}

}  // namespace

bool teach_numpy_views() {
    // Once for the process, not for each module object.
    if (numpys) return true;
    PyObject* found = PyDict_GetItemString(PyArray_Type.tp_dict, "view");
    if (!found || !Py_IS_TYPE(found, &PyMethodDescr_Type)) return true;
    static PyMethodDef method = {"view",
                                 reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(view)),
                                 METH_FASTCALL | METH_KEYWORDS,
                                 reinterpret_cast<PyMethodDescrObject*>(found)->d_method->ml_doc};
    const Ref made(PyDescr_NewMethod(&PyArray_Type, &method));
    if (!made) return false;
    numpys = Py_NewRef(found);
    if (PyDict_SetItemString(PyArray_Type.tp_dict, "view", made.get()) < 0) return false;
    PyType_Modified(&PyArray_Type);
    return true;
}

}  // namespace hassium
