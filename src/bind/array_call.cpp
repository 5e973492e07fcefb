#include "bind/array_call.hpp"

#include <cstring>

namespace hassium {

void sort_arguments(const char* function, std::span<const char* const> names,
                    std::size_t keyword_only, PyObject* const* args, Py_ssize_t count,
                    PyObject* keywords, PyObject** found) {
    std::fill_n(found, names.size(), nullptr);
    auto positional = static_cast<std::size_t>(count);
    if (positional > keyword_only) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zu positional arguments (%zu given)",
                     function, keyword_only, positional);
        throw PythonError();
    }
    std::copy_n(args, positional, found);
    Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
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
        if (found[at]) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", function,
                         word);
            throw PythonError();
        }
        found[at] = args[count + k];
    }
    static PyObject* no_value = numpy_attribute("_NoValue");
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (found[k] == no_value) found[k] = nullptr;
    }
}

}  // namespace hassium
