// New arrays by shape or value, and views of any strides, for the Python package.
#include <utility>

#include "bind/array/array_methods.hpp"
#include "bind/random/bit_generator.hpp"
#include "bind/ufunc/ufunc.hpp"
#include "record/allocation.hpp"

namespace hassium {
namespace {

constexpr int kZero = 0, kOne = 1;

View laid_out(DType dtype, const Dims& shape, bool fortran) {
    check_extents(shape, itemsize(dtype));
    View view = fortran ? fortran_view(dtype, shape) : fresh_view(dtype, shape);
    require_memory(view);
    return view;
}

// Returns whether a number must be cast, as assignment may raise an error for it: floats to an
// integer dtype, and integers that are not weak: NumPy's, datetime64 and timedelta64, and those of
// derived types.
bool casts_to_fill(PyObject* value, DType dtype) {
    if (PyLong_Check(value)) return !PyLong_CheckExact(value);
    if (PyFloat_Check(value)) return is_integer(dtype);
    return PyObject_TypeCheck(value, &PyIntegerArrType_Type) ||
           PyObject_TypeCheck(value, &PyDatetimeArrType_Type) ||
           (is_integer(dtype) && PyObject_TypeCheck(value, &PyFloatingArrType_Type));
}

// Parses the order of a new array without a model: returns whether it is 'F'.
bool column_major(PyObject* argument) {
    const char order = parse_order(argument, 'C');
    if (order != 'C' && order != 'F') {
        fail(ErrorKind::Value, "only 'C' or 'F' order is permitted");
    }
    return order == 'F';
}

// empty, zeros and ones: (shape, dtype, order, *, device, like).
PyObject* create_plain(const char* name, const int* fill, PyObject* const* args, Py_ssize_t count,
                       PyObject* keywords) {
    auto found = sort_arguments(name, {"shape", "dtype", "order", "device", "like"}, {3, 1}, args,
                                count, keywords);
    if (given(found[4]) && !is_array(found[4])) return by_numpy(name, args, count, keywords);
    check_device(found[3]);
    DType dtype = DType::F64;
    if (given(found[1]) && !parse_dtype(found[1], dtype)) {
        return by_numpy(name, args, count, keywords);
    }
    View view = laid_out(dtype, parse_shape(found[0]), column_major(found[2]));
    if (fill) record_fill(view, *fill ? one_of(dtype) : Constant{});
    return new_array(std::move(view));
}

}  // namespace

HS_FAST_METHOD(create_empty) { return create_plain("empty", nullptr, args, count, keywords); }
HS_FAST_METHOD(create_zeros) { return create_plain("zeros", &kZero, args, count, keywords); }
HS_FAST_METHOD(create_ones) { return create_plain("ones", &kOne, args, count, keywords); }

namespace {

// empty_like, zeros_like and ones_like: (model, dtype, order, subok, shape, *, device).
PyObject* create_like(const char* name, const char* model_name, const int* fill,
                      PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    auto found = sort_arguments(name, {model_name, "dtype", "order", "subok", "shape", "device"},
                                {5, 1}, args, count, keywords);
    check_device(found[5]);
    const Ref model = own(array_of(found[0]));
    if (!is_array(model.get())) return by_numpy(name, args, count, keywords);
    const View& like = as_array(model.get())->view;
    DType dtype = like.dtype;
    if (given(found[1]) && !parse_dtype(found[1], dtype)) {
        return by_numpy(name, args, count, keywords);
    }
    const char order = parse_order(found[2], 'K');
    const Dims shape = given(found[4]) ? parse_shape(found[4]) : like.shape;
    check_extents(shape, itemsize(dtype));
    View view = fresh_in_order(like, dtype, shape, order);
    require_memory(view);
    if (fill) record_fill(view, *fill ? one_of(dtype) : Constant{});
    return new_array(std::move(view));
}

}  // namespace

HS_FAST_METHOD(create_empty_like) {
    return create_like("empty_like", "prototype", nullptr, args, count, keywords);
}
HS_FAST_METHOD(create_zeros_like) {
    return create_like("zeros_like", "a", &kZero, args, count, keywords);
}
HS_FAST_METHOD(create_ones_like) {
    return create_like("ones_like", "a", &kOne, args, count, keywords);
}

HS_FAST_METHOD(create_full) {
    auto found = sort_arguments("full", {"shape", "fill_value", "dtype", "order", "device", "like"},
                                {4, 2}, args, count, keywords);
    if (given(found[5]) && !is_array(found[5])) return by_numpy("full", args, count, keywords);
    check_device(found[4]);
    DType dtype = DType::F64;
    if (given(found[2])) {
        if (!parse_dtype(found[2], dtype)) return by_numpy("full", args, count, keywords);
    } else {
        OperandArg value;
        const bool native = to_operand(found[1], value);
        dtype = value.dtype;
        if (!native || (value.weak == Weak::Int && beyond_integers(found[1]))) {
            return by_numpy("full", args, count, keywords);
        }
    }
    View view = laid_out(dtype, parse_shape(found[0]), column_major(found[3]));
    PyObject* value = found[1];
    OperandArg number;
    if (view.size() == 0 && !to_operand(value, number)) {  // NumPy converts no element
        return by_numpy("full", args, count, keywords);
    }
    Ref strong;
    if (PyComplex_CheckExact(value) && kind(dtype) != DTypeKind::Complex) {
        // full() casts with a warning where assignment to an element raises an error.
        strong = own(PyObject_CallOneArg(numpy_attribute("complex128"), value));
        value = strong.get();
    } else if (casts_to_fill(value, dtype)) {
        strong = own(array_of(value));
        value = strong.get();
    }
    assign(view, assignment_value(value, dtype));
    return new_array(std::move(view));
}

// ---- views of arrays ----

HS_FAST_METHOD(create_broadcast_to) {
    auto found =
        sort_arguments("broadcast_to", {"array", "shape", "subok"}, {3, 2}, args, count, keywords);
    Ref source = shared_array(found[0]);
    const bool native = is_array(source.get()) && found[1] != Py_None;
    if (!native) return by_numpy("broadcast_to", args, count, keywords);
    const View& view = as_array(source.get())->view;
    Dims shape = parse_shape(found[1]);
    for (std::int64_t extent : shape) {
        if (extent < 0) {
            fail(ErrorKind::Value, "all elements of broadcast shape must be non-negative");
        }
    }
    check_extents(shape, itemsize(view.dtype));
    View result = view;
    if (!broadcast_strides(view, shape, result.strides)) {
        fail(ErrorKind::Value,
             "operands could not be broadcast together with remapped shapes [original->remapped]: ",
             shape_text(view.shape), "  and requested shape ", shape_text(shape));
    }
    result.shape = shape;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (shape[k] == 1) result.strides[k] = 0;
    }
    return view_of(as_array(source.get()), std::move(result), false);
}

// view_of(array, shape, strides, offset=0, writeable=True): returns a view of the array's base with
// strides and offset in bytes, checked against the base's bounds.
HS_FAST_METHOD(create_view_of) {
    auto found = sort_arguments("view_of", {"array", "shape", "strides", "offset", "writeable"},
                                {5}, args, count, keywords);
    if (!found[0] || !found[1] || !found[2] || !is_array(found[0])) {
        fail(ErrorKind::Type, "view_of() takes an array, a shape and strides");
    }
    ArrayObject* array = as_array(found[0]);
    View view = array->view;
    view.shape = parse_shape(found[1]);
    view.strides = parse_shape(found[2]);
    check_extents(view.shape, itemsize(view.dtype));
    if (view.shape.size() != view.strides.size()) {
        fail(ErrorKind::Value, "shape and strides differ in length");
    }
    if (found[3]) {
        view.offset += checked(PyNumber_AsSsize_t(found[3], PyExc_OverflowError));
    }
    check_bounds(view, owner_view(array));
    return view_of(array, std::move(view), flag(found[4], true));
}

}  // namespace hassium
