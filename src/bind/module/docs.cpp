// Takes docstrings and signatures from NumPy for the methods, attributes and functions that it has
// too.
#include <list>
#include <string>

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

constexpr char kNative[] = "\n\nhassium: native.\n";

// Returns NumPy's docstring with a line about our function appended; it is never freed, as tables
// point to it.
const char* documented(const char* text) {
    if (!text) return nullptr;
    static std::list<std::string>* const texts = new std::list<std::string>;
    return texts->emplace_back(std::string(text) + kNative).c_str();
}

}  // namespace

PyObject* documented(PyObject* text) {
    return PyUnicode_Check(text) ? PyUnicode_FromFormat("%U%s", text, kNative) : Py_NewRef(text);
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
