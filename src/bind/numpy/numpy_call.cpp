// Calls NumPy's functions with our arrays: exports the arguments and imports the results.
//
// Arguments are passed by vectorcall: a tuple and a dict cost as much as many of NumPy's functions
// on a small array.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/small_vec.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/module/call_sites.hpp"
#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {
namespace {

// A vector of owned references.
struct Owned : SmallVec<PyObject*, 8> {
    Owned() = default;
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        for (PyObject* object : *this) Py_XDECREF(object);
    }
};

// The exports of one call.
struct Exports {
    SmallVec<PyObject*, 4> exported;  // owned
    SmallVec<PyObject*, 4> within;    // the containers being searched: one may contain itself
    bool objects_too = false;         // replace objects whose `__array__` returns our array
    bool generators_too = false;      // replace generators of hassium.random by NumPy's

    Exports() = default;
    Exports(const Exports&) = delete;
    Exports& operator=(const Exports&) = delete;
    ~Exports() {
        for (PyObject* numpys : exported) end_loan(Ref(numpys));
    }
    Ref add(PyObject* array) {
        Ref numpys = export_to_numpy(as_array(array));
        exported.push_back(Ref(numpys).release());
        return numpys;
    }
};

Ref exported(PyObject* object, Exports& exports);

// Returns whether the elements are numbers and texts of Python's, as those of most long lists.
bool holds_plain_values(PyObject* sequence) {
    PyObject** const items = PySequence_Fast_ITEMS(sequence);
    return std::all_of(items, items + PySequence_Fast_GET_SIZE(sequence), [](PyObject* item) {
        const PyTypeObject* type = Py_TYPE(item);
        return type == &PyFloat_Type || type == &PyLong_Type || type == &PyUnicode_Type ||
               type == &PyBool_Type || type == &PyComplex_Type;
    });
}

// Returns the container itself if nothing in it is replaced: object arrays and lists keep the
// object that they are given.
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
    if (holds_plain_values(sequence)) return borrow(sequence);
    const bool tuple = PyTuple_CheckExact(sequence);
    Owned items;  // user code may run in between and shorten a list
    bool exchanged = false;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(sequence); ++k) {
        const Ref item = borrow(PySequence_Fast_GET_ITEM(sequence, k));
        items.push_back(exported(item.get(), exports).release());
        exchanged |= items.back() != item.get();
    }
    if (!exchanged) return borrow(sequence);
    Ref result = own(tuple ? PyTuple_New(static_cast<Py_ssize_t>(items.size()))
                           : PyList_New(static_cast<Py_ssize_t>(items.size())));
    for (std::size_t k = 0; k < items.size(); ++k) {
        const auto at = static_cast<Py_ssize_t>(k);
        if (tuple) {
            PyTuple_SET_ITEM(result.get(), at, std::exchange(items[k], nullptr));
        } else {
            PyList_SET_ITEM(result.get(), at, std::exchange(items[k], nullptr));
        }
    }
    return result;
}

Ref exported_container(PyObject* object, Exports& exports) {
    auto& within = exports.within;
    if (std::find(within.begin(), within.end(), object) != within.end()) return borrow(object);
    if (Py_EnterRecursiveCall(" while exporting arguments")) throw PythonError();
    struct Level {
        explicit Level(SmallVec<PyObject*, 4>& all, PyObject* one) : levels(all) {
            levels.push_back(one);
        }
        ~Level() {
            levels.pop_back();
            Py_LeaveRecursiveCall();
        }
        SmallVec<PyObject*, 4>& levels;
    } level(within, object);
    return PyDict_CheckExact(object) ? exported_dict(object, exports)
                                     : exported_sequence(object, exports);
}

// Returns the export of our array if the object's `__array__` returns one, which NumPy would
// refuse; else the object. If the object has `__array_wrap__`, the export is wrapped so that NumPy
// calls it.
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
    PyObject* kind = made_once([] {
        const Ref module = own(PyImport_ImportModule("hassium.functions.objects"));
        return PyObject_GetAttrString(module.get(), "Wrapping");
    });
    return own(PyObject_CallFunctionObjArgs(kind, object, array.get(), nullptr));
}

Ref exported(PyObject* object, Exports& exports) {
    if (is_array(object)) {
        // A lazy scalar is exported as NumPy's scalar.
        if (!as_array(object)->is_scalar) return exports.add(object);
        return own(element_at(data_to_read(as_array(object)->view), as_array(object)->view.dtype));
    }
    if (object == reinterpret_cast<PyObject*>(array_type)) {
        return borrow(reinterpret_cast<PyObject*>(&PyArray_Type));
    }
    if (Py_TYPE(object) == ufunc_type) return borrow(as_ufunc(object)->numpy);
    if (exports.generators_too && is_generator(object)) {
        return own(PyObject_GetAttrString(object, "_numpys"));
    }
    if (PyTuple_CheckExact(object) || PyList_CheckExact(object) || PyDict_CheckExact(object)) {
        return exported_container(object, exports);
    }
    return exports.objects_too ? exported_object(object, exports) : borrow(object);
}

// Returns whether it is a named tuple, of which a copy is built as by its `_make`.
bool is_named_tuple(PyObject* object) {
    static PyObject* const fields = PyUnicode_InternFromString("_fields");
    return PyTuple_Check(object) && _PyType_Lookup(Py_TYPE(object), fields);
}

// Returns an element of a tuple or list; moves it out if the sequence has no other reference.
Ref element_of(PyObject* sequence, Py_ssize_t at) {
    PyObject*& place = PySequence_Fast_ITEMS(sequence)[at];
    return Py_REFCNT(sequence) == 1 ? Ref(std::exchange(place, Py_NewRef(Py_None))) : borrow(place);
}

// Converts a result, also in tuples and lists: a NumPy array of a native dtype becomes our array.
// One on our memory becomes a view of it, or the array that was exported.
Ref imported(Ref result) {
    PyObject* object = result.get();
    if (PyArray_CheckExact(object)) {
        DType dtype;
        if (!native_dtype(result.ndarray(), dtype)) return result;
        // hassium takes over memory that nothing else references and shares other memory.
        const bool alone = Py_REFCNT(object) == 1;
        const bool owns = PyArray_CHKFLAGS(result.ndarray(), NPY_ARRAY_OWNDATA);
        return alone && owns ? adopt_numpy(std::move(result))
                             : view_of_numpy(result.ndarray(), alone);
    }
    const bool tuple = PyTuple_CheckExact(object) || is_named_tuple(object);
    if (tuple || PyList_CheckExact(object)) {
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
        Ref copy = own(PyTuple_CheckExact(object) ? PyTuple_New(count)
                       : tuple ? Py_TYPE(object)->tp_alloc(Py_TYPE(object), count)
                               : PyList_New(count));
        for (Py_ssize_t k = 0; k < count; ++k) {
            Ref item = imported(element_of(object, k));
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

// Returns whether the result is the only array that was passed as `out=`.
bool is_output(PyObject* result, PyObject* const* keyword_values, PyObject* keywords) {
    const Py_ssize_t count = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, k), "out") != 0) continue;
        PyObject* out = keyword_values[k];
        const bool wrapped = PyTuple_CheckExact(out) && PyTuple_GET_SIZE(out) == 1;
        return result == (wrapped ? PyTuple_GET_ITEM(out, 0) : out);
    }
    return false;
}

// Returns whether NumPy refused our array as the result of an object's `__array__`.
bool refused_ours() {
    return error_says(PyExc_ValueError, "__array__ method not producing an array");
}

// Calls `function` with the exports of the arguments: `count` positional ones, then the keywords'
// values. Null with an error set.
Ref called(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* keywords,
           Exports& exports) {
    const Py_ssize_t all = count + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
    Owned stack;
    stack.push_back(nullptr);  // a bound method puts its `self` here
    for (Py_ssize_t k = 0; k < all; ++k) stack.push_back(exported(args[k], exports).release());
    return Ref(PyObject_Vectorcall(function, stack.data() + 1,
                                   static_cast<std::size_t>(count) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                   keywords));
}

}  // namespace

bool error_says(PyObject* kind, const char* text) {
    if (!PyErr_ExceptionMatches(kind)) return false;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    const Ref message(PyObject_Str(value));
    const char* found = message ? PyUnicode_AsUTF8(message.get()) : nullptr;
    if (!found) PyErr_Clear();
    const bool says = found && std::strstr(found, text);
    PyErr_Restore(type, value, trace);
    return says;
}

PyObject* by_numpy(PyObject* function, const char* name, PyObject* const* args, Py_ssize_t count,
                   PyObject* keywords) {
    Exports exports;
    if (name) count_fallback(name);
    // These return False where NumPy refuses an argument, and raise nothing.
    exports.objects_too =
        name && (std::strcmp(name, "array_equal") == 0 || std::strcmp(name, "array_equiv") == 0);
    Ref result = called(function, args, count, keywords, exports);
    if (!result && refused_ours()) {
        PyErr_Clear();
        exports.objects_too = true;
        result = called(function, args, count, keywords, exports);
    }
    if (result && is_output(result.get(), args + count, keywords)) return result.release();
    return imported(own(result.release())).release();
}

PyObject* on_exports(PyObject* function, PyObject* const* args, Py_ssize_t count,
                     PyObject* keywords) {
    Exports exports;
    exports.generators_too = true;
    Ref result = own(called(function, args, count, keywords, exports).release());
    const auto& arrays = exports.exported;
    const bool handed_out = std::find(arrays.begin(), arrays.end(), result.get()) != arrays.end();
    return (handed_out ? imported(std::move(result)) : std::move(result)).release();
}

PyObject* call_numpy(PyObject* function, PyObject* args, PyObject* kwargs, const char* name) {
    const Py_ssize_t count = PyTuple_GET_SIZE(args), named = kwargs ? PyDict_GET_SIZE(kwargs) : 0;
    if (named == 0) return by_numpy(function, name, &PyTuple_GET_ITEM(args, 0), count, nullptr);
    Owned all;
    for (Py_ssize_t k = 0; k < count; ++k) all.push_back(Py_NewRef(PyTuple_GET_ITEM(args, k)));
    const Ref keywords = own(PyTuple_New(named));
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0, k = 0; PyDict_Next(kwargs, &at, &key, &value); ++k) {
        if (!PyUnicode_Check(key)) fail(ErrorKind::Type, "keywords must be strings");
        PyTuple_SET_ITEM(keywords.get(), k, Py_NewRef(key));
        all.push_back(Py_NewRef(value));
    }
    return by_numpy(function, name, all.data(), count, keywords.get());
}

PyObject* call_operator(binaryfunc function, PyObject* a, PyObject* b, const char* name) {
    return guarded([&] {
        Exports exports;
        count_fallback(name);
        const Ref left = exported(a, exports), right = exported(b, exports);
        return imported(own(function(left.get(), right.get()))).release();
    });
}

// call_numpy(function, args, kwargs, name): counts a fallback under `name`, unless that is None.
HS_FAST_METHOD(call_on_exports) {
    auto found = sort_arguments("call_numpy", {"function", "args", "kwargs", "name"}, {4}, args,
                                count, keywords);
    if (!found[0] || !found[1] || !PyTuple_Check(found[1]) || !found[2] ||
        !PyDict_Check(found[2])) {
        fail(ErrorKind::Type, "call_numpy() takes a function, a tuple and a dict");
    }
    return call_numpy(found[0], found[1], found[2], given(found[3]) ? text_of(found[3]) : nullptr);
}

}  // namespace hassium
