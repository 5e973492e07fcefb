// Methods of random generators, called for every draw. Few numbers are drawn by one call of NumPy
// with no Python code in between.
#include <algorithm>
#include <cstring>

#include "bind/array/array_methods.hpp"

namespace hassium {
namespace {

// Returns whether an argument can be passed to NumPy's method unchanged.
bool is_plain(PyObject* value) {
    return value == Py_None || PyUnicode_CheckExact(value) || PyType_Check(value) ||
           PyArray_DescrCheck(value);
}

// Returns whether the extents are a valid size of at least `most` numbers; None is one number.
bool is_many(PyObject* const* extents, Py_ssize_t count, long long most) {
    long long numbers = 1;
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (!PyLong_CheckExact(extents[k])) return false;
        int overflow = 0;
        const long long extent = PyLong_AsLongLongAndOverflow(extents[k], &overflow);
        if (overflow != 0 || extent <= 0) return false;
        // An overflow fits no memory: NumPy raises the error.
        if (__builtin_mul_overflow(numbers, extent, &numbers)) return false;
    }
    return numbers >= most;
}

bool is_many(PyObject* size, long long most) {
    if (!PyTuple_CheckExact(size)) return is_many(&size, 1, most);
    return is_many(&PyTuple_GET_ITEM(size, 0), PyTuple_GET_SIZE(size), most);
}

// Returns whether NumPy's method draws this size: None, or ints of fewer than `most` numbers.
bool is_few(PyObject* size, long long most) {
    if (PyTuple_CheckExact(size)) {
        PyObject* const* const extents = &PyTuple_GET_ITEM(size, 0);
        const bool plain = std::all_of(extents, extents + PyTuple_GET_SIZE(size),
                                       [](PyObject* extent) { return PyLong_CheckExact(extent); });
        return plain && !is_many(size, most);
    }
    if (!PyLong_CheckExact(size)) return size == Py_None;
    int overflow = 0;
    return PyLong_AsLongLongAndOverflow(size, &overflow) < most && overflow == 0;
}

bool draws_few(PyObject* const* args, Py_ssize_t count, PyObject* keywords, long long most) {
    if (count > 0 && !(is_few(args[0], most) && std::all_of(args + 1, args + count, is_plain))) {
        return false;
    }
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
        const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, k));
        if (!name) throw PythonError();
        PyObject* value = args[count + k];
        if (!(std::strcmp(name, "size") == 0 ? is_few(value, most) : is_plain(value))) return false;
    }
    return true;
}

// `binding` is (general, most, method of NumPy's generator): the method draws one number or a small
// size, the general function everything else.
PyObject* draw(PyObject* binding, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    const long long most = PyLong_AsLongLong(PyTuple_GET_ITEM(binding, 1));
    const bool few = draws_few(args, count, keywords, most);
    PyObject* function = PyTuple_GET_ITEM(binding, few ? 2 : 0);
    Ref drawn = own(PyObject_Vectorcall(function, args, static_cast<std::size_t>(count), keywords));
    if (!few || !PyArray_CheckExact(drawn.get())) return drawn.release();
    return adopt_numpy(std::move(drawn)).release();
}

// `binding` is (unbound method, native, at, most), called with a generator and its arguments. The
// size is argument `at`, or all arguments if `at` is negative. The native function draws many
// numbers, unless it returns None.
PyObject* choose(PyObject* binding, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    const Py_ssize_t at = PyLong_AsSsize_t(PyTuple_GET_ITEM(binding, 2)) + 1;
    const long long most = PyLong_AsLongLong(PyTuple_GET_ITEM(binding, 3));
    const auto given = static_cast<std::size_t>(count);
    bool many =
        at == 0 ? is_many(args + 1, count - 1, most) : at < count && is_many(args[at], most);
    for (Py_ssize_t k = 0; !many && keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
        const char* name = text_of(PyTuple_GET_ITEM(keywords, k));
        many = std::strcmp(name, "size") == 0 && is_many(args[count + k], most);
    }
    if (many) {
        PyObject* native = PyTuple_GET_ITEM(binding, 1);
        Ref drawn = own(PyObject_Vectorcall(native, args, given, keywords));
        if (drawn.get() != Py_None) return drawn.release();
    }
    return PyObject_Vectorcall(PyTuple_GET_ITEM(binding, 0), args, given, keywords);
}

// `binding` is (unbound method, stand-in, generator, name). Called with the stand-in as the first
// argument, it calls the method with the generator; any other object, such as a copy of the
// stand-in, has its method `name` called.
PyObject* draw_for(PyObject* binding, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    if (count == 0) fail(ErrorKind::Type, "a draw takes a generator");
    if (args[0] != PyTuple_GET_ITEM(binding, 1)) {
        return PyObject_VectorcallMethod(PyTuple_GET_ITEM(binding, 3), args,
                                         static_cast<std::size_t>(count), keywords);
    }
    return call_with(PyTuple_GET_ITEM(binding, 0), PyTuple_GET_ITEM(binding, 2), args + 1,
                     count - 1, keywords);
}

PyMethodDef draw_for_definition = method<draw_for>("draw_for");
PyMethodDef choose_definition = method<choose>("choose");
// One for each name, as a bound method is pickled as the attribute of that name.
PyMethodDef draw_definitions[] = {
    method<draw>("random"),
    method<draw>("standard_normal"),
    method<draw>("standard_exponential"),
};

}  // namespace

PyObject* make_sampler(PyObject*, PyObject* args) {
    const char* name;
    PyObject* binding;
    if (!PyArg_ParseTuple(args, "sO!:sampler", &name, &PyTuple_Type, &binding)) return nullptr;
    for (PyMethodDef& definition : draw_definitions) {
        if (std::strcmp(definition.ml_name, name) == 0) {
            return PyCFunction_New(&definition, binding);
        }
    }
    return PyErr_Format(PyExc_ValueError, "no method %s draws into memory that is there", name);
}

PyObject* make_chooser(PyObject*, PyObject* args) {
    PyObject *unbound, *native;
    Py_ssize_t at;
    long long most;
    if (!PyArg_ParseTuple(args, "OOnL:chooser", &unbound, &native, &at, &most)) return nullptr;
    return PyCFunction_New(&choose_definition, args);
}

PyObject* make_stand_in(PyObject*, PyObject* args) {
    PyObject *unbound, *stand_in, *generator, *name;
    if (!PyArg_ParseTuple(args, "OOOU:stand_in", &unbound, &stand_in, &generator, &name)) {
        return nullptr;
    }
    return PyCFunction_New(&draw_for_definition, args);
}

}  // namespace hassium
