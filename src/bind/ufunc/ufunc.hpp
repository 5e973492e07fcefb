// NumPy's ufuncs over the table of operations: the Python type, and the entries that number slots
// and array methods share with it. One topic a file:
//   ufunc_type.cpp    the objects, their attributes and keywords
//   ufunc_call.cpp    operands to a recorded operation: dtypes, shapes, out=, where=
//   ufunc_reduce.cpp  reduce and accumulate;  ufunc_methods.cpp  outer, at, reduceat
//   ufunc_matrix.cpp  matmul and the other opaque rows
//   ufunc_numpy.cpp   what NumPy itself has to answer;  numpy_call.cpp  how it is called
#pragma once

#include <Python.h>

#include "bind/array/array.hpp"

namespace hassium {

extern PyTypeObject* ufunc_type;  // hassium.ufunc's instances

// Makes the type, one object for each row of class ufunc and its aliases, and adds them to the
// module's `ufuncs` dictionary. False with a Python error set.
bool init_ufunc(PyObject* module);
// The ufunc object of a row, borrowed.
PyObject* ufunc_object(Op op);

// Number slots. New reference; null with a Python error set. The slot has already given way to
// operands that answer themselves. `of_numbers`: both are numbers.
PyObject* ufunc_binary(Op op, PyObject* a, PyObject* b, bool of_numbers = false);
PyObject* ufunc_inplace(Op op, PyObject* self, PyObject* other);  // returns self
PyObject* ufunc_unary(Op op, PyObject* a);
// The rows of Python's comparisons, from Py_LT to Py_GE.
constexpr Op kComparisons[] = {
#define HS_COMPARISON(row) Op::row,
#include "ops/operators.def"
};

// Arguments of reduce and accumulate; null or None: not given. For the array methods: `axis` None
// means all axes, for ufunc.reduce the caller passes 0 when none was given.
struct ReduceArgs {
    PyObject* axis = nullptr;  // None or null: all axes; an int; a tuple of ints
    PyObject* dtype = nullptr;
    PyObject* out = nullptr;
    PyObject* initial = nullptr;
    PyObject* where = nullptr;
    bool keepdims = false;
    bool as_array = false;  // out=...: a result without axes is an array, no scalar
    CallArguments arguments;
};
PyObject* ufunc_reduce(Op op, PyObject* array, const ReduceArgs& args);
PyObject* ufunc_reduceat(Op op, PyObject* array, PyObject* indices, std::size_t axis,
                         PyObject* dtype, PyObject* out);
PyObject* ufunc_accumulate(Op op, PyObject* array, int axis, PyObject* dtype, PyObject* out);

// The operator of two objects, one of them an array of ours, as that of NumPy's arrays.
PyObject* call_operator(binaryfunc function, PyObject* a, PyObject* b, const char* name);
// Calls a NumPy function on exported memory and brings its results back: arrays in arguments,
// lists, tuples and dicts are exported, native results adopted, an object passed in comes back as
// itself. Counted under `name`, unless it is null. By vector: `by_numpy`.
PyObject* call_numpy(PyObject* function, PyObject* args, PyObject* kwargs, const char* name);

}  // namespace hassium
