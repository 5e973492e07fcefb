#include "bind/array_call.hpp"

#include <cstring>

#include "bind/ufunc.hpp"

namespace hassium {

void sort_arguments(const char* function, std::span<const char* const> names,
                    std::size_t keyword_only, PyObject* const* args, Py_ssize_t count,
                    PyObject* keywords, PyObject** found) {
    static PyObject* const no_value = numpy_attribute("_NoValue");
    auto positional = static_cast<std::size_t>(count);
    if (positional > keyword_only) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zu positional arguments (%zu given)",
                     function, keyword_only, positional);
        throw PythonError();
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
        found[k] = k < positional && args[k] != no_value ? args[k] : nullptr;
    }
    if (!keywords) return;
    Py_ssize_t named = PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t k = 0; k < named; ++k) {
        const char* word = PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, k));
        if (!word) throw PythonError();
        std::size_t at = 0;
        while (at < names.size() && std::strcmp(names[at], word) != 0) ++at;
        if (at == names.size()) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", function,
                         word);
            throw PythonError();
        }
        if (found[at] || at < positional) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", function,
                         word);
            throw PythonError();
        }
        PyObject* value = args[count + k];
        found[at] = value == no_value ? nullptr : value;
    }
}

PyObject* by_numpy(const char* name, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    Ref positional = own(PyTuple_New(count));
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyTuple_SET_ITEM(positional.get(), k, Py_NewRef(args[k]));
    }
    Ref named;
    if (keywords) {
        named = own(PyDict_New());
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k) {
            check(PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, k), args[count + k]));
        }
    }
    return call_numpy(numpy_attribute(name), positional.get(), named.get(), name);
}

Casting parse_casting(PyObject* word) {
    static constexpr const char* kWords[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    if (!PyUnicode_Check(word)) {
        fail(ErrorKind::Type, "casting must be str, not " + std::string(Py_TYPE(word)->tp_name));
    }
    for (int k = 0; k < 5; ++k) {
        if (PyUnicode_CompareWithASCIIString(word, kWords[k]) == 0) return static_cast<Casting>(k);
    }
    throw UserError(ErrorKind::Value,
                    "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '" +
                        std::string(PyUnicode_AsUTF8(word)) + "')");
}

}  // namespace hassium
