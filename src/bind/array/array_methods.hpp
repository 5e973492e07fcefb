// The methods of arrays and the functions of the module (methods.def), and what their files share.
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

// The result of a row that is a routine, run at the call.
View routine_result(Op op, DType compute, std::initializer_list<const View*> ins, View out,
                    std::uint64_t options = 0);
void init_sorts();
PyObject* array_of(PyObject* object);  // what asarray(object) returns
// The operand of a function that returns views: arrays of ours as they are, on the memory of
// NumPy's where their dtype is native, and what asarray makes of anything else. Throws.
Ref shared_array(PyObject* object);
// `array` of a plain list or tuple, or null where NumPy has to read it.
PyObject* array_of_list(PyObject* sequence, const DType* dtype, char order);
void check_device(PyObject* device);  // ValueError but for None and "cpu"

}  // namespace hassium
