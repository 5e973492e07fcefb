#include "bind/array/array_call.hpp"

#include "bind/ufunc/ufunc.hpp"

namespace hassium {

void refuse_keywords(const char* method, PyObject* keywords) {
    if (!keywords || PyTuple_GET_SIZE(keywords) == 0) return;
    PyErr_Format(PyExc_TypeError, "ndarray.%s() takes no keyword arguments", method);
    throw PythonError();
}

void sort_arguments(const char* function, std::span<const char* const> names, Positional positional,
                    PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** found) {
    PyObject* no_value = made_once([] { return Py_NewRef(numpy_attribute("_NoValue")); });
    const auto given = static_cast<std::size_t>(count);
    if (given > positional.most) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zu positional arguments (%zu given)",
                     function, positional.most, given);
        throw PythonError();
    }
    for (std::size_t k = 0; k < given; ++k) {
        if (args[k] != no_value) found[k] = args[k];
    }
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
        PyObject* word = PyTuple_GET_ITEM(keywords, k);
        std::size_t at = 0;
        while (at < names.size() && PyUnicode_CompareWithASCIIString(word, names[at]) != 0) ++at;
        const bool known = at < names.size();
        if (!known || found[at] || at < given) {
            PyErr_Format(PyExc_TypeError,
                         known ? "%s() got multiple values for argument '%U'"
                               : "%s() got an unexpected keyword argument '%U'",
                         function, word);
            throw PythonError();
        }
        PyObject* value = args[count + k];
        found[at] = value == no_value ? nullptr : value;
    }
    for (std::size_t k = 0; k < positional.required; ++k) {
        if (found[k]) continue;
        PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos %zu)", function,
                     names[k], k);
        throw PythonError();
    }
}

PyObject* call_with(PyObject* function, PyObject* first, PyObject* const* args, Py_ssize_t count,
                    PyObject* keywords) {
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    SmallVec<PyObject*, 8> all = {first};
    for (Py_ssize_t k = 0; k < count + named; ++k) all.push_back(args[k]);
    return PyObject_Vectorcall(function, all.data(), static_cast<std::size_t>(count) + 1, keywords);
}

PyObject* by_numpy(const char* name, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    return by_numpy(numpy_attribute(name), name, args, count, keywords);
}

bool integer_flag(PyObject* argument, bool fallback) {
    if (!argument) return fallback;
    if (PyBool_Check(argument)) return argument == Py_True;
    if (PyFloat_Check(argument)) fail(ErrorKind::Type, "integer argument expected, got float");
    return checked(PyLong_AsLong(argument)) != 0;
}

Casting parse_casting(PyObject* word) {
    if (!PyUnicode_Check(word)) {
        fail(ErrorKind::Type, "casting must be str, not ", Py_TYPE(word)->tp_name);
    }
    if (const std::optional<Casting> casting = find_casting(text_of(word))) return *casting;
    fail(ErrorKind::Value,
         "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '",
         text_of(word), "')");
}

void fail_cast(DType from, DType to, Casting casting) {
    fail(ErrorKind::Type, "Cannot cast array data from dtype('", info(from).name, "') to dtype('",
         info(to).name, "') according to the rule '", casting_name(casting), "'");
}

}  // namespace hassium
