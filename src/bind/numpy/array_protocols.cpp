// Protocols through which other libraries use arrays, and methods that the Python package adds.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {
namespace {

PyObject* function_handler = nullptr;  // of __array_function__

// Calls a method of NumPy's scalar that has no native form, and counts a fallback. `binding` is
// (scalar, name).
PyObject* call_numpy_method(PyObject* binding, PyObject* args, PyObject* kwargs) {
    PyObject* name = PyTuple_GET_ITEM(binding, 1);
    Ref value = scalar_value(PyTuple_GET_ITEM(binding, 0));
    Ref method = own(PyObject_GetAttr(value.get(), name));
    return call_numpy(method.get(), args, kwargs, text_of(name));
}

// Returns an attribute of NumPy's scalar that is no method, such as numerator.
PyObject* scalar_attribute(PyObject* self, PyObject* name) {
    return PyObject_GetAttr(scalar_value(self).get(), name);
}

PyMethodDef numpy_method = method<call_numpy_method>("numpy_method", METH_VARARGS | METH_KEYWORDS);

constexpr char kRound[] = "__round__", kTrunc[] = "__trunc__", kFloor[] = "__floor__",
               kCeil[] = "__ceil__";

// Calls a numeric dunder method of NumPy's scalar.
template <const char* name>
PyObject* by_scalar(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    Ref value = scalar_value(self);
    Ref method(PyObject_GetAttrString(value.get(), name));
    if (!method) {
        PyErr_Clear();
        if (name != kFloor && name != kCeil) {
            fail(ErrorKind::Type, "type ", Py_TYPE(value.get())->tp_name, " doesn't define ", name,
                 " method");
        }
        // As math.floor and math.ceil do for types without the method.
        value = own(PyNumber_Float(value.get()));
        method = own(PyObject_GetAttrString(value.get(), name));
    }
    return PyObject_Vectorcall(method.get(), args, static_cast<std::size_t>(count), keywords);
}

}  // namespace

PyMethodDef* scalar_methods() {
    static std::vector<PyMethodDef> table;
    if (table.empty()) {
        table = {method<by_scalar<kRound>>(kRound), method<by_scalar<kTrunc>>(kTrunc),
                 method<by_scalar<kFloor>>(kFloor), method<by_scalar<kCeil>>(kCeil)};
        for (PyMethodDef* method = array_methods; method->ml_name; ++method) {
            table.push_back(*method);
        }
        table.push_back({nullptr, nullptr, 0, nullptr});
    }
    return table.data();
}

PyObject* scalar_getattro(PyObject* self, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    const bool special = PyUnicode_GET_LENGTH(name) > 1 && PyUnicode_READ_CHAR(name, 0) == '_' &&
                         PyUnicode_READ_CHAR(name, 1) == '_';
    if (special) return nullptr;
    auto* type = reinterpret_cast<PyObject*>(descr_of(as_array(self)->view.dtype)->typeobj);
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    Ref method(PyObject_GetAttr(type, name));
    if (!method) {
        PyErr_Restore(kind, value, trace);
        return nullptr;
    }
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    if (!PyCallable_Check(method.get())) return scalar_attribute(self, name);
    Ref binding(PyTuple_Pack(2, self, name));
    return binding ? PyCFunction_New(&numpy_method, binding.get()) : nullptr;
}

HS_FAST_METHOD(array_to_numpy) {
    sort_arguments("to_numpy", {}, {0}, args, count, keywords, nullptr);
    Ref source = borrow_numpy(self);
    return PyArray_NewCopy(source.ndarray(), NPY_KEEPORDER);
}

HS_FAST_METHOD(array_protocol) {
    auto found = sort_arguments("__array__", {"dtype", "copy"}, {2}, args, count, keywords);
    bool must_copy = given(found[1]) && flag(found[1], false);
    bool never = given(found[1]) && !must_copy;
    Ref descr;
    DType dtype = as_array(self)->view.dtype;
    bool same = true;
    if (given(found[0])) {
        DType wanted = dtype;
        same = parse_dtype(found[0], wanted, &descr) && wanted == dtype;
    }
    if (!same) {
        if (never) {
            fail(ErrorKind::Value, "Unable to avoid copy while creating an array as requested.");
        }
        Ref source = borrow_numpy(self);
        return PyObject_CallMethod(source.get(), "astype", "O", descr.get());
    }
    if (must_copy) return array_to_numpy(self, nullptr, 0, nullptr);
    if (as_array(self)->is_scalar && !never) return array_to_numpy(self, nullptr, 0, nullptr);
    return export_to_numpy(as_array(self)).release();
}

HS_FAST_METHOD(array_function) {
    auto found = sort_arguments("__array_function__", {"func", "types", "args", "kwargs"}, {4},
                                args, count, keywords);
    for (PyObject* argument : found) {
        if (!argument) fail(ErrorKind::Type, "__array_function__() takes 4 arguments");
    }
    if (!PyTuple_Check(found[2])) fail(ErrorKind::Type, "args must be a tuple.");
    if (!PyDict_Check(found[3])) fail(ErrorKind::Type, "kwargs must be a dict.");
    if (function_handler) {
        PyObject* made = PyObject_Vectorcall(function_handler, found.data(), 4, nullptr);
        // Every other type has refused; so does this one, and NumPy raises the error.
        if (made || !error_says(PyExc_TypeError, "no implementation found for")) return made;
        PyErr_Clear();
        Py_RETURN_NOTIMPLEMENTED;
    }
    Ref name = own(PyObject_GetAttrString(found[0], "__name__"));
    return call_numpy(found[0], found[2], found[3], text_of(name.get()));
}

HS_FAST_METHOD(array_namespace) {
    auto found = sort_arguments("__array_namespace__", {"api_version"}, {0}, args, count, keywords);
    if (given(found[0])) {
        if (!PyUnicode_Check(found[0])) {
            fail(ErrorKind::Value, "Only None and strings are allowed as the Array API version.");
        }
        constexpr std::string_view kKnown[] = {"2021.12", "2022.12", "2023.12", "2024.12"};
        const char* version = text_of(found[0]);
        if (std::ranges::find(kKnown, version) == std::end(kKnown)) {
            fail(ErrorKind::Value, "Version \"", version,
                 "\" of the Array API Standard is not supported.");
        }
    }
    return PyImport_ImportModule("hassium");
}

HS_FAST_METHOD(array_to_device) {
    if (count != 1) fail(ErrorKind::Type, "to_device() takes exactly 1 positional argument");
    auto found = sort_arguments("to_device", {"stream"}, {0}, args + 1, 0, keywords);
    const char* device = text_of(args[0]);
    if (given(found[0])) {
        fail(ErrorKind::Value, "The stream argument in to_device() is not supported");
    }
    if (std::strcmp(device, "cpu") != 0) {
        fail(ErrorKind::Value, "Unsupported device: ", device, ". Only 'cpu' is allowed.");
    }
    return Py_NewRef(self);
}

HS_FAST_METHOD(array_dlpack) {
    const Ref exported = export_to_numpy(as_array(self));
    Ref method = own(PyObject_GetAttrString(exported.get(), "__dlpack__"));
    return PyObject_Vectorcall(method.get(), args, static_cast<std::size_t>(count), keywords);
}

PyObject* array_dlpack_device(PyObject*, PyObject*) {
    constexpr int kCpu = 1;  // DLDeviceType
    return Py_BuildValue("(ii)", kCpu, 0);
}

PyObject* register_array_function(PyObject*, PyObject* handler) {
    Py_XSETREF(function_handler, Py_NewRef(handler));
    Py_RETURN_NONE;
}

// register_methods(of_arrays, of_scalars): adds methods; both map names to functions of (self,
// ...).
PyObject* register_methods(PyObject*, PyObject* args) {
    PyObject *of_arrays, *of_scalars;
    if (!PyArg_ParseTuple(args, "O!O!:register_methods", &PyDict_Type, &of_arrays, &PyDict_Type,
                          &of_scalars)) {
        throw PythonError();
    }
    const std::pair<PyTypeObject*, PyObject*> added[] = {{array_type, of_arrays},
                                                         {scalar_type, of_scalars}};
    for (const auto& [type, methods] : added) {
        check(PyDict_Update(type->tp_dict, methods));
        PyType_Modified(type);
    }
    return Py_NewRef(Py_None);
}

// Sets the metaclass of the array type, which defines attributes of `ndarray` by name, isinstance()
// and derived classes.
PyObject* register_array_class(PyObject*, PyObject* metaclass) {
    auto* type = reinterpret_cast<PyTypeObject*>(metaclass);
    // As PyType_FromMetaclass from Python 3.12 on; the metaclass must not add storage.
    if (!PyType_Check(metaclass) || !PyType_IsSubtype(type, &PyType_Type) ||
        type->tp_basicsize != PyType_Type.tp_basicsize) {
        fail(ErrorKind::Type, "register_array_class() takes a metaclass without slots");
    }
    Py_SET_TYPE(reinterpret_cast<PyObject*>(array_type),
                reinterpret_cast<PyTypeObject*>(Py_NewRef(metaclass)));
    PyType_Modified(array_type);
    return Py_NewRef(Py_None);
}

// isinstance(object, ndarray): true for NumPy's arrays too, as a program may use both.
PyObject* is_any_array(PyObject*, PyObject* object) {
    if (Py_TYPE(object) == array_type) Py_RETURN_TRUE;
    const int is = PyObject_IsInstance(object, reinterpret_cast<PyObject*>(&PyArray_Type));
    return is < 0 ? nullptr : PyBool_FromLong(is);
}

}  // namespace hassium
