// Shared by the files of the ufunc type.
#pragma once

#include "bind/array/array_parts.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {

struct UfuncObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    Op op;
    PyObject* numpy;  // NumPy's ufunc: docstring, and calls without a native loop
    PyObject* name;
    PyObject* dict;  // attributes that a program has set, or null
};

inline UfuncObject* as_ufunc(PyObject* o) { return reinterpret_cast<UfuncObject*>(o); }
inline PyObject* numpy_ufunc(Op op) { return as_ufunc(ufunc_object(op))->numpy; }

// The original arguments of a call, to pass on to NumPy.
struct RawCall {
    PyObject* const* args;
    Py_ssize_t count;
    PyObject* names;  // of the keyword arguments after the positional ones, or null
};

// The parsed keywords of a call. References are borrowed.
struct Keywords {
    PyObject* out[2] = {};
    PyObject* where = nullptr;  // null: everywhere
    DType dtype = DType::F64;
    bool has_dtype = false;
    bool positional_out = false;  // outputs (or None) follow the operands
    bool out_is_none = false;     // out=None was given: no warning about where=
    bool foreign = false;         // only NumPy supports it (dtype=object, axes=)
    bool as_array = false;        // out=...: results without axes are arrays
    Casting casting = Casting::SameKind;
    char order = 'K';
    StepOf step_of = StepOf::Itself;
    bool of_numbers = false;  // an operator whose operands are numbers

    bool has_out() const { return out[0] || out[1]; }
};

// Converted operands.
struct Operands {
    OperandArg args[3];
    int count = 0;

    // Returns false if NumPy must run the operation (a foreign operand). Throws.
    bool add(PyObject* object) {
        OperandArg& arg = args[count++];
        if (is_array(object)) {  // as to_operand, inline
            arg.view = &as_array(object)->view;
            arg.dtype = arg.view->dtype;
            return true;
        }
        return to_operand(object, arg);
    }
};

// The user's output: a hassium array, or a NumPy array shared for the call.
class Output {
  public:
    // Returns false if only NumPy can write there. Throws PythonError or UserError.
    bool take(PyObject* object);
    PyObject* object() const { return shared_ ? shared_.get() : object_; }  // our array
    const View& view() const { return as_array(object())->view; }
    PyObject* result() const { return Py_NewRef(object_); }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    PyObject* object_ = nullptr;
    Ref shared_;
};

// A where= argument; it has no view if that is True.
class Mask {
  public:
    // Returns false if only NumPy can parse it. Throws.
    bool take(PyObject* where);
    const View* view() const { return array_ ? &as_array(array_.get())->view : nullptr; }

  private:
    Ref array_;
};

// ---- calls ----

// Calls a row on objects with parsed keywords. `raw` is passed to NumPy if it must answer.
PyObject* execute(Op op, PyObject* const* ins, const Keywords& keywords, const RawCall& raw);
// The same without keywords, for rows of class Map.
PyObject* execute_plain(Op op, PyObject* const* ins, const RawCall& raw, bool of_numbers = false);
PyObject* execute_matrix(Op op, PyObject* const* ins, const Keywords& keywords, const RawCall& raw);
// Throw NumPy's error for a cast that `casting=` does not allow.
void check_casts(Op op, const Operands& operands, const Loop& loop, Casting casting);
void check_output_cast(Op op, int index, DType from, DType to, Casting casting);
// Returns whether an output is `...`, in a version of NumPy that knows it.
inline bool is_dots(PyObject* out) {
    return out == Py_Ellipsis && asked_once([] { return "out_takes_dots"; });
}
// Returns whether the call must check its exponents: integer powers refuse negative ones. No other
// check of a ufunc needs values.
inline bool checks_exponents(Op op, DType compute) {
    return info(op).has(kChecksExponent) && is_integer(compute);
}
void check_exponents(DType compute, const View& exponents);
void check_exponent(PyObject* exponent);
// Checks only the exponents where `mask` is true, for an operation of that shape.
void check_exponents(DType compute, const OperandArg& exponent, const Dims& shape,
                     const View& mask);
// Sets the inputs of a comparison with a Python int that the other operand's dtype cannot hold: two
// constants with the same answer. Returns false for other comparisons.
bool compare_beyond_dtype(const Operands& operands, const Loop& loop, Request& request);
// Records out[...] = from, with a cast.
void record_cast(const View& out, const View& from, const View* mask);

// Parses the keywords of a call; throws NumPy's errors.
Keywords parse_keywords(Op op, const RawCall& raw, Py_ssize_t first_out);

// ---- NumPy ----

// Calls NumPy's ufunc of the row, or its method, with the original arguments. NumPy then calls the
// operand that overrides ufuncs; without one, arrays are exported and a fallback is counted.
PyObject* numpy_answers(Op op, const char* method, const RawCall& raw);
// Returns whether the type of the object defines its own __array_ufunc__.
bool overrides_ufuncs(PyObject* object);

// ---- methods ----

PyObject* method_reduce(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* method_accumulate(PyObject* self, PyObject* const* args, Py_ssize_t count,
                            PyObject* names);
PyObject* method_outer(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* method_at(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* method_reduceat(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);

// ufunc.at on our array. Returns false, with nothing done, if NumPy must answer.
bool combine_at(Op op, PyObject* array, PyObject* indices, PyObject* values);

// Registers the routine that runs opaque rows.
void init_matrix();

}  // namespace hassium
