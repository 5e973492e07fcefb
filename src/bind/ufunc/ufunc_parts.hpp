// What the files of the ufunc type share.
#pragma once

#include "bind/array/array_parts.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {

struct UfuncObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    Op op;
    PyObject* numpy;  // NumPy's ufunc of that name: documentation, and what has no native loop
    PyObject* name;
    PyObject* dict;  // what a program has set, or null
};

inline UfuncObject* as_ufunc(PyObject* o) { return reinterpret_cast<UfuncObject*>(o); }
inline PyObject* numpy_ufunc(Op op) { return as_ufunc(ufunc_object(op))->numpy; }

// Arguments exactly as the caller gave them, for NumPy when it has to answer.
struct RawCall {
    PyObject* const* args;
    Py_ssize_t count;
    PyObject* names;  // of keyword arguments behind the positional ones, or null
};

// Keywords of a call, understood. References are borrowed.
struct Keywords {
    PyObject* out[2] = {};
    PyObject* where = nullptr;  // null: everywhere
    DType dtype = DType::F64;
    bool has_dtype = false;
    bool positional_out = false;  // results were given, or None, behind the operands
    bool out_is_none = false;     // out=None was written: no warning about where=
    bool foreign = false;         // asks for what only NumPy has (dtype=object, axes=)
    bool as_array = false;        // out=...: results without axes are arrays, no scalars
    Casting casting = Casting::SameKind;
    char order = 'K';
    StepOf step_of = StepOf::Itself;
    bool of_numbers = false;  // an operator of numbers

    bool has_out() const { return out[0] || out[1]; }
};

// Converted operands.
struct Operands {
    OperandArg args[3];
    int count = 0;

    // False: a foreign operand, for NumPy. Throws.
    bool add(PyObject* object) {
        OperandArg& arg = args[count++];
        if (is_array(object)) {  // what to_operand would do, without a call
            arg.view = &as_array(object)->view;
            arg.dtype = arg.view->dtype;
            return true;
        }
        return to_operand(object, arg);
    }
};

// An output the user gave: a hassium array, or a NumPy array shared for the time of the call.
class Output {
  public:
    // False: only NumPy can write there. Throws PythonError or UserError.
    bool take(PyObject* object);
    PyObject* object() const { return shared_ ? shared_.get() : object_; }  // the array of ours
    const View& view() const { return as_array(object())->view; }
    PyObject* result() const { return Py_NewRef(object_); }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    PyObject* object_ = nullptr;
    Ref shared_;
};

// A where= argument; nothing when it is True.
class Mask {
  public:
    // False: only NumPy understands it. Throws.
    bool take(PyObject* where);
    const View* view() const { return array_ ? &as_array(array_.get())->view : nullptr; }

  private:
    Ref array_;
};

// ---- calls ----

// One call of a row on objects, with its keywords understood. `raw` is what NumPy would be given.
PyObject* execute(Op op, PyObject* const* ins, const Keywords& keywords, const RawCall& raw);
// The same without keywords, for rows of class Map.
PyObject* execute_plain(Op op, PyObject* const* ins, const RawCall& raw, bool of_numbers = false);
PyObject* execute_matrix(Op op, PyObject* const* ins, const Keywords& keywords, const RawCall& raw);
// What `casting=` does not allow is refused.
void check_casts(Op op, const Operands& operands, const Loop& loop, Casting casting);
void check_output_cast(Op op, int index, DType from, DType to, Casting casting);
// Integer powers refuse negative exponents: the only check of a ufunc that needs values.
inline bool checks_exponents(Op op, DType compute) {
    return info(op).has(kChecksExponent) && is_integer(compute);
}
void check_exponents(DType compute, const View& exponents);
void check_exponent(PyObject* exponent);
// The elements of an operation of that shape that the mask leaves.
void check_exponents(DType compute, const OperandArg& exponent, const Dims& shape,
                     const View& mask);
// Sets the inputs of a comparison with a Python int that the other operand's dtype cannot hold: two
// constants with the same answer. Returns false for other comparisons.
bool compare_beyond_dtype(const Operands& operands, const Loop& loop, Request& request);
// Records out[...] = from, with a cast.
void record_cast(const View& out, const View& from, const View* mask);

// Reads the keywords of a call; throws NumPy's errors.
Keywords parse_keywords(Op op, const RawCall& raw, Py_ssize_t first_out);

// ---- NumPy ----

// NumPy's ufunc of that row, or its method, with the original arguments: it finds the operand that
// overrides ufuncs; without one, arrays are exported and the call is counted.
PyObject* numpy_answers(Op op, const char* method, const RawCall& raw);
// Whether the type of the object defines its own __array_ufunc__.
bool overrides_ufuncs(PyObject* object);

// ---- methods ----

PyObject* method_reduce(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* method_accumulate(PyObject* self, PyObject* const* args, Py_ssize_t count,
                            PyObject* names);
PyObject* method_outer(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* method_at(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* method_reduceat(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);

// ufunc.at on rows of an array; false: nothing is done, and NumPy answers.
bool combine_at(Op op, PyObject* array, PyObject* indices, PyObject* values);

// Registers the routine that runs opaque rows.
void init_matrix();

}  // namespace hassium
