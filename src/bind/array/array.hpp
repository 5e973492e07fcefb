// The array type and the lazy scalar: C heap types whose slots are filled directly. pybind11 binds
// only what does not run per operation. One topic a file:
//   array_type.cpp   objects, allocation, slots; array_attributes.cpp attributes
//   array_number.cpp number slots; array_methods.cpp method tables; index/ reading and writing
//   numpy/array_export.cpp our memory as NumPy's arrays; array_buffer.cpp as buffers
//   numpy/array_foreign.cpp arrays on the memory of NumPy's arrays, and copies of them
//   create/convert.cpp Python objects to views and constants
#pragma once

#include <Python.h>

#include "bind/module/host.hpp"
#include "bind/module/value_uses.hpp"
#include "engine/engine.hpp"
#include "ops/dtype_rules.hpp"
#include "record/base.hpp"

namespace hassium {

// Why the first write to an array warns. Broadcast: it may be a view returned by broadcast_arrays.
// Copied: it is a copy of a NumPy array whose memory NumPy itself would share.
enum class Warns : std::uint8_t { No, Broadcast, Copied };

struct ArrayObject {
    PyObject_HEAD View view;
    ArrayObject *next, **link;  // links of the list of arrays on the base (live_views.hpp)
    PyObject* parent;           // returned by .base: the array that this one views, or null
    PyObject* weakrefs;
    PyObject* exported;     // borrowed: the export of this array, while that lives
    PyObject* copied_from;  // with Warns::Copied: a weak reference to the original's owner
    bool writeable;
    Warns warns;         // at the first write
    bool align_cleared;  // the user cleared the flag ALIGNED
    bool is_scalar;      // a lazy scalar: immutable, hashable
};

extern PyTypeObject* array_type;   // hassium.ndarray's instances
extern PyTypeObject* scalar_type;  // hassium.scalar

inline bool is_array(PyObject* o) { return Py_TYPE(o) == array_type || Py_TYPE(o) == scalar_type; }
inline ArrayObject* as_array(PyObject* o) { return reinterpret_cast<ArrayObject*>(o); }

// New references; null with a Python error set on failure.
PyObject* new_array(View&& view, PyObject* parent = nullptr, bool writeable = true);
PyObject* new_scalar(View&& view);
// Returns a scalar for a 0-d result if `scalar_if_0d`, else an array. The caller must hold no view
// of the first argument: a temporary there is released before the result is computed.
PyObject* wrap_result(View&& view, bool scalar_if_0d, const CallArguments& arguments = {});

// One converted operand of an operation.
struct OperandArg {
    const View* view = nullptr;  // null: a Python scalar
    Weak weak = Weak::Strong;    // of a Python int, float or complex
    DType dtype = DType::F64;    // of the view, or the default dtype of the scalar
    PyObject* scalar = nullptr;  // borrowed
    Ref keep;                    // owns the array of `view` if the operand was converted
};

// Reads an operand: hassium arrays and scalars unchanged; Python scalars weak; NumPy scalars, 0-d
// and small arrays by copy; large NumPy arrays as foreign views; sequences converted by NumPy.
// Returns false if NumPy must run the operation, e.g. for an operand with its own __array_ufunc__.
// Throws.
bool to_operand(PyObject* object, OperandArg& out);
bool beyond_integers(PyObject* value);  // whether no integer dtype holds the int
// Converts a Python scalar to a constant of `dtype`. Returns false with a Python error set, such as
// NumPy 2's OverflowError for an int out of bounds.
bool to_constant(PyObject* scalar, DType dtype, Constant& out);
Constant one_of(DType dtype);

// Convert a native dtype to NumPy's dtype object (borrowed) and back. native_dtype returns false,
// with no error set, for a dtype that is not native.
PyObject* numpy_dtype(DType dtype);
bool native_dtype(PyObject* dtype, DType& out);

// Creates the array types and adds the functions of methods.def to the module; returns false with a
// Python error set.
bool init_array(PyObject* module);
// Creates the type of the public functions (dispatcher.cpp).
bool init_dispatcher(PyObject* module);
// Returns whether it is one, which passes its arguments on as they are.
bool is_dispatcher(PyObject* object);
// Creates the type that wraps other packages' functions to call them with exports (exporting.cpp).
bool init_exporting(PyObject* module);
// Creates the type of the modules that hold public names (frameless_calls.cpp).
bool init_namespace(PyObject* module);

}  // namespace hassium
