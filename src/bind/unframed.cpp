// What stands between the program and NumPy, without a frame of Python: warnings
// are told at the line that many frames up, and Python shows some for scripts alone.
#include "bind/array_call.hpp"
#include "bind/array_methods.hpp"

namespace hassium {
namespace {

// __getattr__(name) of a module: finish(name, value) of the other module's value, or finish(name)
// where it has none.
PyObject* look_up(PyObject* pair, PyObject* name) {
    const Ref value(PyObject_GetAttr(PyTuple_GET_ITEM(pair, 0), name));
    PyObject* finish = PyTuple_GET_ITEM(pair, 1);
    if (value) return PyObject_CallFunctionObjArgs(finish, name, value.get(), nullptr);
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return nullptr;
    PyErr_Clear();
    return PyObject_CallOneArg(finish, name);
}

PyMethodDef lookup_definition = {"__getattr__", look_up, METH_O, nullptr};

PyObject* bound(PyMethodDef& definition, PyObject* const* args, Py_ssize_t count) {
    return guarded([&] {
        if (count != 2) fail(ErrorKind::Type, std::string(definition.ml_name) + " takes a pair");
        const Ref pair = own(PyTuple_Pack(2, args[0], args[1]));
        return PyCFunction_New(&definition, pair.get());
    });
}

}  // namespace

HS_FAST_METHOD(make_lookup) {
    (void)self, (void)keywords;
    return bound(lookup_definition, args, count);
}

}  // namespace hassium
