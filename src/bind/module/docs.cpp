// Takes docstrings and signatures from NumPy for the methods, attributes and functions that it has
// too.
#include <algorithm>
#include <list>
#include <string>
#include <string_view>

#include "bind/array/array_parts.hpp"

namespace hassium {
namespace {

// Returns the docstring as in a PyMethodDef, with the text of the signature. The tables of NumPy's
// module live as long as the process.
const char* text_in_table(PyObject* function) {
    if (PyCFunction_Check(function)) {
        return reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_doc;
    }
    if (Py_IS_TYPE(function, &PyMethodDescr_Type)) {
        return reinterpret_cast<PyMethodDescrObject*>(function)->d_method->ml_doc;
    }
    const Ref behind{PyObject_GetAttrString(function, "_implementation")};  // of a dispatcher
    if (!behind) PyErr_Clear();
    return behind && PyCFunction_Check(behind.get()) ? text_in_table(behind.get()) : nullptr;
}

// Returns the docstring of an attribute of NumPy's type, whose table lives as long as the process.
const char* text_in_table_of(PyObject* attribute) {
    if (!Py_IS_TYPE(attribute, &PyGetSetDescr_Type)) return nullptr;
    return reinterpret_cast<PyGetSetDescrObject*>(attribute)->d_getset->doc;
}

// Returns the number of spaces before all lines but the first: some versions of NumPy indent the
// docstrings of compiled functions, others do not.
std::size_t indent_of(std::string_view text) {
    std::size_t least = std::string_view::npos;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos;) {
        const std::size_t begin = end + 1, word = text.find_first_not_of(' ', begin);
        end = text.find('\n', begin);
        if (word < end) least = std::min(least, word - begin);
    }
    return least == std::string_view::npos ? 0 : least;
}

// Returns NumPy's docstring with a line about our function appended.
std::string with_line(std::string_view text) {
    return std::string(text) + "\n\n" + std::string(indent_of(text), ' ') + "hassium: native.\n";
}

// The same for a table, which points to it: it is never freed.
const char* documented(const char* text) {
    if (!text) return nullptr;
    static std::list<std::string>* const texts = new std::list<std::string>;
    return texts->emplace_back(with_line(text)).c_str();
}

}  // namespace

PyObject* documented(PyObject* text) {
    if (!PyUnicode_Check(text)) return Py_NewRef(text);
    return PyUnicode_FromString(with_line(text_of(text)).c_str());
}

void document(PyMethodDef* table, PyObject* owner) {
    for (PyMethodDef* method = table; method->ml_name; ++method) {
        if (method->ml_doc) continue;
        const Ref found{PyObject_GetAttrString(owner, method->ml_name)};
        if (!found) PyErr_Clear();  // NumPy has no such name
        if (found) method->ml_doc = documented(text_in_table(found.get()));
    }
}

void document(PyGetSetDef* table, PyObject* owner) {
    for (PyGetSetDef* attribute = table; attribute->name; ++attribute) {
        if (attribute->doc) continue;
        const Ref found{PyObject_GetAttrString(owner, attribute->name)};
        if (!found) PyErr_Clear();
        if (found) attribute->doc = text_in_table_of(found.get());
    }
}

}  // namespace hassium
