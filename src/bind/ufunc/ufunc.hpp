// NumPy's ufuncs over the op table: the Python type, and the functions that number slots and array
// methods call. One topic a file:
//   ufunc_type.cpp    the objects, their attributes and keywords
//   ufunc_call.cpp    operands to a recorded operation: dtypes, shapes, out=, where=
//   ufunc_reduce.cpp  reduce;  ufunc_accumulate.cpp, ufunc_at.cpp, ufunc_reduceat.cpp
//   ufunc_methods.cpp the methods of ufunc objects, outer, ndarray.__array_ufunc__
//   ufunc_matrix.cpp  matmul and the other opaque rows
//   ufunc_numpy.cpp   calls that NumPy must answer;  numpy/numpy_call.cpp  how it is called
#pragma once

#include <Python.h>

#include "bind/array/array.hpp"

namespace hassium {

extern PyTypeObject* ufunc_type;  // hassium.ufunc's instances

// Creates the type, and an object for each row with a ufunc and for its aliases, and adds them to
// the module's `ufuncs` dictionary. Returns false with a Python error set.
bool init_ufunc(PyObject* module);
// Returns the ufunc object of a row, borrowed.
PyObject* ufunc_object(Op op);

// The number slots. Return a new reference; null with a Python error set. The slot has already
// deferred to operands that answer themselves. `of_numbers`: both operands are numbers.
PyObject* ufunc_binary(Op op, PyObject* a, PyObject* b, bool of_numbers = false);
PyObject* ufunc_inplace(Op op, PyObject* self, PyObject* other);  // returns self
PyObject* ufunc_unary(Op op, PyObject* a);
// The rows of Python's comparisons, from Py_LT to Py_GE.
constexpr Op kComparisons[] = {
#define HS_COMPARISON(row) Op::row,
#include "ops/operators.def"
};

// Arguments of reduce; null or None: not given. For array methods `axis` None means all axes;
// ufunc.reduce passes 0 if none is given.
struct ReduceArgs {
    PyObject* axis = nullptr;  // None or null: all axes; an int; a tuple of ints
    PyObject* dtype = nullptr;
    PyObject* out = nullptr;
    PyObject* initial = nullptr;
    PyObject* where = nullptr;
    bool keepdims = false;
    bool as_array = false;  // out=...: a result without axes is an array
    CallArguments arguments;
};
PyObject* ufunc_reduce(Op op, PyObject* array, const ReduceArgs& args);
PyObject* ufunc_reduceat(Op op, PyObject* array, PyObject* indices, std::size_t axis,
                         PyObject* dtype, PyObject* out);
PyObject* ufunc_accumulate(Op op, PyObject* array, int axis, PyObject* dtype, PyObject* out);

// Calls an operator of two objects, one of them our array, on exported memory, and counts a
// fallback under `name`.
PyObject* call_operator(binaryfunc function, PyObject* a, PyObject* b, const char* name);
// Calls a NumPy function on exported memory. Arrays in arguments, lists, tuples and dicts are
// exported, native results are adopted, and an object that was passed in is returned as itself.
// Counts a fallback under `name`, unless that is null. `by_numpy` is the vectorcall form.
PyObject* call_numpy(PyObject* function, PyObject* args, PyObject* kwargs, const char* name);

}  // namespace hassium
