// Declares the methods of arrays and functions of the module (methods.def), and their helpers.
#pragma once

#include "bind/array/array_call.hpp"

namespace hassium {

#define HS_FAST_METHOD(name)                                                                \
    PyObject* name([[maybe_unused]] PyObject* self, [[maybe_unused]] PyObject* const* args, \
                   [[maybe_unused]] Py_ssize_t count, [[maybe_unused]] PyObject* keywords)

#define HS_METHOD(name, function) HS_FAST_METHOD(function);
#define HS_FUNCTION(name, function, doc) HS_FAST_METHOD(function);
#define HS_METHOD_OF(name, function, flags) PyObject* function(PyObject*, PyObject*);
#define HS_FUNCTION_OF HS_METHOD_OF
#include "bind/array/methods.def"

// Runs a row with a routine at the call and returns `out`.
View routine_result(Op op, DType compute, std::initializer_list<const View*> ins, View out,
                    std::uint64_t options = 0);
void init_sorts();
PyObject* array_of(PyObject* object);  // what asarray(object) returns
// Converts the operand of a function that returns views: returns our arrays unchanged, an array on
// the memory of a NumPy array of a native dtype, and asarray(object) otherwise. Throws.
Ref shared_array(PyObject* object);
// Returns array(sequence) for a plain list or tuple, or null if NumPy must convert it.
PyObject* array_of_list(PyObject* sequence, const DType* dtype, char order);
void check_device(PyObject* device);  // throws ValueError unless None or "cpu"

}  // namespace hassium
