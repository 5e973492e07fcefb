// Memory of arrays, and the recorded copies and fills of creation, copying and assignment.
#include <algorithm>

#include "bind/array/array_methods.hpp"
#include "bind/array/array_parts.hpp"
#include "bind/module/call_sites.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

void submit_copy(const View& dst, const Input& in, const View* mask) {
    if (dst.size() == 0) return;
    Request request = request_of(Op::Copy, dst.dtype, dst, {in});
    request.mask = mask;
    // Only a cast can raise a floating-point exception.
    if (in.dtype != dst.dtype) request.errstate = current_errstate();
    Engine::instance().submit(request);
}

// Records dst[...] = src for views of one shape.
void move(const View& dst, const View& src, const View* mask) {
    // `a[k] += b` ends with an assignment of a[k] to itself, a no-op.
    const Input in = input_of(src);
    if (!mask && (views_identical(dst, src) || Engine::instance().copy(dst, in))) return;
    warn_complex_discard(src.dtype, dst.dtype);
    submit_copy(dst, in, mask);
}

}  // namespace

Request request_of(Op op, DType compute, const View& out, std::initializer_list<Input> inputs) {
    Request request(op);
    request.compute = compute;
    request.out[0] = &out;
    request.nin = static_cast<std::uint8_t>(inputs.size());
    std::ranges::copy(inputs, request.in);
    return request;
}

void warn_complex_discard(DType from, DType to) {
    if (kind(from) != DTypeKind::Complex || kind(to) == DTypeKind::Complex) return;
    if (to == DType::Bool) return;
    check(warn_at_caller(numpy_attribute("exceptions.ComplexWarning"),
                         "Casting complex values to real discards the imaginary part"));
}

View filled_view(DType dtype, std::span<const std::int64_t> shape, char*& data) {
    View view = fresh_view(dtype, shape);
    data = Engine::instance().ready(view);
    return view;
}

void check_extents(std::span<const std::int64_t> shape, std::int64_t itemsize) {
    check_axes(static_cast<Py_ssize_t>(shape.size()));
    std::int64_t bytes = itemsize;
    bool too_big = false;
    for (std::int64_t extent : shape) {
        if (extent < 0) fail(ErrorKind::Value, "negative dimensions are not allowed");
        // Extents of 0 are skipped, not multiplied: the strides must be representable.
        if (extent != 0) too_big |= __builtin_mul_overflow(bytes, extent, &bytes);
    }
    if (too_big) {
        fail(
            ErrorKind::Value,
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible "
            "size.");
    }
}

Ref numpy_on(char* data, DType dtype, std::span<const std::int64_t> shape,
             std::span<const std::int64_t> strides, bool writeable) {
    Ref array =
        own(PyArray_NewFromDescr(&PyArray_Type, new_descr(dtype), static_cast<int>(shape.size()),
                                 reinterpret_cast<const npy_intp*>(shape.data()),
                                 reinterpret_cast<const npy_intp*>(strides.data()), data,
                                 writeable ? NPY_ARRAY_WRITEABLE : 0, nullptr));
    PyArray_UpdateFlags(array.ndarray(),
                        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    return array;
}

Ref borrow_numpy(const View& view, PyObject* owner, bool writeable) {
    char* data = writeable ? ready_data(view) : const_cast<char*>(data_to_read(view));
    Ref array = numpy_on(data, view.dtype, view.shape, view.strides, writeable);
    if (owner) check(PyArray_SetBaseObject(array.ndarray(), Py_NewRef(owner)));
    if (writeable) touched(*view.base);
    return array;
}

std::optional<View> broadcast_value(const View& value, std::span<const std::int64_t> shape) {
    View result;
    std::size_t drop = 0;
    while (value.ndim() - drop > shape.size() && value.shape[drop] == 1) ++drop;
    View trimmed = value;
    for (; drop; --drop) {
        trimmed.shape.erase(0);
        trimmed.strides.erase(0);
    }
    if (!broadcast_strides(trimmed, shape, result.strides)) return std::nullopt;
    result.base = value.base;
    result.dtype = value.dtype;
    result.offset = value.offset;
    result.shape.assign(shape.data(), shape.size());
    return result;
}

void record_copy(const View& dst, const View& src, const View* mask) {
    if (dst.shape == src.shape) return move(dst, src, mask);
    const std::optional<View> spread = broadcast_value(src, dst.shape);
    if (!spread) {
        std::span<const std::int64_t> shape = src.shape;
        while (shape.size() > dst.ndim() && shape[0] == 1) shape = shape.subspan(1);
        fail(ErrorKind::Value, "could not broadcast input array from shape ", shape_text(shape),
             " into shape ", shape_text(dst.shape));
    }
    move(dst, *spread, mask);
}

void record_fill(const View& dst, const Constant& value, const View* mask) {
    const Input in = {nullptr, dst.dtype, value};
    if (mask || !Engine::instance().copy(dst, in)) submit_copy(dst, in, mask);
}

View contiguous_copy(const View& view, DType dtype) {
    View copy = fresh_view(dtype, view.shape);
    record_copy(copy, view);
    return copy;
}

View fresh_in_order(const View& model, DType dtype, const Dims& shape, char order) {
    const bool same_axes = shape.size() == model.ndim();
    if (order == 'K' && !same_axes) order = 'C';
    if (order == 'K' || order == 'A') {
        const bool c = model.c_contiguous(), f = !c && model.f_contiguous();
        if (order == 'K' && !c && !f) {
            return ordered_view(dtype, shape, stride_order(model.strides));
        }
        order = f ? 'F' : 'C';
    }
    return order == 'F' ? fortran_view(dtype, shape) : fresh_view(dtype, shape);
}

View copy_in_order(const View& view, DType dtype, char order) {
    View copy = fresh_in_order(view, dtype, view.shape, order);
    record_copy(copy, view);
    return copy;
}

Value assignment_value(PyObject* object, DType dtype, std::size_t most_axes) {
    Value value;
    if (is_array(object)) {
        value.view = as_array(object)->view;
        return value;
    }
    const bool sequence = PyList_Check(object) || PyTuple_Check(object);
    const bool plain = PyList_CheckExact(object) || PyTuple_CheckExact(object);
    if (plain && PySequence_Fast_GET_SIZE(object) > 0 &&
        !is_array(PySequence_Fast_GET_ITEM(object, 0))) {
        const Ref numbers(array_of_list(object, &dtype, 'C'));
        if (numbers && as_array(numbers.get())->view.ndim() <= most_axes) {
            value.view = as_array(numbers.get())->view;
            return value;
        }
        if (PyErr_Occurred()) throw PythonError();
    }
    if (!sequence && !PyArray_Check(object)) {
        if (PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) ||
            PyObject_TypeCheck(object, &PyGenericArrType_Type)) {
            value.is_constant = true;
            pack_element(reinterpret_cast<char*>(value.constant.bytes), dtype, object);
            return value;
        }
    }
    // NumPy converts each element of lists, strings and objects, and raises its errors.
    auto as_dtype = [&](PyObject* from, int most) {
        constexpr int kRules = NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSUREARRAY;
        return numpy_from_any(from, new_descr(dtype), most, kRules);
    };
    Ref array;
    if (sequence) {
        array = as_dtype(object, static_cast<int>(most_axes));
    } else {
        array = own(array_from_any(object, nullptr, 0, 0).release());
        if (is_array(array.get())) {
            value.view = self_of(array.get())->view;
            return value;
        }
    }
    DType own_dtype;
    if (!native_dtype(array.ndarray(), own_dtype)) {
        array = as_dtype(array.get(), 0);
    }
    value.view = self_of(wrap_operand(array.ndarray()).get())->view;
    return value;
}

void assign(const View& dst, const Value& value, const View* mask) {
    if (value.is_constant) {
        record_fill(dst, value.constant, mask);
    } else {
        record_copy(dst, value.view, mask);
    }
}

void tell_of_write(ArrayObject* array) {
    if (array->warns == Warns::No) return;
    if (array->warns == Warns::Copied) return tell_of_copy(array);
    check(warn_at_caller(PyExc_DeprecationWarning,
                         "Numpy has detected that you (may be) writing to an array with\n"
                         "overlapping memory from np.broadcast_arrays. If this is intentional\n"
                         "set the WRITEABLE flag True or make a copy immediately before writing."));
    array->warns = Warns::No;
}

void check_writeable(ArrayObject* array, const char* refusal) {
    if (array->is_scalar) {
        fail(ErrorKind::Type, "'", scalar_type_name(array->view.dtype),
             "' object does not support item assignment");
    }
    if (!array->writeable) {
        fail(ErrorKind::Value, refusal);
    }
    tell_of_write(array);
}

// NumPy's function and `shares_memory`. Arrays on different bases stay pending.
HS_FAST_METHOD(may_share_memory) {
    if (count != 2 || keywords || !is_array(args[0]) || !is_array(args[1])) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    const Base &a = *as_array(args[0])->view.base, &b = *as_array(args[1])->view.base;
    const bool apart = &a != &b && !(a.eager() && b.eager());
    return Py_NewRef(apart ? Py_False : Py_NotImplemented);
}

}  // namespace hassium
