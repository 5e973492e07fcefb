// Imports and attributes of modules, without a Python frame: warnings name the line a given number
// of frames up, and Python shows some only for lines of a script.
#include "bind/array/array_call.hpp"
#include "bind/array/array_methods.hpp"

namespace hassium {
namespace {

// __import__(name, ...): calls `plain`; for names that begin with "numpy" returns redirect(module,
// name, ...).
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

// __getattr__(name) of a module: returns finish(name, value) with the other module's value, or
// finish(name) if it has none.
PyObject* look_up(PyObject* pair, PyObject* name) {
    const Ref value(PyObject_GetAttr(PyTuple_GET_ITEM(pair, 0), name));
    PyObject* finish = PyTuple_GET_ITEM(pair, 1);
    if (value) return PyObject_CallFunctionObjArgs(finish, name, value.get(), nullptr);
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return nullptr;
    PyErr_Clear();
    return PyObject_CallOneArg(finish, name);
}

// Returns an attribute of a module. Its dictionary comes before its type, which Python would search
// first: all attributes of the type begin with an underscore.
PyObject* namespace_getattro(PyObject* self, PyObject* name) {
    if (PyUnicode_GET_LENGTH(name) > 0 && PyUnicode_READ_CHAR(name, 0) != '_') {
        PyObject* names = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) +
                                                        PyModule_Type.tp_dictoffset);
        PyObject* found = PyDict_GetItemWithError(names, name);
        if (found) return Py_NewRef(found);
        if (PyErr_Occurred()) return nullptr;
    }
    return PyModule_Type.tp_getattro(self, name);
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

bool init_namespace(PyObject* module) {
    PyType_Slot slots[] = {{Py_tp_getattro, slot(namespace_getattro)}, {0, nullptr}};
    PyType_Spec spec = {"hassium._core.namespace", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        slots};
    const Ref type(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(&PyModule_Type)));
    return type && PyModule_AddObjectRef(module, "namespace", type.get()) == 0;
}

}  // namespace hassium
