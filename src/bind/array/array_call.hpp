// Arguments of methods called by the vector protocol.
#pragma once

#include <array>
#include <span>

#include "bind/array/array_parts.hpp"

namespace hassium {

// TypeError where keywords are given to a method that takes none.
void refuse_keywords(const char* method, PyObject* keywords);

// How many parameters of a function may be positional, and how many must be given.
struct Positional {
    std::size_t most, required = 0;
};
void sort_arguments(const char* function, std::span<const char* const> names, Positional positional,
                    PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** found);
// Positional and keyword arguments in the order of `names`; what is missing, or numpy._NoValue, is
// null. TypeError as Python words it.
template <std::size_t N>
std::array<PyObject*, N> sort_arguments(const char* function, const char* const (&names)[N],
                                        Positional positional, PyObject* const* args,
                                        Py_ssize_t count, PyObject* keywords) {
    std::array<PyObject*, N> found;
    sort_arguments(function, names, positional, args, count, keywords, found.data());
    return found;
}

// NumPy's function of that name makes it, counted: dtypes that are not native, `like=`, objects
// that override functions.
PyObject* by_numpy(const char* name, PyObject* const* args, Py_ssize_t count, PyObject* keywords);
// Any function of NumPy's, counted as `name` unless that is null.
PyObject* by_numpy(PyObject* function, const char* name, PyObject* const* args, Py_ssize_t count,
                   PyObject* keywords);
// Whether the error that is set is of that kind, with that text in its message.
bool error_says(PyObject* kind, const char* text);
// A function of another package with NumPy's views of our arrays, also inside lists, tuples and
// dicts; a result that is such a view comes back as the array, any other result as it is.
PyObject* on_exports(PyObject* function, PyObject* const* args, Py_ssize_t count,
                     PyObject* keywords);
// Whether it is a generator of hassium.random, which draws arrays of ours.
bool is_generator(PyObject* object);
// A `casting=` word; throws NumPy's errors.
Casting parse_casting(PyObject* word);
// TypeError: array data of dtype `from` may not become `to` under this rule.
[[noreturn]] void fail_cast(DType from, DType to, Casting casting);

// Calls by vector with `first` before the arguments.
PyObject* call_with(PyObject* function, PyObject* first, PyObject* const* args, Py_ssize_t count,
                    PyObject* keywords);

// A flag that is an integer to NumPy, as `keepdims` and `refcheck` are; null is `fallback`.
bool integer_flag(PyObject* argument, bool fallback);

inline bool given(PyObject* argument) { return argument && argument != Py_None; }
inline bool flag(PyObject* argument, bool fallback) {
    if (!argument) return fallback;
    int value = PyObject_IsTrue(argument);
    check(value);
    return value != 0;
}

}  // namespace hassium
