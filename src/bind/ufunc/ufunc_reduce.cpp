// reduce, and the reductions that are rows of their own (argmax).
//
// `where=` becomes a select against the identity before the reduction, `initial=` one more
// operation after it; both fuse with it.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "bind/array/array_call.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/ufunc/reduction_parts.hpp"

namespace hassium {
namespace {

// ---- constants ----

bool has_identity(Op op) { return info(op).identity != Identity::None; }

Constant identity_constant(Op op, DType dtype) {
    Constant constant = {};
    const Identity identity = info(op).identity;
    if (identity == Identity::AllOnes) {
        std::memset(constant.bytes, dtype == DType::Bool ? 1 : 0xff, sizeof constant.bytes);
        return constant;
    }
    const double value = identity == Identity::One        ? 1.0
                         : identity == Identity::MinusInf ? -std::numeric_limits<double>::infinity()
                                                          : 0.0;
    Ref number = own(PyFloat_FromDouble(value));
    if (!to_constant(number.get(), dtype, constant)) throw PythonError();
    return constant;
}

Constant initial_constant(PyObject* initial, DType dtype) {
    Constant constant = {};
    const Ref number = as_numpys(initial);
    pack_element(reinterpret_cast<char*>(constant.bytes), dtype, number.get());
    return constant;
}

// ---- recording ----

struct Reduction {
    Op op;
    View in;
    std::uint64_t axes = 0;
    DType compute = DType::F64;
    bool has_initial = false;
    bool no_identity = false;  // initial=None
    Constant initial = {};
};

[[noreturn]] void fail_empty(Op op) {
    const std::string name(info(op).name);
    if (info(op).is_arg_reduction()) {
        fail(ErrorKind::Value, "attempt to get ", name, " of an empty sequence");
    }
    fail(ErrorKind::Value, "zero-size array to reduction operation ", name,
         " which has no identity");
}

// Returns the value that replaces masked-out elements.
Constant neutral(const Reduction& r) {
    if (has_identity(r.op) && !r.no_identity) return identity_constant(r.op, r.compute);
    if (r.has_initial) return r.initial;
    fail(ErrorKind::Value, "reduction operation '", info(r.op).name,
         "' does not have an identity, so to use a where mask one has to specify 'initial'");
}

// where(mask, in, neutral): the reduction then needs no mask of its own.
void apply_mask(Reduction& r, const View& mask) {
    Dims strides;
    if (!broadcast_strides(mask, r.in.shape, strides)) {
        fail(ErrorKind::Value, "operands could not be broadcast together with shapes ",
             shape_text(mask.shape), " ", shape_text(r.in.shape));
    }
    const View* model = &r.in;
    View selected = fresh_view_like(r.compute, r.in.shape, {&model, 1});
    Request request =
        request_of(Op::Where, r.compute, selected,
                   {input_of(mask), input_of(r.in), {nullptr, r.compute, neutral(r)}});
    if (selected.size() > 0) submit(request);
    r.in = std::move(selected);
}

void fill(const View& view, const Constant& value) {
    if (view.size() > 0) record_fill(view, value);
}

// result = op(initial, result)
void apply_initial(const Reduction& r, const View& result) {
    const Loop loop = *loop_of(r.op, r.compute);
    Request request =
        request_of(r.op, r.compute, result, {{nullptr, loop.in[0], r.initial}, input_of(result)});
    submit(request);
}

// Records the reduction into `result`, which has the kept axes and the dtype of the loop's output.
void record_reduction(Reduction& r, const View& result) {
    const std::int64_t count = reduced_count(r.in, r.axes);
    const bool from_identity = !r.has_initial && !r.no_identity && has_identity(r.op);
    if (count == 0 && !r.has_initial && !from_identity) fail_empty(r.op);
    if (result.size() == 0) return;
    // NumPy starts from the identity, which matters only for a single element: gcd(0, -3) is 3.
    if (count == 1 && from_identity) {
        r.initial = identity_constant(r.op, r.compute);
        r.has_initial = true;
    }
    if (count == 0) {
        fill(result, r.has_initial ? r.initial : identity_constant(r.op, r.compute));
        return;
    }
    if (r.axes == 0 && !info(r.op).is_arg_reduction()) {
        record_cast(result, r.in, nullptr);
    } else {
        Request request = request_of(r.op, r.compute, result, {input_of(r.in)});
        if (!info(r.op).is_arg_reduction()) request.method = Method::Reduce;
        request.axes = r.axes;
        submit(request);
    }
    if (r.has_initial) apply_initial(r, result);
}

// ---- arguments ----

// Returns the kept axes of the user's output; throws NumPy's error for a wrong shape.
View kept_of_output(Op op, const View& out, const View& in, std::uint64_t axes, bool keepdims) {
    const View expected = without_axes(in, axes);
    const std::size_t wanted = keepdims ? in.ndim() : expected.ndim();
    if (out.ndim() != wanted) {
        fail(ErrorKind::Value, "output parameter for reduction operation ", info(op).name,
             " has the wrong number of dimensions: Found ", out.ndim(), " but expected ", wanted);
    }
    View kept = keepdims ? without_axes(out, axes) : out;
    bool same = kept.shape == expected.shape;
    for (std::size_t k = 0; keepdims && k < in.ndim(); ++k) {
        if (axes & bit(k)) same = same && out.shape[k] == 1;
    }
    if (!same) {
        fail(ErrorKind::Value, "non-broadcastable output operand with shape ",
             shape_text(out.shape), " doesn't match the reduced shape ",
             shape_text(expected.shape));
    }
    return kept;
}

// Returns the memory order of the kept axes among all axes, the reduced ones included: these decide
// where broadcast axes go.
AxisOrder kept_order(const View& in, std::uint64_t axes) {
    const View* model = &in;
    AxisOrder kept;
    for (const std::size_t axis : order_like(in.ndim(), {&model, 1})) {
        const std::uint64_t before = axes & (bit(axis) - 1);
        if (!(axes & bit(axis)))
            kept.push_back(axis - static_cast<std::size_t>(std::popcount(before)));
    }
    return kept;
}

// Calls NumPy's method with the same arguments.
PyObject* reduce_by_numpy(Op op, PyObject* array, const ReduceArgs& a) {
    PyObject* values[8] = {array};
    const char* words[6] = {};
    Py_ssize_t named = 0;
    auto add = [&](const char* word, PyObject* value) {
        words[named] = word;
        values[1 + named++] = value;
    };
    add("axis", a.axis ? a.axis : Py_None);
    if (is_given(a.dtype)) add("dtype", a.dtype);
    if (is_given(a.out)) add("out", a.out);
    if (a.as_array) add("out", Py_Ellipsis);
    if (a.initial) add("initial", a.initial);
    if (a.where) add("where", a.where);
    if (a.keepdims) add("keepdims", Py_True);
    Ref names = own(PyTuple_New(named));
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyTuple_SET_ITEM(names.get(), k, own(PyUnicode_InternFromString(words[k])).release());
    }
    if (!info(op).is_arg_reduction()) return numpy_answers(op, "reduce", {values, 1, names.get()});
    return by_numpy(std::string(info(op).name).c_str(), values, 1, names.get());
}

// Returns whether the constant, or a part of a complex one, is -0.0. Sums start from +0, which
// would lose the sign.
bool has_negative_zero(const Constant& constant, DType dtype) {
    if (!is_inexact(dtype)) return false;
    const auto* bytes = reinterpret_cast<const unsigned char*>(constant.bytes);
    const auto part =
        static_cast<std::size_t>(itemsize(dtype) / (kind(dtype) == DTypeKind::Complex ? 2 : 1));
    for (std::size_t end = part; end <= static_cast<std::size_t>(itemsize(dtype)); end += part) {
        const bool rest =
            std::any_of(bytes + end - part, bytes + end - 1, [](auto b) { return b; });
        if (!rest && bytes[end - 1] == 0x80) return true;
    }
    return false;
}

// Parses `initial`; returns whether the reduction can be recorded with it.
bool wants_initial(const ReduceArgs& a, Reduction& r) {
    if (!a.initial) return true;
    if (a.initial == Py_None) {
        r.no_identity = true;
        return true;
    }
    // `initial` is combined last, which is valid only for associative rows.
    if (!info(r.op).has(kAssociative)) return false;
    r.initial = initial_constant(a.initial, r.compute);
    r.has_initial = true;
    return !(info(r.op).identity == Identity::Zero && has_negative_zero(r.initial, r.compute));
}

// Checks the output of argmin or argmax: first its shape, then its dtype. NumPy casts into a copy
// and back, so a read-only one is found last.
void check_output_of_positions(Op op, const ReduceArgs& a, const View& in) {
    PyObject* out = a.out;
    DType dtype;
    if (is_array(out)) {
        const View& view = as_array(out)->view;
        dtype = view.dtype;
        kept_of_output(op, view, in, parse_axes(a.axis, in.ndim()), a.keepdims);
    } else if (!PyArray_Check(out) || !native_dtype(reinterpret_cast<PyArrayObject*>(out), dtype)) {
        return;
    }
    if (!can_cast(dtype, DType::I64, Casting::Safe)) fail_cast(dtype, DType::I64, Casting::Safe);
}

}  // namespace

PyObject* ufunc_reduce(Op op, PyObject* object, const ReduceArgs& a) {
    const bool by_position = info(op).is_arg_reduction();
    if (!by_position) check_reducible(op, "reduce");
    if (!by_position && !info(op).has(kReducible)) return reduce_by_numpy(op, object, a);
    Operands operands;
    Output out;
    Mask mask;
    bool native = operands.add(object) && operands.args[0].view;
    if (native && by_position && is_given(a.out)) {
        check_output_of_positions(op, a, *operands.args[0].view);
    }
    if (is_given(a.out)) native = native && out.take(a.out);
    native = native && mask.take(a.where);
    DType wanted = DType::F64;
    bool has_wanted = is_given(a.dtype);
    if (has_wanted) native = native && parse_dtype(a.dtype, wanted);
    if (!native) return reduce_by_numpy(op, object, a);

    Reduction r{op, *operands.args[0].view};
    const std::size_t ndim = r.in.ndim();
    r.axes = parse_axes(a.axis, ndim);
    if (by_position && !is_given(a.axis) && ndim > 1) {
        // Without an axis, positions count through all elements in C order.
        if (!make_vector(r.in)) r.in = as_vector(contiguous_copy(r.in, r.in.dtype));
        r.axes = 1;
    }
    r.compute =
        compute_dtype(op, r.in.dtype, has_wanted ? &wanted : nullptr, out ? &out.view() : nullptr);
    if (!by_position && std::popcount(r.axes) > 1 && !info(op).has(kReorderable)) {
        fail(ErrorKind::Value, "reduction operation '", info(op).name,
             "' is not reorderable, so at most one axis may be specified");
    }
    if (!wants_initial(a, r)) return reduce_by_numpy(op, object, a);
    if (r.axes != 0) {
        check_exponents_along(op, r.compute, r.in,
                              static_cast<std::size_t>(std::countr_zero(r.axes)));
    }

    const Dims kept = without_axes(r.in, r.axes).shape;
    const std::uint64_t shown_axes = by_position && !is_given(a.axis) ? all_axes(ndim) : r.axes;
    View shown;  // the user's output
    if (out) shown = kept_of_output(op, out.view(), *operands.args[0].view, shown_axes, a.keepdims);
    if (mask.view()) {
        apply_mask(r, *mask.view());
    } else if (a.where && a.where != Py_True) {
        neutral(r);  // NumPy requires one for every mask but True itself
    }

    const DType dtype = loop_of(op, r.compute)->out[0];
    const bool direct = out && shown.dtype == dtype;
    // NumPy keeps the memory order of axes, except for argmin and argmax.
    View result = direct        ? shown
                  : by_position ? fresh_view(dtype, kept)
                                : ordered_view(dtype, kept, kept_order(r.in, r.axes));
    record_reduction(r, result);
    if (out) {
        if (!direct) store_cast(shown, result);
        return out.result();
    }
    if (a.keepdims) result = with_axes(result, shown_axes, ndim);
    r.in = View();
    return wrap_result(std::move(result), !a.as_array, a.arguments);
}

// ---- numbers of a whole array ----
//
// A parameter of a function in Python would name the array, which would then be stored when the
// number is computed at the call (release_stack_temporary).

namespace {

// Records the sum of all elements of an array that has axes.
View recorded_sum(View&& in, DType compute) {
    Reduction sum{Op::Add, std::move(in)};
    sum.axes = all_axes(sum.in.ndim());
    sum.compute = compute_dtype(Op::Add, sum.in.dtype, &compute, nullptr);
    View result = fresh_view(compute, Dims{});
    record_reduction(sum, result);
    return result;
}

}  // namespace

// The mean of all elements, as an array's method or numpy.mean returns it without other arguments;
// NotImplemented if the Python function must answer.
HS_FAST_METHOD(mean) {
    if (count != 1 || keywords || Py_TYPE(args[0]) != array_type) Py_RETURN_NOTIMPLEMENTED;
    View in = as_array(args[0])->view;
    const DType kept = is_inexact(in.dtype) ? in.dtype : DType::F64;
    const DType compute = kept == DType::F16 ? DType::F32 : kept;
    // Integers up to here are exact in single precision.
    const std::int64_t most = compute == DType::F32 ? std::int64_t{1} << 24 : in.size();
    const bool plain = kind(compute) != DTypeKind::Complex && in.ndim() > 0;
    if (!plain || in.size() == 0 || in.size() > most) Py_RETURN_NOTIMPLEMENTED;
    Constant divisor = {};
    if (!to_constant(own(PyLong_FromLongLong(in.size())).get(), compute, divisor)) {
        throw PythonError();
    }
    View result = recorded_sum(std::move(in), compute);
    View quotient = fresh_view(compute, Dims{});
    Request request =
        request_of(Op::Divide, compute, quotient, {input_of(result), {nullptr, compute, divisor}});
    request.of_numbers = true;
    submit(request);
    if (kept != compute) {
        result = fresh_view(kept, Dims{});
        record_cast(result, quotient, nullptr);
    } else {
        result = std::move(quotient);
    }
    return wrap_result(std::move(result), true, {args[0], args + 1, 0, nullptr});
}

// The root of the sum of squares of pending numbers, as numpy.linalg.norm returns it without other
// arguments; NotImplemented if the Python function must answer.
HS_FAST_METHOD(norm) {
    if (count != 1 || keywords || Py_TYPE(args[0]) != array_type) Py_RETURN_NOTIMPLEMENTED;
    View in = as_array(args[0])->view;
    // The norm of a shorter vector is the root of a dot product, whether it is pending or not:
    // _FEW in linear_algebra.py.
    constexpr std::int64_t kFew = 1024;
    const bool real = in.dtype == DType::F64 || in.dtype == DType::F32;
    if (!real || in.size() <= kFew || in.base->readable()) Py_RETURN_NOTIMPLEMENTED;
    const DType dtype = in.dtype;
    const View* model = &in;
    View squares = fresh_view_like(dtype, in.shape, {&model, 1});
    Request square = request_of(Op::Multiply, dtype, squares, {input_of(in), input_of(in)});
    submit(square);
    in = View();
    const View sum = recorded_sum(std::move(squares), dtype);
    View root = fresh_view(dtype, Dims{});
    Request request = request_of(Op::Sqrt, dtype, root, {input_of(sum)});
    submit(request);
    return wrap_result(std::move(root), true, {args[0], args + 1, 0, nullptr});
}

}  // namespace hassium
