// The array type and the lazy scalar, as C heap types with their slots filled directly; pybind11 is
// for everything that is not per operation. One topic a file:
//   array_type.cpp   object, allocation, attributes, assignment to .shape and .strides
//   array_number.cpp number slots; array_index.cpp reading and writing by index; array_methods.cpp
//   array_export.cpp our memory as NumPy's arrays; array_buffer.cpp as buffers
//   array_foreign.cpp arrays on the memory of NumPy's arrays, and copies of them
//   array_scalar.cpp the lazy scalar; convert.cpp Python objects to views and constants
#pragma once

#include <Python.h>

#include "bind/module/host.hpp"
#include "bind/module/value_uses.hpp"
#include "engine/engine.hpp"
#include "ops/dtype_rules.hpp"
#include "record/base.hpp"

namespace hassium {

// Why the first write to an array warns: it may be a view as broadcast_arrays gives them, or a copy
// that would share memory with NumPy's array in NumPy.
enum class Warns : std::uint8_t { No, Broadcast, Copied };

struct ArrayObject {
    PyObject_HEAD View view;
    ArrayObject *next, **link;  // in the list of the arrays that show the base (live_views.hpp)
    PyObject* parent;           // what .base shows: the array this one is a view of, or null
    PyObject* weakrefs;
    PyObject* exported;     // borrowed: the export that stands for this array, while it lives
    PyObject* copied_from;  // of Warns::Copied: a weak reference to what owns the original
    bool writeable;
    Warns warns;         // of being written, once
    bool align_cleared;  // the flag ALIGNED was switched off
    bool is_scalar;      // a lazy scalar: immutable, hashable
};

extern PyTypeObject* array_type;   // hassium.ndarray's instances
extern PyTypeObject* scalar_type;  // hassium.scalar

inline bool is_array(PyObject* o) { return Py_TYPE(o) == array_type || Py_TYPE(o) == scalar_type; }
inline ArrayObject* as_array(PyObject* o) { return reinterpret_cast<ArrayObject*>(o); }

// New references; null with a Python error set on failure.
PyObject* new_array(View&& view, PyObject* parent = nullptr, bool writeable = true);
PyObject* new_scalar(View&& view);
// A scalar for 0-d results where NumPy returns one, else an array.
// The caller keeps no view of the first argument.
PyObject* wrap_result(View&& view, bool scalar_if_0d, const CallArguments& arguments = {});

// One operand of an operation as the recorder wants it.
struct OperandArg {
    const View* view = nullptr;  // null: a Python scalar
    Weak weak = Weak::Strong;    // of a Python int, float or complex
    DType dtype = DType::F64;    // of the view, or the default dtype of the scalar
    PyObject* scalar = nullptr;  // borrowed
    Ref keep;                    // a converted array, if any
};

// hassium arrays and scalars as they are; Python scalars weak; NumPy scalars, 0-d and small arrays
// copied; large NumPy arrays as foreign views; sequences through NumPy. False: a foreign operand,
// as one with an __array_ufunc__ of its own, for NumPy. Throws.
bool to_operand(PyObject* object, OperandArg& out);
bool beyond_integers(PyObject* value);  // does no dtype of integers hold this int?
// A Python scalar as a constant of `dtype`; OverflowError for an int out of bounds, as NumPy 2.
bool to_constant(PyObject* scalar, DType dtype, Constant& out);
Constant one_of(DType dtype);

// NumPy's dtype object of a native dtype (borrowed), and back; false when not native (no error
// set).
PyObject* numpy_dtype(DType dtype);
bool native_dtype(PyObject* dtype, DType& out);

// Makes the types and the module's functions for creating arrays; false with a Python error set.
bool init_array(PyObject* module);
// Makes the type of the public functions.
bool init_dispatcher(PyObject* module);
// Makes the type of other packages' functions that are called with exported memory.
bool init_exporting(PyObject* module);

}  // namespace hassium
