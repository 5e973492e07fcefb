// What NumPy itself has to answer: operands that override ufuncs, dtypes that are not native,
// methods without a native form.
#include <algorithm>
#include <cstring>
#include <vector>

#include "bind/array_methods.hpp"
#include "bind/call_sites.hpp"
#include "bind/ufunc_parts.hpp"

namespace hassium {
namespace {

// --- arguments out, results back
// ------------------------------------------------------------------

// Arrays that were handed out, and what they stood for.
struct Exports {
    struct Pair {
        Ref exported, original;
    };
    std::vector<Pair> pairs;
    std::vector<PyObject*> within;  // the containers being looked through: one may hold itself
    bool objects_too = false;       // look behind what has nothing but `__array__`

    Ref add(PyObject* array) {
        Ref exported = own(export_numpy(as_array(array)));
        pairs.push_back({borrow(exported.get()), borrow(array)});
        return exported;
    }
    // The array that `object` is the export of, or null.
    PyObject* original(PyObject* object) const {
        for (const Pair& pair : pairs) {
            if (pair.exported.get() == object) return pair.original.get();
        }
        return nullptr;
    }
    // The array whose export `object` is a view of, or null.
    PyObject* base_of(PyObject* object) const {
        while (object && PyArray_Check(object)) {
            object = PyArray_BASE(reinterpret_cast<PyArrayObject*>(object));
            if (!object) return nullptr;
            if (PyObject* array = original(object)) return array;
        }
        return nullptr;
    }
};

// A result that lies in an exported array is a view of that array's base.
Ref view_of_export(PyObject* object, PyObject* original, DType dtype) {
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    View view;
    view.base = as_array(original)->view.base;
    view.dtype = dtype;
    view.offset = PyArray_BYTES(array) - view.base->data;
    for (int k = 0; k < PyArray_NDIM(array); ++k) {
        view.shape.push_back(PyArray_DIM(array, k));
        view.strides.push_back(PyArray_STRIDE(array, k));
    }
    return own(new_array(std::move(view), parent_for(as_array(original)),
                         as_array(original)->writeable && PyArray_ISWRITEABLE(array)));
}

Ref exported(PyObject* object, Exports& exports);

// The container itself where nothing in it is exchanged: an array of objects keeps what it is
// given, a list too.
Ref exported_dict(PyObject* dict, Exports& exports) {
    Ref result;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        Ref item = exported(value, exports);
        if (item.get() == value) continue;
        if (!result) result = own(PyDict_Copy(dict));
        check(PyDict_SetItem(result.get(), key, item.get()));
    }
    return result ? std::move(result) : borrow(dict);
}

Ref exported_sequence(PyObject* sequence, Exports& exports) {
    const bool tuple = PyTuple_CheckExact(sequence);
    std::vector<Ref> items;  // code of a user's may run in between, and shorten a list
    bool exchanged = false;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(sequence); ++k) {
        const Ref item = borrow(PySequence_Fast_GET_ITEM(sequence, k));
        items.push_back(exported(item.get(), exports));
        exchanged |= items.back().get() != item.get();
    }
    if (!exchanged) return borrow(sequence);
    Ref result = own(tuple ? PyTuple_New(static_cast<Py_ssize_t>(items.size()))
                           : PyList_New(static_cast<Py_ssize_t>(items.size())));
    for (std::size_t k = 0; k < items.size(); ++k) {
        const auto at = static_cast<Py_ssize_t>(k);
        if (tuple) {
            PyTuple_SET_ITEM(result.get(), at, items[k].release());
        } else {
            PyList_SET_ITEM(result.get(), at, items[k].release());
        }
    }
    return result;
}

Ref exported_container(PyObject* object, Exports& exports) {
    auto& within = exports.within;
    if (std::find(within.begin(), within.end(), object) != within.end()) return borrow(object);
    if (Py_EnterRecursiveCall(" while exporting arguments")) throw PythonError();
    struct Level {
        explicit Level(std::vector<PyObject*>& all, PyObject* one) : levels(all) {
            levels.push_back(one);
        }
        ~Level() {
            levels.pop_back();
            Py_LeaveRecursiveCall();
        }
        std::vector<PyObject*>& levels;
    } level(within, object);
    return PyDict_CheckExact(object) ? exported_dict(object, exports)
                                     : exported_sequence(object, exports);
}

// The export of what `__array__` of an object gives where that is an array of ours, which NumPy
// takes for no array; else the object. One that wraps results is still asked to.
Ref exported_object(PyObject* object, Exports& exports) {
    const bool only_data = !PyType_Check(object) && !PyArray_Check(object) &&
                           !PyObject_TypeCheck(object, &PyGenericArrType_Type);
    static PyObject* const method = PyUnicode_InternFromString("__array__");
    if (!only_data || !_PyType_Lookup(Py_TYPE(object), method)) return borrow(object);
    const Ref made = own(PyObject_CallMethodNoArgs(object, method));
    if (!is_array(made.get())) return borrow(object);
    Ref array = exported(made.get(), exports);
    static PyObject* const wraps = PyUnicode_InternFromString("__array_wrap__");
    if (!_PyType_Lookup(Py_TYPE(object), wraps)) return array;
    static PyObject* const kind =
        PyObject_GetAttrString(own(PyImport_ImportModule("hassium.objects")).get(), "Wrapping");
    if (!kind) throw PythonError();
    return own(PyObject_CallFunctionObjArgs(kind, object, array.get(), nullptr));
}

Ref exported(PyObject* object, Exports& exports) {
    if (is_array(object)) {
        // The export of a scalar is a scalar again.
        if (!as_array(object)->is_scalar) return exports.add(object);
        return own(element_at(data_to_read(as_array(object)->view), as_array(object)->view.dtype));
    }
    if (object == reinterpret_cast<PyObject*>(array_type)) {
        return borrow(reinterpret_cast<PyObject*>(&PyArray_Type));
    }
    if (Py_TYPE(object) == ufunc_type) return borrow(as_ufunc(object)->numpy);
    if (PyTuple_CheckExact(object) || PyList_CheckExact(object) || PyDict_CheckExact(object)) {
        return exported_container(object, exports);
    }
    return exports.objects_too ? exported_object(object, exports) : borrow(object);
}

Ref imported(Ref result, const Exports& exports) {
    PyObject* object = result.get();
    if (PyObject* original = exports.original(object)) return borrow(original);
    if (PyArray_CheckExact(object)) {
        DType dtype;
        auto* descr = reinterpret_cast<PyObject*>(PyArray_DESCR(result.ndarray()));
        if (!native_dtype(descr, dtype)) return result;
        if (PyObject* base = exports.base_of(object)) return view_of_export(object, base, dtype);
        // Nobody else holds it: hassium's own from now on. Other memory is shared.
        const bool alone =
            Py_REFCNT(object) == 1 && PyArray_CHKFLAGS(result.ndarray(), NPY_ARRAY_OWNDATA);
        return own(alone ? adopt_numpy(result.release()) : from_numpy(object, false));
    }
    if (PyTuple_Check(object) && PyObject_HasAttrString(object, "_fields")) {
        Ref plain = imported(own(PySequence_Tuple(object)), exports);
        return own(PyObject_CallObject(reinterpret_cast<PyObject*>(Py_TYPE(object)), plain.get()));
    }
    if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
        const bool tuple = PyTuple_CheckExact(object);
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
        Ref copy = own(tuple ? PyTuple_New(count) : PyList_New(count));
        for (Py_ssize_t k = 0; k < count; ++k) {
            Ref item = imported(borrow(PySequence_Fast_GET_ITEM(object, k)), exports);
            if (tuple) {
                PyTuple_SET_ITEM(copy.get(), k, item.release());
            } else {
                PyList_SET_ITEM(copy.get(), k, item.release());
            }
        }
        return copy;
    }
    return result;
}

Ref numpy_callable(Op op, const char* method) {
    if (!method) return borrow(numpy_ufunc(op));
    return own(PyObject_GetAttrString(numpy_ufunc(op), method));
}

// Did NumPy refuse an array of ours that an object's `__array__` gave?
bool refused_ours() {
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) return false;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    const Ref text(PyObject_Str(value));
    const char* found = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (!found) PyErr_Clear();
    const bool refused = found && std::strstr(found, "__array__ method not producing an array");
    PyErr_Restore(type, value, trace);
    return refused;
}

Ref called(PyObject* function, PyObject* args, PyObject* kwargs, Exports& exports) {
    const Ref outgoing = exported_sequence(args, exports);
    const Ref keywords = kwargs ? exported_dict(kwargs, exports) : Ref();
    return Ref(PyObject_Call(function, outgoing.get(), keywords.get()));
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

PyObject* call_numpy(PyObject* function, PyObject* args, PyObject* kwargs, const char* name) {
    return guarded([&] {
        Exports exports;
        if (name) count_fallback(name);
        // These answer False where they are refused, and nobody hears of it.
        exports.objects_too = name && (std::strcmp(name, "array_equal") == 0 ||
                                       std::strcmp(name, "array_equiv") == 0);
        Ref result = called(function, args, kwargs, exports);
        if (!result && refused_ours()) {
            PyErr_Clear();
            exports.objects_too = true;
            result = called(function, args, kwargs, exports);
        }
        return imported(own(result.release()), exports).release();
    });
}

PyObject* call_operator(binaryfunc function, PyObject* a, PyObject* b, const char* name) {
    return guarded([&] {
        Exports exports;
        count_fallback(name);
        const Ref left = exported(a, exports), right = exported(b, exports);
        return imported(own(function(left.get(), right.get())), exports).release();
    });
}

// call_numpy(function, args, kwargs, name): counted as a fallback under `name`, unless that is
// None.
HS_FAST_METHOD(call_on_exports) {
    (void)self;
    return guarded([&] {
        static constexpr const char* kNames[] = {"function", "args", "kwargs", "name"};
        PyObject* found[4];
        sort_arguments("call_numpy", kNames, 4, args, count, keywords, found);
        if (!found[0] || !found[1] || !PyTuple_Check(found[1]) || !found[2] ||
            !PyDict_Check(found[2])) {
            fail(ErrorKind::Type, "call_numpy() takes a function, a tuple and a dict");
        }
        return call_numpy(found[0], found[1], found[2],
                          given(found[3]) ? text_of(found[3]) : nullptr);
    });
}

PyObject* numpy_answers(Op op, const char* method, const RawCall& raw) {
    Ref function = numpy_callable(op, method);
    std::string name(info(op).name);
    if (method) name += std::string(".") + method;
    return by_numpy(function.get(), name.c_str(), raw.args, raw.count, raw.names);
}

}  // namespace hassium
