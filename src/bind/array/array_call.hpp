// Argument parsing for functions with the vectorcall protocol.
#pragma once

#include <array>
#include <span>

#include "bind/array/array_parts.hpp"

namespace hassium {

// Throws TypeError if any keywords are given.
void refuse_keywords(const char* method, PyObject* keywords);

// The number of parameters that may be positional, and of those that must be given.
struct Positional {
    std::size_t most, required = 0;
};
// Sets the given ones of `found`, all null before.
void sort_arguments(const char* function, std::span<const char* const> names, Positional positional,
                    PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** found);
// Returns the arguments in the order of `names`; a missing one or numpy._NoValue is null. Throws
// TypeError with Python's wording.
template <std::size_t N>
std::array<PyObject*, N> sort_arguments(const char* function, const char* const (&names)[N],
                                        Positional positional, PyObject* const* args,
                                        Py_ssize_t count, PyObject* keywords) {
    std::array<PyObject*, N> found = {};
    sort_arguments(function, names, positional, args, count, keywords, found.data());
    return found;
}

// Calls NumPy's function `name` and counts a fallback: for dtypes that are not native, `like=`, and
// objects that override functions.
PyObject* by_numpy(const char* name, PyObject* const* args, Py_ssize_t count, PyObject* keywords);
// The same for any function, counted as `name` unless that is null.
PyObject* by_numpy(PyObject* function, const char* name, PyObject* const* args, Py_ssize_t count,
                   PyObject* keywords);
// Returns whether the Python error that is set is of type `kind` and contains `text`.
bool error_says(PyObject* kind, const char* text);
// Calls a function of another package with NumPy's views of our arrays, also inside lists, tuples
// and dicts. A result that is such a view is returned as our array, any other unchanged.
PyObject* on_exports(PyObject* function, PyObject* const* args, Py_ssize_t count,
                     PyObject* keywords);
// Returns whether `object` is a generator of hassium.random.
bool is_generator(PyObject* object);
// Parses a `casting=` argument; throws NumPy's errors.
Casting parse_casting(PyObject* word);
// Throws TypeError: array data of dtype `from` cannot be cast to `to` by this rule.
[[noreturn]] void fail_cast(DType from, DType to, Casting casting);

// Calls `function` by vectorcall with `first` before the arguments.
PyObject* call_with(PyObject* function, PyObject* first, PyObject* const* args, Py_ssize_t count,
                    PyObject* keywords);

// Parses a flag that NumPy parses as an integer, such as `keepdims`; null gives `fallback`.
bool integer_flag(PyObject* argument, bool fallback);

inline bool given(PyObject* argument) { return argument && argument != Py_None; }
inline bool flag(PyObject* argument, bool fallback) {
    if (!argument) return fallback;
    int value = PyObject_IsTrue(argument);
    check(value);
    return value != 0;
}

}  // namespace hassium
