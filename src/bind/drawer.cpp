// Methods of random generators, called for every draw: a few numbers are drawn by one call into
// NumPy and no Python between.
#include <algorithm>
#include <cstring>

#include "bind/array_methods.hpp"

namespace hassium {
namespace {

// Beyond, `general` draws into memory of the pool.
constexpr long long kFewNumbers = 1 << 16;

// What NumPy's method may be given as it is.
bool is_plain(PyObject* value) {
    return value == Py_None || PyUnicode_CheckExact(value) || PyType_Check(value) ||
           PyArray_DescrCheck(value);
}

// None is one number.
bool is_few(PyObject* size) {
    if (!PyLong_CheckExact(size)) return size == Py_None;
    int overflow = 0;
    return PyLong_AsLongLongAndOverflow(size, &overflow) <= kFewNumbers && !overflow;
}

bool draws_few(PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    if (count > 0 && !(is_few(args[0]) && std::all_of(args + 1, args + count, is_plain))) {
        return false;
    }
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
        const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, k));
        if (!name) throw PythonError();
        PyObject* value = args[count + k];
        if (!(std::strcmp(name, "size") == 0 ? is_few(value) : is_plain(value))) return false;
    }
    return true;
}

// `binding` is (method of NumPy's generator, general): calls for one number or a small size are the
// method's; all others the general one's.
PyObject* draw(PyObject* binding, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    return guarded([&] {
        const bool few = draws_few(args, count, keywords);
        PyObject* function = PyTuple_GET_ITEM(binding, few ? 0 : 1);
        Ref drawn =
            own(PyObject_Vectorcall(function, args, static_cast<std::size_t>(count), keywords));
        if (!few || !PyArray_CheckExact(drawn.get())) return drawn.release();
        return adopt_numpy(drawn.release());
    });
}

PyMethodDef draw_definition = {"draw", method_of(draw), kFast, nullptr};

}  // namespace

PyObject* make_drawer(PyObject*, PyObject* args) {
    PyObject *method, *general;
    if (!PyArg_ParseTuple(args, "OO:drawer", &method, &general)) return nullptr;
    return PyCFunction_New(&draw_definition, args);
}

}  // namespace hassium
