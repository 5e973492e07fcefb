// Attributes of arrays and lazy scalars.
#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "bind/array/array_methods.hpp"
#include "bind/module/call_sites.hpp"
#include "program/overlap.hpp"

namespace hassium {

PyObject* tuple_of(std::span<const std::int64_t> values) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
    if (!tuple) return nullptr;
    for (std::size_t k = 0; k < values.size(); ++k) {
        PyObject* item = PyLong_FromLongLong(values[k]);
        if (!item) {
            Py_DECREF(tuple);
            return nullptr;
        }
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(k), item);
    }
    return tuple;
}

namespace {

__extension__ typedef __int128 Wide;

void no_delete(PyObject* value, const char* name) {
    if (value) return;
    PyErr_Format(PyExc_AttributeError, "Cannot delete array %s", name);
    throw PythonError();
}

PyObject* get_shape(PyObject* self, void*) { return tuple_of(as_array(self)->view.shape); }
PyObject* get_strides(PyObject* self, void*) { return tuple_of(as_array(self)->view.strides); }
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromSize_t(as_array(self)->view.ndim()); }
PyObject* get_size(PyObject* self, void*) {
    return PyLong_FromLongLong(as_array(self)->view.size());
}
PyObject* get_itemsize(PyObject* self, void*) {
    return PyLong_FromLongLong(itemsize(as_array(self)->view.dtype));
}
PyObject* get_nbytes(PyObject* self, void*) {
    const View& view = as_array(self)->view;
    return PyLong_FromLongLong(view.size() * itemsize(view.dtype));
}
PyObject* get_dtype(PyObject* self, void*) {
    return Py_NewRef(numpy_dtype(as_array(self)->view.dtype));
}
PyObject* get_base(PyObject* self, void*) {
    PyObject* parent = as_array(self)->parent;
    return Py_NewRef(parent ? parent : Py_None);
}
PyObject* get_device(PyObject*, void*) { return PyUnicode_InternFromString("cpu"); }
PyObject* get_priority(PyObject*, void*) { return PyFloat_FromDouble(0.5); }

PyObject* get_transposed(PyObject* self, void*) {
    ArrayObject* array = as_array(self);
    return array->is_scalar ? Py_NewRef(self) : view_of(array, reversed(array->view));
}

PyObject* get_matrix_transposed(PyObject* self, void*) {
    ArrayObject* array = as_array(self);
    View view = array->view;
    std::size_t n = view.ndim();
    if (n < 2) fail(ErrorKind::Value, "matrix transpose with ndim < 2 is undefined");
    std::swap(view.shape[n - 1], view.shape[n - 2]);
    std::swap(view.strides[n - 1], view.strides[n - 2]);
    return view_of(array, std::move(view));
}

// Returns the view of the real (0) or imaginary (1) parts of a complex array.
View part_of(const View& whole, int part) {
    View view = whole;
    view.dtype = whole.dtype == DType::C64 ? DType::F32 : DType::F64;
    view.offset += part * itemsize(view.dtype);
    return view;
}

PyObject* get_part(PyObject* self, void* closure) {
    ArrayObject* array = as_array(self);
    int part = closure ? 1 : 0;
    if (kind(array->view.dtype) == DTypeKind::Complex) {
        View view = part_of(array->view, part);
        return array->is_scalar ? new_scalar(std::move(view)) : view_of(array, std::move(view));
    }
    if (part == 0) return Py_NewRef(self);
    const View& view = array->view;
    View zeros = fresh_in_order(view, view.dtype, view.shape, 'A');
    record_fill(zeros, Constant{});
    return array->is_scalar ? new_scalar(std::move(zeros))
                            : new_array(std::move(zeros), nullptr, false);
}

void set_part(PyObject* self, PyObject* value, void* closure) {
    ArrayObject* array = as_array(self);
    int part = closure ? 1 : 0;
    no_delete(value, part ? "imag" : "real");
    check_writeable(array);
    bool complex = kind(array->view.dtype) == DTypeKind::Complex;
    if (part && !complex) {
        fail(ErrorKind::Type, "array does not have imaginary part to set");
    }
    View target = complex ? part_of(array->view, part) : array->view;
    assign(target, assignment_value(value, target.dtype));
}

// NumPy warns of assignments to more and more attributes from version to version. Where it does, an
// attribute of an array of its own is set to what it is.
template <class Question>
void warn_of_assignment(const char* name, Question warns) {
    if (!asked_once(warns)) return;
    const Ref array = own(PyArray_ZEROS(0, nullptr, NPY_BOOL, 0));
    const Ref value = own(PyObject_GetAttrString(array.get(), name));
    check(PyObject_SetAttrString(array.get(), name, value.get()));
}

void set_shape(PyObject* self, PyObject* value, void*) {
    no_delete(value, "shape");
    warn_of_assignment("shape", [] { return "shape_warns"; });
    ArrayObject* array = as_array(self);
    Dims shape = parse_shape(value);
    resolve_extents(array->view, shape);
    Dims strides;
    if (!reshaped_strides(array->view, shape, false, strides)) {
        PyErr_SetString(PyExc_AttributeError,
                        "Incompatible shape for in-place modification. Use `.reshape()` to "
                        "make a copy with the desired shape.");
        throw PythonError();
    }
    array->view.shape = shape;
    array->view.strides = strides;
}

void set_strides(PyObject* self, PyObject* value, void*) {
    no_delete(value, "strides");
    warn_of_assignment("strides", [] { return "strides_warns"; });
    ArrayObject* array = as_array(self);
    Dims strides = parse_shape(value);
    if (strides.size() != array->view.ndim()) {
        fail(ErrorKind::Value, "strides must be same length as shape (", array->view.ndim(), ")");
    }
    View view = array->view;
    view.strides = strides;
    check_bounds(view, owner_view(array));
    array->view = std::move(view);
}

void set_dtype(PyObject* self, PyObject* value, void*) {
    no_delete(value, "dtype");
    warn_of_assignment("dtype", [] { return "dtype_warns"; });
    DType dtype;
    if (!parse_dtype(value, dtype)) {
        fail(ErrorKind::Type, "only native dtypes can be assigned; use view()");
    }
    View view = view_as(as_array(self)->view, dtype);
    as_array(self)->view = std::move(view);
}

PyObject* get_flags(PyObject* self, void*) { return new_flags(as_array(self)); }

PyObject* get_flat(PyObject* self, void*) { return new_flat(as_array(self)); }

void set_flat(PyObject* self, PyObject* value, void*) {
    no_delete(value, "flat");
    check_writeable(as_array(self));
    count_eager("flat");
    Ref values = value == Py_None || !is_array(value) ? borrow(value) : borrow_numpy(value);
    Ref array = borrow_numpy(self, true);
    check(PyObject_SetAttrString(array.get(), "flat", values.get()));
}

PyObject* get_data(PyObject* self, void*) { return PyMemoryView_FromObject(self); }

// Returns an attribute that exposes the address. Its last use is unknown, so the base is pinned.
PyObject* get_by_address(PyObject* self, void* name) {
    if (raise_unheard(self)) return nullptr;
    const Ref exported = export_to_numpy(as_array(self));
    as_array(self)->view.base->pinned = true;
    return PyObject_GetAttrString(exported.get(), static_cast<const char*>(name));
}

PyObject* get_class(PyObject* self, void*) {
    auto* type = descr_of(as_array(self)->view.dtype)->typeobj;
    return Py_NewRef(reinterpret_cast<PyObject*>(type));
}

char kCtypes[] = "ctypes";
char kInterface[] = "__array_interface__";
char kStruct[] = "__array_struct__";
char kImaginary[] = "imag";

}  // namespace

void resolve_extents(const View& view, Dims& shape) {
    std::int64_t known = 1;
    std::ptrdiff_t unknown = -1;
    bool overflow = false;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (shape[k] < 0) {
            if (unknown >= 0) {
                fail(ErrorKind::Value, "can only specify one unknown dimension");
            }
            unknown = static_cast<std::ptrdiff_t>(k);
        } else {
            overflow |= __builtin_mul_overflow(known, shape[k], &known);
        }
    }
    std::int64_t size = view.size();
    bool fits = !overflow && (unknown < 0 ? known == size : known != 0 && size % known == 0);
    if (!fits) {
        // As NumPy writes it: without unknown extents in front.
        std::string text;
        for (const std::int64_t extent : shape) {
            if (text.empty() && extent < 0) continue;
            if (!text.empty()) text += ",";
            text += extent < 0 ? "newaxis" : std::to_string(extent);
        }
        fail(ErrorKind::Value, "cannot reshape array of size ", size, " into shape (", text,
             (shape.size() == 1 ? ",)" : ")"));
    }
    if (unknown >= 0) shape[static_cast<std::size_t>(unknown)] = size / known;
}

namespace {

std::int64_t least_step(const View& view) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t k = 0; k < view.ndim(); ++k) {
        if (view.shape[k] > 1 && view.strides[k] != 0) {
            least = std::min(least, std::abs(view.strides[k]));
        }
    }
    return least;
}

// Returns whether `view` stays within the bytes of `array` and, if the dtypes are equal, has no
// smaller stride.
bool may_be_subview(const View& view, const View& array) {
    std::int64_t first, last, array_first, array_last;
    byte_bounds({view.offset, itemsize(view.dtype), view.shape, view.strides}, first, last);
    byte_bounds({array.offset, itemsize(array.dtype), array.shape, array.strides}, array_first,
                array_last);
    const bool shorter = view.dtype == array.dtype && least_step(view) < least_step(array);
    return first >= array_first && last <= array_last && !shorter;
}

}  // namespace

// Computes in 128 bits (a compiler extension): extents times a user's strides may overflow 64.
void check_bounds(const View& view, const View& array) {
    if (view.size() == 0) return;
    // In a partial base only the elements of its live arrays are computed.
    if (array.base->partial && !may_be_subview(view, array)) {
        fail(ErrorKind::Value, "strides is not compatible with available memory");
    }
    Wide first = view.offset, last = view.offset + itemsize(view.dtype);
    for (std::size_t k = 0; k < view.ndim(); ++k) {
        Wide reach = static_cast<Wide>(view.shape[k] - 1) * view.strides[k];
        (reach < 0 ? first : last) += reach;
    }
    if (first < 0 || last > view.base->bytes) {
        fail(ErrorKind::Value, "strides is not compatible with available memory");
    }
}

View view_as(const View& view, DType dtype) {
    View result = view;
    result.dtype = dtype;
    std::int64_t from = itemsize(view.dtype), to = itemsize(dtype);
    if (from == to) return result;
    std::size_t n = view.ndim();
    if (n == 0) {
        fail(ErrorKind::Value,
             "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    }
    if (view.shape[n - 1] != 1 && view.size() != 0 && view.strides[n - 1] != from) {
        fail(ErrorKind::Value,
             "To change to a dtype of a different size, the last axis must be contiguous");
    }
    std::int64_t bytes = view.shape[n - 1] * from;
    if (bytes % to != 0) {
        fail(ErrorKind::Value, to > from
                                   ? "When changing to a larger dtype, its size must be a divisor "
                                     "of the total size in bytes of the last axis of the array."
                                   : "When changing to a smaller dtype, its size must be a divisor "
                                     "of the size of original dtype");
    }
    result.shape[n - 1] = bytes / to;
    result.strides[n - 1] = to;
    return result;
}

PyGetSetDef array_getset[] = {
    {"shape", get_shape, guard<set_shape>, nullptr, nullptr},
    {"strides", get_strides, guard<set_strides>, nullptr, nullptr},
    {"ndim", get_ndim, nullptr, nullptr, nullptr},
    {"size", get_size, nullptr, nullptr, nullptr},
    {"itemsize", get_itemsize, nullptr, nullptr, nullptr},
    {"nbytes", get_nbytes, nullptr, nullptr, nullptr},
    {"dtype", get_dtype, guard<set_dtype>, nullptr, nullptr},
    {"T", guard<get_transposed>, nullptr, nullptr, nullptr},
    {"mT", guard<get_matrix_transposed>, nullptr, nullptr, nullptr},
    {"real", guard<get_part>, guard<set_part>, nullptr, nullptr},
    {"imag", guard<get_part>, guard<set_part>, nullptr, kImaginary},
    {"base", get_base, nullptr, nullptr, nullptr},
    {"flags", guard<get_flags>, nullptr, nullptr, nullptr},
    {"flat", guard<get_flat>, guard<set_flat>, nullptr, nullptr},
    {"data", get_data, nullptr, nullptr, nullptr},
    {"device", get_device, nullptr, nullptr, nullptr},
    {"ctypes", guard<get_by_address>, nullptr, nullptr, kCtypes},
    {"__array_interface__", guard<get_by_address>, nullptr, nullptr, kInterface},
    {"__array_struct__", guard<get_by_address>, nullptr, nullptr, kStruct},
    {"__array_priority__", get_priority, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// Returns the read-only attributes of lazy scalars: those of arrays that NumPy's scalars have too.
PyGetSetDef* scalar_attributes() {
    static std::vector<PyGetSetDef> table;
    if (!table.empty()) return table.data();
    table.push_back({"__class__", get_class, nullptr, nullptr, nullptr});
    constexpr std::string_view kOfArrays[] = {"mT", "ctypes", "__array_struct__"};
    for (const PyGetSetDef& row : array_getset) {
        if (row.name && std::ranges::find(kOfArrays, row.name) != std::end(kOfArrays)) continue;
        table.push_back({row.name, row.get, nullptr, row.doc, row.closure});
    }
    return table.data();
}

}  // namespace hassium
