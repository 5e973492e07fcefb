// What the files of the array type share: NumPy's C API, owned references, reading and writing of
// memory, recorded copies. Everything is called under the GIL.
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

// The text of a str, alive as long as it; throws for other objects and for lone surrogates, which
// have no UTF-8.
inline const char* text_of(PyObject* word) {
    const char* text = PyUnicode_AsUTF8(word);
    if (!text) throw PythonError();
    return text;
}

// Other threads of Python run as long as it lives.
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
// Throws what NumPy raises. The message is the parts, texts and numbers, in a row.
template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, const Parts&... parts) {
    std::string message;
    (append(message, parts), ...);
    throw UserError(kind, message);
}

// ---- modules and names looked up once ----

// Borrowed: the object that `make` gives when it is first wanted; each lambda has one of its own.
// A static variable that is initialised by a call has a guard. What makes the object may run Python
// code, so another thread may fork meanwhile, and the child would wait for that guard for ever.
template <class Make>
PyObject* made_once(Make make) {
    static PyObject* kept = nullptr;
    if (!kept) {
        Ref made = own(make());
        if (!kept) kept = made.release();  // no other thread came first
    }
    return kept;
}
PyObject* numpy_attribute(const char* dotted);  // borrowed, "ndarray" or "exceptions.AxisError"
PyArray_Descr* descr_of(DType dtype);           // borrowed
PyArray_Descr* new_descr(DType dtype);          // a new reference, for functions that take it over
bool native_dtype(const PyArrayObject* array, DType& out);  // false: it has another one
// dtype argument of a user; false: a dtype that is not native (no error). Throws PythonError.
bool parse_dtype(PyObject* argument, DType& out, Ref* descr = nullptr);
// The dtype that an argument stands for, in this machine's byte order.
Ref in_native_order(PyObject* dtype);
const char* scalar_type_name(DType dtype);

// ---- memory ----

inline ArrayObject* self_of(PyObject* o) { return reinterpret_cast<ArrayObject*>(o); }

// Address of the first element, with everything pending on the base done.
inline char* ready_data(const View& view) {
    Base& base = *view.base;
    if (!base.idle() || !base.data) return Engine::instance().ready(view);
    Engine::instance().reads.read(base);
    return base.data + view.offset;
}
// The same for who only reads: other readers may be pending.
inline const char* data_to_read(const View& view) {
    Base& base = *view.base;
    if (!base.readable()) return Engine::instance().ready(view);
    Engine::instance().reads.read(base);
    return base.data + view.offset;
}
// A view of fresh memory that exists already, to be filled in place.
View filled_view(DType dtype, std::span<const std::int64_t> shape, char*& data);
// Shape and size of an array that is to be made; throws NumPy's errors.
void check_extents(std::span<const std::int64_t> shape, std::int64_t itemsize);
// NumPy's array on memory that it does not own.
Ref numpy_on(char* data, DType dtype, std::span<const std::int64_t> shape,
             std::span<const std::int64_t> strides, bool writeable);
// A transient NumPy array on the memory; it keeps `owner` alive, but the base is not exported: to
// be used and dropped before anything can be recorded on it.
Ref borrow_numpy(const View& view, PyObject* owner, bool writeable = false);
inline Ref borrow_numpy(PyObject* array, bool writeable = false) {
    return borrow_numpy(self_of(array)->view, array, writeable);
}
// NumPy's scalar of the element at `address`; of doubles, which most elements are, made in place.
inline PyObject* element_at(const char* address, DType dtype) {
    if (dtype != DType::F64) {
        return PyArray_Scalar(const_cast<char*>(address), descr_of(dtype), nullptr);
    }
    PyObject* scalar = PyArrayScalar_New(Double);
    if (scalar) std::memcpy(&PyArrayScalar_VAL(scalar, Double), address, sizeof(double));
    return scalar;
}
// Makes NumPy's arrays and scalars leave operators with arrays to the arrays.
void replace_numpy_slots();
bool teach_numpy_views();
// NumPy's scalar of the first element of an array, or of a lazy scalar: computed when pending.
Ref scalar_value(PyObject* self);
// Whether it is a float of Python or NumPy's double, which is one, and nothing derived from them.
inline bool is_plain_double(PyObject* o) {
    return PyFloat_CheckExact(o) || Py_TYPE(o) == &PyDoubleArrType_Type;
}
// What of ours NumPy is to assign: it would take it for a number of Python.
inline Ref as_numpys(PyObject* value) {
    if (!is_array(value)) return borrow(value);
    return Py_TYPE(value) == scalar_type ? scalar_value(value) : borrow_numpy(value);
}

// ---- recorded moves ----

// An input of a request: a view, or a number that is one of `dtype`.
inline Input input_of(const View& view) { return {&view, view.dtype}; }
template <class Number>
Input input_of(Number number, DType dtype) {
    Input input{nullptr, dtype};
    std::memcpy(input.value.bytes, &number, sizeof number);
    return input;
}
// A request of a row on these inputs, to be submitted while the views live.
Request request_of(Op op, DType compute, const View& out, std::initializer_list<Input> inputs);
// dst[...] = src under NumPy's broadcasting and unsafe casting; overlap is the engine's business.
void record_copy(const View& dst, const View& src, const View* mask = nullptr);
void record_fill(const View& dst, const Constant& value, const View* mask = nullptr);
// `value` broadcast to the shape of dst as an assignment does: leading axes of one are dropped.
std::optional<View> broadcast_value(const View& value, std::span<const std::int64_t> shape);
View contiguous_copy(const View& view, DType dtype);
// order: 'C', 'F', 'A' or 'K', the last two as NumPy's of a new array that is to be like `model`.
View fresh_in_order(const View& model, DType dtype, const Dims& shape, char order);
View copy_in_order(const View& view, DType dtype, char order);
// The right side of an assignment: a constant, or a view.
struct Value {
    View view;
    Constant constant = {};
    bool is_constant = false;
};
// array_like.cpp: the array that NumPy makes of any object (PyArray_FromAny, which takes `descr`
// over); or the array of ours that the object's `__array__` gave, where that is to be the result
// itself. Null with an error.
Ref array_from_any(PyObject* object, PyArray_Descr* descr, int most_axes, int flags);
// NumPy's array in both cases. Throws.
Ref numpy_from_any(PyObject* object, PyArray_Descr* descr, int most_axes, int flags);
// Whether NumPy calls the object's `__array__`, which may return an array of ours. Then a stand-in
// that NumPy can read takes its place.
bool needs_stand_in(PyObject* object);
bool may_need_stand_in(PyTypeObject* type);  // may any object of that type?
Ref stand_in_for(PyObject* object);
// Whether it is one of NumPy's three ways to copy, which not every function takes.
bool is_copy_mode(PyObject* object);
// docs.cpp: gives entries of a table without a text that of NumPy's attribute of `owner`.
void document(PyMethodDef* table, PyObject* owner);
void document(PyGetSetDef* table, PyObject* owner);
// NumPy's text of a function with a line about ours at the end; a new reference.
PyObject* documented(PyObject* text);
// ---- memory shared with NumPy ----

// NumPy's array on the memory of `array`, without a copy; one object as long as it is referenced.
// The base is eager until then. Throws.
Ref export_to_numpy(ArrayObject* array);
// Drops the exports made for a call; unreferenced arrays are kept for the next call.
void end_loan(Ref numpys);
// Whether NumPy's array shows the same elements in the same way as ours, whose base is ready.
bool shows(PyObject* numpys, const ArrayObject* array);
// For an export: our array (null: it is no export), and the base that is exported. Borrowed.
PyObject* exported_array(PyObject* object);
Base* exported_base(PyObject* object);
// The array on the memory of NumPy's, both ways and as writeable as NumPy's: where that memory is
// ours, a view of our base or our array itself, which keep no export alive; else on a foreign base.
// `made_here`: only the caller has a reference to NumPy's array.
Ref view_of_numpy(PyArrayObject* numpys, bool made_here = false);
Ref copy_of_numpy(PyArrayObject* numpys);
Ref copy_of_numpy(PyArrayObject* numpys, DType dtype);  // which is its own
// An array on NumPy's array of a native dtype, to be read by an operation that is recorded next: a
// copy of few bytes, else shared memory.
Ref wrap_operand(PyArrayObject* numpys);
// The same of an array of ours, itself, or of NumPy's; null for any other object.
Ref plain_operand(PyObject* object);
// Who keeps the memory of one of NumPy's arrays. Borrowed.
struct MemoryOwner {
    PyObject* array = nullptr;  // ours, or null
    Base* base = nullptr;       // of ours, that the memory is in
    PyObject* owner = nullptr;  // else the last object that the bases lead to, which may be NumPy's
    bool direct = false;  // no other array of NumPy's in between: the export, not a view of it
};
MemoryOwner owner_of(PyArrayObject* numpys);
// `copy` was made of NumPy's array, where NumPy shares: its first write warns while the owner of
// the memory lives.
void warn_of_copy(ArrayObject* copy, PyObject* owner);
void tell_of_copy(ArrayObject* copy);
void forget_copy(ArrayObject* copy);
// `view` is a view of `array`.
void inherit_warning(ArrayObject* view, const ArrayObject* array);
// What a weak reference refers to, if that lives.
Ref referent(PyObject* weak);
// A fresh NumPy array without other references becomes an array. Throws.
Ref adopt_numpy(Ref fresh);
// An array of a derived class without axes: as a value of one element it speaks for itself, as a
// masked one does that refuses to be an integer.
inline bool is_derived_number(PyObject* object) {
    return PyArray_Check(object) && !PyArray_CheckExact(object) &&
           PyArray_NDIM(reinterpret_cast<PyArrayObject*>(object)) == 0;
}

// A list or tuple with elements that NumPy can read, at any depth: its scalars for lazy ones, which
// it takes for numbers of Python and does not cast; stand-ins for objects that need one. Itself
// where it has none of them, and any other object.
Ref with_numpys_elements(PyObject* object);
// NumPy's ComplexWarning where a cast drops imaginary parts.
void warn_complex_discard(DType from, DType to);
// Any Python value; of a list, each number is converted to `dtype`. A list nested deeper than
// `most_axes` is refused, unless that is 0.
Value assignment_value(PyObject* object, DType dtype, std::size_t most_axes = 0);
void assign(const View& dst, const Value& value, const View* mask = nullptr);
// A lazy scalar is a number to NumPy, which converts it to a signed integer with its errors: the
// value is wanted now where it may not fit. No other cast of a scalar fails.
inline bool may_not_fit(PyObject* value, DType dtype) {
    return Py_TYPE(value) == scalar_type && kind(dtype) == DTypeKind::Signed &&
           !can_cast(as_array(value)->view.dtype, dtype, Casting::Safe);
}
// A number in a dtype that it is cast to, which assignment might refuse.
Constant cast_number(PyObject* number, DType dtype);
// One element of `dtype` at `address` from any Python scalar, by NumPy's rules of assignment.
void pack_element(char* address, DType dtype, PyObject* value);
inline void touched(Base& base) { base.range_known = false; }
void check_writeable(ArrayObject* array);
// Tells once of a write to an array that warns of it.
void tell_of_write(ArrayObject* array);

// ---- views ----

// The parent that a view of `array` shows as its base: the array that it is itself a view of, ours
// or NumPy's.
inline PyObject* parent_for(ArrayObject* array) {
    PyObject* parent = array->parent;
    const bool of_array = parent && (is_array(parent) || PyArray_CheckExact(parent));
    return of_array ? parent : reinterpret_cast<PyObject*>(array);
}
// The view of the array that owns the elements, where that is ours.
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
// The same elements in another shape without a copy, or false.
bool reshaped_strides(const View& view, std::span<const std::int64_t> shape, bool fortran,
                      Dims& strides);
// Replaces one -1 by what is left; throws when the sizes differ.
void resolve_extents(const View& view, Dims& shape);
// Widens `shape` by the axes of `other`; false when two extents differ and none is 1.
bool broadcast_into(Dims& shape, const Dims& other);
// The elements of a view in C order without gaps as a vector; returns the view.
inline View&& as_vector(View&& view) {
    const std::int64_t size = view.size();
    view.shape = {size};
    view.strides = {itemsize(view.dtype)};
    return std::move(view);
}
// The view and the axis of a function along an axis that is an int, or over all elements for None;
// false: the general way.
bool along_axis(PyObject* object, PyObject* axis_argument, View& view, std::size_t& axis);
// Makes a vector of a view where that takes no copy.
bool make_vector(View& view);
// Bytes from the first element of a view to one by its position in C order.
std::int64_t element_offset(const View& view, std::int64_t position);
// The bytes of a view as another dtype.
View view_as(const View& view, DType dtype);
// ValueError when a view of an array reaches outside its base, or what was computed of it.
void check_bounds(const View& view, const View& array);
// Reads a shape argument (int or sequence of int) of a user.
Dims parse_shape(PyObject* argument);
std::int64_t parse_extent(PyObject* item);
// The same of the arguments of a method: one shape, or several extents.
Dims shape_arguments(PyObject* const* args, Py_ssize_t count);
void check_axes(Py_ssize_t count);  // ValueError for more than an array may have
char parse_order(PyObject* argument, char fallback);
bool has_order(const View& view, char order);  // without a copy; any order is K
int parse_axis(PyObject* argument, int ndim, const char* prefix = nullptr);

// ---- parts ----

PyObject* index_read(ArrayObject* array, PyObject* key);
void index_write(ArrayObject* array, PyObject* key, PyObject* value);
PyObject* index_item(ArrayObject* array, Py_ssize_t position);  // sequence slot

extern PyGetSetDef array_getset[];
PyGetSetDef* scalar_attributes();
extern PyMethodDef array_methods[];
PyMethodDef* scalar_methods();  // the same and the dunder methods of numbers
// Finds what only NumPy's scalar has. Arrays have no such slot: with one of its own a type pays for
// a bound method in each call.
PyObject* scalar_getattro(PyObject* self, PyObject* name);
// Extents or strides as a new tuple of ints; null with a Python error set.
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
// Raises what NumPy dropped when it asked this array for its buffer, as a warning that is an error.
// False: there is nothing.
bool raise_unheard(PyObject* array);
void array_release_buffer(PyObject* self, Py_buffer* buffer);
// How many arrays have an export that ends when they die, and the end of it.
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
