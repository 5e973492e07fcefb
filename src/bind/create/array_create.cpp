// New arrays by shape, value or range, and views of any strides: what the Python front calls.
#include <cstring>
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
    require_memory(dtype, shape);
    return fortran ? fortran_view(dtype, shape) : fresh_view(dtype, shape);
}

// Is this a number that an assignment may refuse and a cast does not? Floats are, and integers that
// are not weak: NumPy's, its dates and spans of time, and those of derived types.
bool casts_to_fill(PyObject* value, DType dtype) {
    if (PyLong_Check(value)) return !PyLong_CheckExact(value);
    if (PyFloat_Check(value)) return is_integer(dtype);
    return PyObject_TypeCheck(value, &PyIntegerArrType_Type) ||
           PyObject_TypeCheck(value, &PyDatetimeArrType_Type) ||
           (is_integer(dtype) && PyObject_TypeCheck(value, &PyFloatingArrType_Type));
}

// The order of a new array that is like no other.
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

HS_FAST_METHOD(create_empty) {
    (void)self;
    return create_plain("empty", nullptr, args, count, keywords);
}
HS_FAST_METHOD(create_zeros) {
    (void)self;
    return create_plain("zeros", &kZero, args, count, keywords);
}
HS_FAST_METHOD(create_ones) {
    (void)self;
    return create_plain("ones", &kOne, args, count, keywords);
}

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
    require_memory(dtype, shape);
    View view = fresh_in_order(like, dtype, shape, order);
    if (fill) record_fill(view, *fill ? one_of(dtype) : Constant{});
    return new_array(std::move(view));
}

HS_FAST_METHOD(create_empty_like) {
    (void)self;
    return create_like("empty_like", "prototype", nullptr, args, count, keywords);
}
HS_FAST_METHOD(create_zeros_like) {
    (void)self;
    return create_like("zeros_like", "a", &kZero, args, count, keywords);
}
HS_FAST_METHOD(create_ones_like) {
    (void)self;
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
        bool foreign = false;
        bool native = to_operand(found[1], value, &foreign);
        dtype = value.dtype;
        const bool beyond = native && value.weak == Weak::Int && beyond_integers(found[1]);
        release(value);
        if (!native && !foreign) throw PythonError();
        if (!native || beyond) return by_numpy("full", args, count, keywords);
    }
    View view = laid_out(dtype, parse_shape(found[0]), column_major(found[3]));
    PyObject* value = found[1];
    Ref strong;
    if (PyComplex_CheckExact(value) && kind(dtype) != DTypeKind::Complex) {
        // Filling casts and warns, where assigning to an element refuses.
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
    if (!is_array(source.get())) return by_numpy("broadcast_to", args, count, keywords);
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
    return view_of(as_array(source.get()), std::move(result), false);
}

// view_of(array, shape, strides, offset=0, writeable=True): any view of the array's base, strides
// and offset in bytes, checked against its bounds.
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
        Py_ssize_t offset = PyNumber_AsSsize_t(found[3], PyExc_OverflowError);
        if (offset == -1 && PyErr_Occurred()) throw PythonError();
        view.offset += offset;
    }
    check_bounds(view, owner_view(array));
    return view_of(array, std::move(view), flag(found[4], true));
}

}  // namespace

PyMethodDef creation_functions[] = {
    method<create_empty>("empty"),
    method<create_zeros>("zeros"),
    method<create_ones>("ones", kFast,
                        "ones(shape, dtype=None, order='C', *, device=None, like=None)\n--\n\nA "
                        "new array of ones."),
    method<create_empty_like>("empty_like"),
    method<create_zeros_like>("zeros_like", kFast,
                              "zeros_like(a, dtype=None, order='K', subok=True, shape=None, *, "
                              "device=None)\n--\n\nZeros in "
                              "the shape, layout and dtype of `a`."),
    method<create_ones_like>("ones_like", kFast,
                             "ones_like(a, dtype=None, order='K', subok=True, shape=None, *, "
                             "device=None)\n--\n\nOnes in "
                             "the shape, layout and dtype of `a`."),
    method<create_full>("full", kFast,
                        "full(shape, fill_value, dtype=None, order='C', *, device=None, "
                        "like=None)\n--\n\nA new array "
                        "filled with `fill_value`."),
    method<create_arange>("arange"),
    method<create_array>("array"),
    method<create_asarray>("asarray"),
    method<create_concatenate>("concatenate"),
    method<create_broadcast_to>(
        "broadcast_to", kFast,
        "broadcast_to(array, shape, subok=False)\n--\n\nA read-only view of `array` in another "
        "shape."),
    method<create_view_of>("view_of"),
    method<create_from_numpy>("from_numpy"),
    method<create_as_view>("as_view", METH_O),
    method<array_from_pickle>("array_from_pickle"),
    method<find_true>("true_positions"),
    method<copy_plain>("copy_plain"),
    method<count_nonzero>("count_nonzero"),
    method<make_routine>("routine", METH_VARARGS),
    method<are_points>("are_points"),
    method<bincount>("bincount"),
    {"thread_count", count_threads, METH_NOARGS, nullptr},
    method<take_at>("take_at"),
    method<take_positions>("take_positions"),
    method<dot_product>("dot_product"),
    method<dot>("dot"),
    method<inner>("inner"),
    method<vdot>("vdot"),
    method<correlate>("correlate"),
    method<convolve>("convolve"),
    method<einsum>("einsum"),
    method<is_small_einsum>("is_small_einsum"),
    method<put>("put"),
    method<find_result_type>("result_type"),
    method<repeat_evenly>("repeat_evenly"),
    method<call_on_exports>("call_numpy"),
    method<make_importer>("importer"),
    method<make_lookup>("lookup"),
    {"drawer", make_sampler, METH_VARARGS, nullptr},
    {"stand_in", make_stand_in, METH_VARARGS, nullptr},
    {"chooser", make_chooser, METH_VARARGS, nullptr},
    method<make_random_stream>("random_stream", METH_VARARGS),
    method<pcg64_in_memory>("pcg64_in_memory", METH_O),
    method<mt19937_in_memory>("mt19937_in_memory", METH_O),
    method<register_methods>("register_methods", METH_VARARGS),
    method<register_array_class>("register_array_class", METH_O),
    {"is_any_array", is_any_array, METH_O, nullptr},
    {"register_array_function", register_array_function, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace hassium
