// Methods of random generators, called for every draw: a few numbers are drawn by one call into
// NumPy and no Python between.
#include <algorithm>

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

bool draws_few(PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    if (count < 1 || !PyLong_CheckExact(args[0])) return false;
    int overflow = 0;
    if (PyLong_AsLongLongAndOverflow(args[0], &overflow) > kFewNumbers || overflow) return false;
    const Py_ssize_t all = count + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
    return std::all_of(args + 1, args + all, is_plain);
}

// `binding` is (method of NumPy's generator, general): calls whose first argument is a small size
// are the method's; all others the general one's.
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
