// Shared by the files of the array type: NumPy's C API, owned references, reading and writing of
// memory, recorded copies. Callers hold the GIL.
#pragma once

#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL hassium_numpy_api
#ifndef HS_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <concepts>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "bind/array/array.hpp"

namespace hassium {

// Returns the UTF-8 text of a str, valid while the str lives. Throws for other objects and for lone
// surrogates, which have no UTF-8.
inline const char* text_of(PyObject* word) {
    const char* text = PyUnicode_AsUTF8(word);
    if (!text) throw PythonError();
    return text;
}

// Releases the GIL for its lifetime.
class Unlocked {
  public:
    Unlocked() : left_(PyEval_SaveThread()) {}
    ~Unlocked() { PyEval_RestoreThread(left_); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

  private:
    PyThreadState* left_;
};

template <class Body>
int guarded_status(Body&& body) {
    return guarded_int([&] {
        body();
        return 0;
    });
}

std::string shape_text(std::span<const std::int64_t> shape);  // (2,3), as NumPy writes it
inline void append(std::string& message, std::string_view text) { message += text; }
inline void append(std::string& message, std::integral auto number) {
    message += std::to_string(number);
}
// Throws a UserError, raised as NumPy's exception. The message concatenates the parts.
template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, const Parts&... parts) {
    std::string message;
    (append(message, parts), ...);
    throw UserError(kind, message);
}

// ---- modules and names looked up once ----

// Returns (borrowed) the object that `make` returned at the first call; one for each lambda.
// A static variable with a dynamic initializer has a guard. `make` may run Python code, so another
// thread may fork meanwhile, and the child would wait for that guard forever.
template <class Make>
PyObject* made_once(Make make) {
    static PyObject* kept = nullptr;
    if (!kept) {
        Ref made = own(make());
        if (!kept) kept = made.release();  // no other thread came first
    }
    return kept;
}
// Calls a function of hassium._asked, which asks NumPy what its versions do differently.
Ref asked(const char* question);
// The same for a question whose answer is a bool, put once; `Question` has its name.
template <class Question>
bool asked_once(Question question) {
    return made_once([question] { return asked(question()).release(); }) == Py_True;
}
PyObject* numpy_attribute(const char* dotted);  // borrowed; e.g. "exceptions.AxisError"
PyArray_Descr* descr_of(DType dtype);           // borrowed
PyArray_Descr* new_descr(DType dtype);          // a new reference, for functions that steal it
bool native_dtype(const PyArrayObject* array, DType& out);  // false: not native
// Parses a dtype argument; returns false, with no error set, if it is not native. Throws
// PythonError.
bool parse_dtype(PyObject* argument, DType& out, Ref* descr = nullptr);
// Returns the dtype of an argument in native byte order.
Ref in_native_order(PyObject* dtype);
const char* scalar_type_name(DType dtype);

// ---- memory ----

inline ArrayObject* self_of(PyObject* o) { return reinterpret_cast<ArrayObject*>(o); }

// Returns the address of the first element after running everything pending on the base.
inline char* ready_data(const View& view) {
    Base& base = *view.base;
    if (!base.idle() || !base.data) return Engine::instance().ready(view);
    Engine::instance().reads.read(base);
    return base.data + view.offset;
}
// The same for reading only: other readers may stay pending.
inline const char* data_to_read(const View& view) {
    Base& base = *view.base;
    if (!base.readable()) return Engine::instance().ready(view);
    Engine::instance().reads.read(base);
    return base.data + view.offset;
}
// Returns a fresh view whose memory, at `data`, the caller fills.
View filled_view(DType dtype, std::span<const std::int64_t> shape, char*& data);
// Checks the shape and size of a new array; throws NumPy's errors.
void check_extents(std::span<const std::int64_t> shape, std::int64_t itemsize);
// Returns a NumPy array on memory that it does not own.
Ref numpy_on(char* data, DType dtype, std::span<const std::int64_t> shape,
             std::span<const std::int64_t> strides, bool writeable);
// Returns a transient NumPy array on the memory. It keeps `owner` alive but does not export the
// base: the caller must drop it before anything can be recorded on the base.
Ref borrow_numpy(const View& view, PyObject* owner, bool writeable = false);
inline Ref borrow_numpy(PyObject* array, bool writeable = false) {
    return borrow_numpy(self_of(array)->view, array, writeable);
}
// Returns the element at `address` as NumPy's scalar; inline for doubles, the most frequent dtype.
inline PyObject* element_at(const char* address, DType dtype) {
    if (dtype != DType::F64) {
        return PyArray_Scalar(const_cast<char*>(address), descr_of(dtype), nullptr);
    }
    PyObject* scalar = PyArrayScalar_New(Double);
    if (scalar) std::memcpy(&PyArrayScalar_VAL(scalar, Double), address, sizeof(double));
    return scalar;
}
// Returns the element at `address` as the Python number that NumPy's item() gives.
inline PyObject* number_at(const char* address, DType dtype) {
    const auto* functions = PyDataType_GetArrFuncs(descr_of(dtype));
    return functions->getitem(const_cast<char*>(address), nullptr);
}
// Makes operators of NumPy's arrays and scalars defer to our arrays.
void replace_numpy_slots();
bool teach_numpy_views();
// Returns the first element of an array or lazy scalar as NumPy's scalar, after pending work.
Ref scalar_value(PyObject* self);
// Returns whether the type is exactly Python's float or NumPy's float64, which derives from it.
inline bool is_plain_double(PyObject* o) {
    return PyFloat_CheckExact(o) || Py_TYPE(o) == &PyDoubleArrType_Type;
}
// Returns `value` for NumPy to assign, with our arrays and scalars as NumPy's: it would treat them
// as Python numbers.
inline Ref as_numpys(PyObject* value) {
    if (!is_array(value)) return borrow(value);
    return Py_TYPE(value) == scalar_type ? scalar_value(value) : borrow_numpy(value);
}

// ---- recorded moves ----

// Returns an input of a request: a view, or a number whose C++ type is that of `dtype`.
inline Input input_of(const View& view) { return {&view, view.dtype}; }
template <class Number>
Input input_of(Number number, DType dtype) {
    Input input{nullptr, dtype};
    std::memcpy(input.value.bytes, &number, sizeof number);
    return input;
}
// Returns a request for row `op`; the views must live until it is submitted.
Request request_of(Op op, DType compute, const View& out, std::initializer_list<Input> inputs);
// Records dst[...] = src with NumPy's broadcasting and unsafe casting; the engine handles overlap.
void record_copy(const View& dst, const View& src, const View* mask = nullptr);
void record_fill(const View& dst, const Constant& value, const View* mask = nullptr);
// Returns `value` broadcast to `shape` as an assignment does, which drops leading axes of extent 1.
std::optional<View> broadcast_value(const View& value, std::span<const std::int64_t> shape);
View contiguous_copy(const View& view, DType dtype);
// Returns a fresh view in `order`: 'C', 'F', or 'A' and 'K' as NumPy lays out an array like
// `model`.
View fresh_in_order(const View& model, DType dtype, const Dims& shape, char order);
View copy_in_order(const View& view, DType dtype, char order);
// The right side of an assignment: a constant, or a view.
struct Value {
    View view;
    Constant constant = {};
    bool is_constant = false;
};
// array_like.cpp: converts any object by PyArray_FromAny, which steals `descr`. Returns our array
// if the object's `__array__` returned one and NumPy would return that itself, else NumPy's. Null
// with an error set.
Ref array_from_any(PyObject* object, PyArray_Descr* descr, int most_axes, int flags);
// The same, but always returns NumPy's array. Throws.
Ref numpy_from_any(PyObject* object, PyArray_Descr* descr, int most_axes, int flags);
// Returns whether NumPy would call the object's `__array__`, which may return an array of ours. The
// caller then passes NumPy a stand-in that it can read.
bool needs_stand_in(PyObject* object);
bool may_need_stand_in(PyTypeObject* type);  // whether any object of the type may
Ref stand_in_for(PyObject* object);
// Returns whether `object` is a member of NumPy's _CopyMode, which not every function accepts.
bool is_copy_mode(PyObject* object);
// docs.cpp: gives table entries without a docstring that of the attribute of `owner`.
void document(PyMethodDef* table, PyObject* owner);
void document(PyGetSetDef* table, PyObject* owner);
// Returns a new reference to NumPy's docstring with a line about our function appended.
PyObject* documented(PyObject* text);
// ---- memory shared with NumPy ----

// Returns NumPy's array on the memory of `array`, without a copy: the same object while it is
// referenced. The base is eager until then. Throws.
Ref export_to_numpy(ArrayObject* array);
// Drops an export made for a call; keeps the NumPy array for reuse if nothing else references it.
void end_loan(Ref numpys);
// Returns whether NumPy's array has the address, layout, dtype and writeability of ours, whose base
// must be ready.
bool shows(PyObject* numpys, const ArrayObject* array);
// Return the array of ours that an export holds (null: `object` is no export), and its base.
// Borrowed.
PyObject* exported_array(PyObject* object);
Base* exported_base(PyObject* object);
// Returns an array that shares the memory of `numpys` and is as writeable. If the memory is ours,
// it is our array itself or a view of our base, which keep no export alive; else a view of a
// foreign base. `made_here`: the caller has the only reference to `numpys`.
Ref view_of_numpy(PyArrayObject* numpys, bool made_here = false);
Ref copy_of_numpy(PyArrayObject* numpys);
Ref copy_of_numpy(PyArrayObject* numpys, DType dtype);  // `dtype` must be that of `numpys`
// Returns an array of the elements of a NumPy array of a native dtype, to be read by the next
// recorded operation: a copy of a small array, else shared memory.
Ref wrap_operand(PyArrayObject* numpys);
// Returns our array itself, wrap_operand of a NumPy array, or null for any other object.
Ref plain_operand(PyObject* object);
// The owner of the memory of a NumPy array. Borrowed.
struct MemoryOwner {
    PyObject* array = nullptr;  // ours, or null
    Base* base = nullptr;       // our base that contains the memory
    PyObject* owner = nullptr;  // else the last object in the chain of .base, perhaps NumPy's
    bool direct = false;        // the array is the export itself, not a view of it
};
MemoryOwner owner_of(PyArrayObject* numpys);
// Makes the first write to `copy`, a copy of a NumPy array whose memory NumPy would share, warn if
// the owner of that memory is still alive.
void warn_of_copy(ArrayObject* copy, PyObject* owner);
void tell_of_copy(ArrayObject* copy);
void forget_copy(ArrayObject* copy);
// Gives `view`, a view of `array`, the warning of `array`.
void inherit_warning(ArrayObject* view, const ArrayObject* array);
// Returns the referent of a weak reference, or null if it is dead.
Ref referent(PyObject* weak);
// Converts a fresh NumPy array to an array; takes its memory over if nothing else references it and
// it is large, else copies. Throws.
Ref adopt_numpy(Ref fresh);
// Returns whether `object` is a 0-d array of a class derived from NumPy's. It is assigned by its
// own conversion: a masked one refuses to become an integer.
inline bool is_derived_number(PyObject* object) {
    return PyArray_Check(object) && !PyArray_CheckExact(object) &&
           PyArray_NDIM(reinterpret_cast<PyArrayObject*>(object)) == 0;
}

// Returns a list or tuple with its elements, at any depth, replaced where NumPy cannot read them:
// lazy scalars by NumPy's, as NumPy would treat them as Python numbers and not cast them; some
// objects by stand-ins. Returns `object` itself if nothing is replaced.
Ref with_numpys_elements(PyObject* object);
// Raises NumPy's ComplexWarning if a cast drops imaginary parts.
void warn_complex_discard(DType from, DType to);
// Converts any Python value; each number of a list is converted to `dtype`. Throws for lists nested
// deeper than `most_axes`, unless that is 0.
Value assignment_value(PyObject* object, DType dtype, std::size_t most_axes = 0);
void assign(const View& dst, const Value& value, const View* mask = nullptr);
// Returns whether assigning a lazy scalar to a signed integer `dtype` may overflow. NumPy then
// raises an error, so the value is needed now. No other cast of a scalar fails.
inline bool may_not_fit(PyObject* value, DType dtype) {
    return Py_TYPE(value) == scalar_type && kind(dtype) == DTypeKind::Signed &&
           !can_cast(as_array(value)->view.dtype, dtype, Casting::Safe);
}
// Casts a number to `dtype`, also where assignment would raise an error.
Constant cast_number(PyObject* number, DType dtype);
// Writes a Python scalar as an element of `dtype` to `address`, by NumPy's rules of assignment.
void pack_element(char* address, DType dtype, PyObject* value);
inline void touched(Base& base) { base.range_known = false; }
void check_writeable(ArrayObject* array,
                     const char* refusal = "assignment destination is read-only");
// Raises the warning of an array at its first write, if it has one.
void tell_of_write(ArrayObject* array);

// ---- views ----

// Returns the parent (`.base`) of a new view of `array`: the array that `array` itself views, ours
// or NumPy's, else `array`.
inline PyObject* parent_for(ArrayObject* array) {
    PyObject* parent = array->parent;
    const bool of_array = parent && (is_array(parent) || PyArray_CheckExact(parent));
    return of_array ? parent : reinterpret_cast<PyObject*>(array);
}
// Returns the view of the array that owns the elements if that is ours, else that of `array`.
inline const View& owner_view(ArrayObject* array) {
    PyObject* owner = parent_for(array);
    return is_array(owner) && as_array(owner)->view.base.get() == array->view.base.get()
               ? as_array(owner)->view
               : array->view;
}
inline PyObject* view_of(ArrayObject* array, View&& view, bool writeable = true) {
    writeable = writeable && array->writeable && !array->is_scalar;
    PyObject* made = new_array(std::move(view), parent_for(array), writeable);
    if (made && array->warns != Warns::No) inherit_warning(as_array(made), array);
    return made;
}
// Returns the view with its axes in reverse order.
View reversed(const View& view);
// Computes strides for the same elements in `shape`; returns false if that needs a copy.
bool reshaped_strides(const View& view, std::span<const std::int64_t> shape, bool fortran,
                      Dims& strides);
// Replaces one -1 by the remaining extent; throws if the sizes differ.
void resolve_extents(const View& view, Dims& shape);
// Broadcasts `shape` with `other`; returns false if two extents differ and neither is 1.
bool broadcast_into(Dims& shape, const Dims& other);
// Makes a C-contiguous view one-dimensional and returns it.
inline View&& as_vector(View&& view) {
    const std::int64_t size = view.size();
    view.shape = {size};
    view.strides = {itemsize(view.dtype)};
    return std::move(view);
}
// Finds the view and the axis of a function along an int axis, or over all elements for None.
// Returns false if the general path must run.
bool along_axis(PyObject* object, PyObject* axis_argument, View& view, std::size_t& axis);
// Makes a view one-dimensional; returns false if that needs a copy.
bool make_vector(View& view);
// Returns the bytes from the first element of a view to the element at `position` in C order.
std::int64_t element_offset(const View& view, std::int64_t position);
// Returns a view of the same bytes as `dtype`. Throws NumPy's errors.
View view_as(const View& view, DType dtype);
// Throws ValueError if a view of `array` reaches outside its base or the computed part of it.
void check_bounds(const View& view, const View& array);
// Parses a shape argument: an int or a sequence of ints.
Dims parse_shape(PyObject* argument);
// The same for the arguments of a method: one shape, or several extents.
Dims shape_arguments(PyObject* const* args, Py_ssize_t count);
// Returns whether it is a bool of Python's or NumPy's, which is no extent, axis or position
// although some versions of NumPy give it an index.
inline bool is_bool(PyObject* o) { return PyBool_Check(o) || PyArray_IsScalar(o, Bool); }
void check_axes(Py_ssize_t count);  // throws ValueError above kMaxDims
char parse_order(PyObject* argument, char fallback);
bool has_order(const View& view, char order);  // whether it needs no copy; true for 'K'
int parse_axis(PyObject* argument, int ndim, const char* prefix = nullptr);

// ---- parts ----

PyObject* index_read(ArrayObject* array, PyObject* key);
void index_write(ArrayObject* array, PyObject* key, PyObject* value);
PyObject* index_item(ArrayObject* array, Py_ssize_t position);  // sequence slot

extern PyGetSetDef array_getset[];
PyGetSetDef* scalar_attributes();
extern PyMethodDef array_methods[];
PyMethodDef* scalar_methods();  // array_methods and numeric dunder methods
// Falls back to attributes of NumPy's scalar. Arrays have no getattro slot of their own: a type
// with one creates a bound method in each call.
PyObject* scalar_getattro(PyObject* self, PyObject* name);
// Returns extents or strides as a new tuple of ints; null with a Python error set.
PyObject* tuple_of(std::span<const std::int64_t> values);
extern PyMethodDef module_functions[];
extern PyMethodDef draw_functions[];
const PyType_Slot* number_slots(std::size_t& count);
PyObject* array_richcompare(PyObject* a, PyObject* b, int op);
PyObject* array_repr(PyObject* self);
PyObject* array_str(PyObject* self);
PyObject* array_iter(PyObject* self);
int array_contains(PyObject* self, PyObject* value);
int array_get_buffer(PyObject* self, Py_buffer* buffer, int flags);
// Restores the Python error that NumPy discarded when it requested the array's buffer, such as a
// warning that a filter raises. Returns false if there is none.
bool raise_unheard(PyObject* array);
void array_release_buffer(PyObject* self, Py_buffer* buffer);
// The number of arrays with an export that lasts until they die; end_lasting_export ends it.
extern std::size_t lasting_exports;
void end_lasting_export(PyObject* array);
PyObject* new_flags(ArrayObject* array);
PyObject* new_flat(ArrayObject* array);
bool init_export();
bool init_foreign(PyObject* module);
bool init_flags();
bool init_flat();
bool init_convert();

}  // namespace hassium
