// What NumPy itself has to answer of ufuncs: operands that override them, dtypes that are not
// native.
#include "bind/array_call.hpp"
#include "bind/ufunc_parts.hpp"

namespace hassium {
namespace {

Ref numpy_callable(Op op, const char* method) {
    if (!method) return borrow(numpy_ufunc(op));
    return own(PyObject_GetAttrString(numpy_ufunc(op), method));
}

}  // namespace

bool overrides_ufuncs(PyObject* object) {
    if (is_array(object) || PyArray_CheckExact(object) || PyFloat_CheckExact(object) ||
        PyLong_CheckExact(object)) {
        return false;
    }
    static PyObject* name = PyUnicode_InternFromString("__array_ufunc__");
    static PyObject* basic =
        _PyType_Lookup(&PyArray_Type, name);  // what ndarray's subclasses inherit
    PyObject* own_method = _PyType_Lookup(Py_TYPE(object), name);
    return own_method && own_method != basic;
}

PyObject* numpy_answers(Op op, const char* method, const RawCall& raw) {
    Ref function = numpy_callable(op, method);
    std::string name(info(op).name);
    if (method) name += std::string(".") + method;
    return by_numpy(function.get(), name.c_str(), raw.args, raw.count, raw.names);
}

}  // namespace hassium
