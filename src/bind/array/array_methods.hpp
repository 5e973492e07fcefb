// The methods of arrays, by file; array_methods.cpp makes the table.
#pragma once

#include "bind/array/array_call.hpp"

namespace hassium {

#define HS_FAST_METHOD(name)                                                                \
    PyObject* name([[maybe_unused]] PyObject* self, [[maybe_unused]] PyObject* const* args, \
                   [[maybe_unused]] Py_ssize_t count, [[maybe_unused]] PyObject* keywords)

// array_views.cpp
HS_FAST_METHOD(array_reshape);
HS_FAST_METHOD(array_ravel);
HS_FAST_METHOD(array_flatten);
HS_FAST_METHOD(array_transpose);
HS_FAST_METHOD(array_swapaxes);
HS_FAST_METHOD(array_squeeze);
HS_FAST_METHOD(array_diagonal);
HS_FAST_METHOD(array_view);
HS_FAST_METHOD(array_setflags);

// array_resize.cpp
HS_FAST_METHOD(array_resize);

// array_copy.cpp
HS_FAST_METHOD(array_astype);
HS_FAST_METHOD(array_copy);
HS_FAST_METHOD(array_fill);
PyObject* array_shallow_copy(PyObject* self, PyObject* ignored);

// array_python.cpp
HS_FAST_METHOD(array_item_method);
HS_FAST_METHOD(array_tobytes);
PyObject* array_tolist(PyObject* self, PyObject* ignored);
PyObject* array_format(PyObject* self, PyObject* spec);
PyObject* array_complex(PyObject* self, PyObject* ignored);
PyObject* array_sizeof(PyObject* self, PyObject* ignored);
HS_FAST_METHOD(array_conjugate);

// array_pickle.cpp
PyObject* array_reduce_pickle(PyObject* self, PyObject* ignored);
PyObject* array_reduce_by_protocol(PyObject* self, PyObject* protocol);
PyObject* array_set_state(PyObject* self, PyObject* state);
HS_FAST_METHOD(array_from_pickle);

// array_protocols.cpp
HS_FAST_METHOD(array_to_numpy);
HS_FAST_METHOD(array_protocol);
HS_FAST_METHOD(array_function);
HS_FAST_METHOD(array_namespace);
HS_FAST_METHOD(array_to_device);
HS_FAST_METHOD(array_dlpack);
PyObject* array_dlpack_device(PyObject* self, PyObject* ignored);
PyObject* register_array_function(PyObject* module, PyObject* handler);
PyObject* register_methods(PyObject* module, PyObject* args);
PyObject* register_array_class(PyObject* module, PyObject* metaclass);
PyObject* is_any_array(PyObject* module, PyObject* object);

// array_reductions.cpp
HS_FAST_METHOD(array_sum);
HS_FAST_METHOD(array_prod);
HS_FAST_METHOD(array_max);
HS_FAST_METHOD(array_min);
HS_FAST_METHOD(array_any);
HS_FAST_METHOD(array_all);
HS_FAST_METHOD(array_argmax);
HS_FAST_METHOD(array_argmin);
HS_FAST_METHOD(array_cumsum);
HS_FAST_METHOD(array_cumprod);

// numpy_call.cpp
HS_FAST_METHOD(call_on_exports);

// frameless_calls.cpp: of two functions, or a module and a function
HS_FAST_METHOD(make_importer);  // (plain, redirect)
HS_FAST_METHOD(make_lookup);    // (module, finish)

// routine.cpp: functions of rows that are routines
PyObject* make_routine(PyObject* module, PyObject* args);  // (name, like=0, options=0)
HS_FAST_METHOD(are_points);  // (x, y): two vectors of several points, of rising x
// The result of a row that is a routine, run at the call.
View routine_result(Op op, DType compute, std::initializer_list<const View*> ins, View out,
                    std::uint64_t options = 0);

// index_terms.cpp: (bools): where they are true along each axis, in C order; None for other objects
HS_FAST_METHOD(find_true);
// array_copy.cpp: (to, from, where): copied if the bool is true, which are arrays of one dtype and
// shape, and a mask of it or True
HS_FAST_METHOD(copy_plain);

// bincount.cpp: (vector), or (vector, None, minlength); None where NumPy is to be asked
HS_FAST_METHOD(bincount);
// sort.cpp
void init_sorts();
PyObject* count_threads(PyObject* module, PyObject* ignored);

// NumPy's functions of these names, of arrays of ours and without keywords; None where the function
// in Python has to answer: index_positions.cpp, ufunc_matrix.cpp, numpy_loops.cpp
HS_FAST_METHOD(count_nonzero);
HS_FAST_METHOD(dot);
HS_FAST_METHOD(inner);
HS_FAST_METHOD(vdot);
HS_FAST_METHOD(correlate);
HS_FAST_METHOD(convolve);
HS_FAST_METHOD(einsum);
HS_FAST_METHOD(put);              // (array, indices, values, mode): False where it is not done
HS_FAST_METHOD(is_small_einsum);  // (subscripts, arrays ...): whether einsum answers
// index_positions.cpp, ufunc_matrix.cpp: None where there is more to do
HS_FAST_METHOD(take_at);         // (array, key): read in C order
HS_FAST_METHOD(take_positions);  // (array, indices, axis)
HS_FAST_METHOD(repeat_evenly);   // (array, times, axis)
HS_FAST_METHOD(dot_product);     // (a, b, out=None)
// convert_dtype.cpp: NumPy's, asked about the dtypes of our arrays
HS_FAST_METHOD(find_result_type);

// array_arange.cpp, array_from.cpp, array_join.cpp
HS_FAST_METHOD(create_arange);
HS_FAST_METHOD(create_array);
HS_FAST_METHOD(create_asarray);
HS_FAST_METHOD(create_from_numpy);
HS_FAST_METHOD(create_concatenate);
PyObject* create_as_view(PyObject* module, PyObject* object);
PyObject* array_of(PyObject* object);  // what asarray(object) returns
// The operand of a function that returns views: arrays of ours as they are, on the memory of
// NumPy's where their dtype is native, and what asarray makes of anything else. Throws.
Ref shared_array(PyObject* object);
// array_lists.cpp: `array` of a plain list or tuple, or null where NumPy has to read it.
PyObject* array_of_list(PyObject* sequence, const DType* dtype, char order);
void check_device(PyObject* device);  // ValueError but for None and "cpu"

}  // namespace hassium
