#include "bind/ufunc/reduction_parts.hpp"

namespace hassium {
namespace {

long long axis_number(PyObject* object) {
    if (is_bool(object)) fail(ErrorKind::Type, "an integer is required");
    return checked(PyLong_AsLongLong(own(PyNumber_Index(object)).get()));
}

}  // namespace

std::uint64_t all_axes(std::size_t ndim) { return ndim == 64 ? ~std::uint64_t{0} : bit(ndim) - 1; }

std::size_t normal_axis(long long axis, std::size_t ndim) {
    const auto n = static_cast<long long>(ndim);
    if (axis < -n || axis >= n) {
        fail(ErrorKind::Axis, "axis ", axis, " is out of bounds for array of dimension ", ndim);
    }
    return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

std::uint64_t parse_axes(PyObject* axis, std::size_t ndim) {
    if (!axis || axis == Py_None) return all_axes(ndim);
    std::uint64_t axes = 0;
    if (!PyTuple_Check(axis)) {
        const long long number = axis_number(axis);
        // As in NumPy, a reduction of a 0-d array may name the axis 0 or -1, but not in a tuple.
        if (ndim == 0 && (number == 0 || number == -1)) return 0;
        axes = bit(normal_axis(number, ndim));
    } else {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(axis); ++k) {
            const std::size_t one = normal_axis(axis_number(PyTuple_GET_ITEM(axis, k)), ndim);
            if (axes & bit(one)) {
                fail(ErrorKind::Value, "duplicate value in 'axis'");
            }
            axes |= bit(one);
        }
    }
    return axes;
}

View without_axes(const View& view, std::uint64_t axes) {
    View kept = view;
    kept.shape.clear();
    kept.strides.clear();
    for (std::size_t k = 0; k < view.ndim(); ++k) {
        if (axes & bit(k)) continue;
        kept.shape.push_back(view.shape[k]);
        kept.strides.push_back(view.strides[k]);
    }
    return kept;
}

View with_axes(const View& kept, std::uint64_t axes, std::size_t ndim) {
    View view = kept;
    view.shape.clear();
    view.strides.clear();
    std::size_t at = 0;
    for (std::size_t k = 0; k < ndim; ++k) {
        const bool reduced = (axes & bit(k)) != 0;
        view.shape.push_back(reduced ? 1 : kept.shape[at]);
        view.strides.push_back(reduced ? itemsize(kept.dtype) : kept.strides[at]);
        if (!reduced) ++at;
    }
    return view;
}

std::int64_t reduced_count(const View& view, std::uint64_t axes) {
    std::int64_t count = 1;
    for (std::size_t k = 0; k < view.ndim(); ++k) {
        if (axes & bit(k)) count *= view.shape[k];
    }
    return count;
}

void check_reducible(Op op, const char* method) {
    const OpInfo& row = info(op);
    if (row.nin != 2) {
        fail(ErrorKind::Value, method, " only supported for binary functions");
    }
    if (row.nout != 1) {
        fail(ErrorKind::Value, method, " only supported for functions returning a single value");
    }
}

DType compute_dtype(Op op, DType in, const DType* wanted, const View* out) {
    if (info(op).is_arg_reduction()) return in;
    if (wanted) {
        const DType dtype = reduction_dtype(op, in, *wanted);
        warn_complex_discard(in, dtype);
        return dtype;
    }
    return out ? reduction_dtype_into(op, in, out->dtype) : reduction_dtype(op, in);
}

void store_cast(const View& out, const View& result) {
    warn_complex_discard(result.dtype, out.dtype);
    record_cast(out, result, nullptr);
}

void check_exponents_along(Op op, DType compute, const View& in, std::size_t axis) {
    if (!checks_exponents(op, compute) || in.size() == 0) return;
    View exponents = in;
    exponents.offset += in.strides[axis];
    exponents.shape[axis] -= 1;
    check_exponents(compute, exponents);
}

void submit(Request& request) {
    request.errstate = current_errstate();
    Engine::instance().submit(request);
}

}  // namespace hassium
