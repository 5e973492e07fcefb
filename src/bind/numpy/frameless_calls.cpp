// What stands between the program and NumPy or Python's import, without a frame of Python: warnings
// name the line that many frames up, and Python shows some for scripts alone.
#include "bind/array/array_call.hpp"
#include "bind/array/array_methods.hpp"

namespace hassium {
namespace {

// __import__(name, ...): `plain` imports; for NumPy's names redirect(module, name, ...) says what
// the importer gets.
PyObject* import_redirected(PyObject* pair, PyObject* const* args, Py_ssize_t count,
                            PyObject* keywords) {
    PyObject* plain = PyTuple_GET_ITEM(pair, 0);
    Ref found(PyObject_Vectorcall(plain, args, static_cast<std::size_t>(count), keywords));
    if (!found || count == 0 || !PyUnicode_Check(args[0])) return found.release();
    static PyObject* const numpy = PyUnicode_InternFromString("numpy");
    const Py_ssize_t begins = PyUnicode_Tailmatch(args[0], numpy, 0, PY_SSIZE_T_MAX, -1);
    if (begins < 0) return nullptr;
    if (begins == 0) return found.release();
    return call_with(PyTuple_GET_ITEM(pair, 1), found.get(), args, count, keywords);
}

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

PyMethodDef import_definition = method<import_redirected>("__import__");
PyMethodDef lookup_definition = {"__getattr__", look_up, METH_O, nullptr};

PyObject* bound(PyMethodDef& definition, PyObject* const* args, Py_ssize_t count) {
    if (count != 2) fail(ErrorKind::Type, definition.ml_name, " takes a pair");
    const Ref pair = own(PyTuple_Pack(2, args[0], args[1]));
    return PyCFunction_New(&definition, pair.get());
}

}  // namespace

HS_FAST_METHOD(make_importer) { return bound(import_definition, args, count); }

HS_FAST_METHOD(make_lookup) { return bound(lookup_definition, args, count); }

}  // namespace hassium
