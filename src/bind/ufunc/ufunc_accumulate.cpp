// accumulate: running results along one axis.
#include "bind/ufunc/reduction_parts.hpp"

namespace hassium {
namespace {

PyObject* accumulate_by_numpy(Op op, PyObject* array, int axis, PyObject* dtype, PyObject* out) {
    Ref number = own(PyLong_FromLong(axis));
    PyObject* values[] = {array, number.get(), dtype ? dtype : Py_None, out ? out : Py_None};
    return numpy_answers(op, "accumulate", {values, 4, nullptr});
}

}  // namespace

PyObject* ufunc_accumulate(Op op, PyObject* object, int axis, PyObject* dtype,
                           PyObject* out_object) {
    check_reducible(op, "accumulate");
    Operands operands;
    Output out;
    bool native = info(op).has(kReducible) && operands.add(object) && operands.args[0].view;
    if (is_given(out_object)) native = native && out.take(out_object);
    DType wanted = DType::F64;
    bool has_wanted = is_given(dtype);
    if (has_wanted) native = native && parse_dtype(dtype, wanted);
    if (!native) return accumulate_by_numpy(op, object, axis, dtype, out_object);
    const View& in = *operands.args[0].view;
    if (in.ndim() == 0 && (axis == 0 || axis == -1)) {
        fail(ErrorKind::Type, "cannot accumulate on a scalar");
    }
    const std::size_t along = normal_axis(axis, in.ndim());
    Request request;
    request.op = op;
    request.method = Method::Accumulate;
    request.compute =
        compute_dtype(op, in.dtype, has_wanted ? &wanted : nullptr, out ? &out.view() : nullptr);
    request.nin = 1;
    request.in[0].view = &in;
    request.in[0].dtype = in.dtype;
    View whole;
    if (cast_raises(in.dtype, request.compute) != kNoFlag) {
        whole = contiguous_copy(in, request.compute);  // the cast must raise its warnings
        request.in[0].view = &whole;
        request.in[0].dtype = request.compute;
    }
    request.axes = bit(along);
    check_exponents_along(op, request.compute, in, along);
    const DType result_dtype = loop_of(op, request.compute)->out[0];
    if (out && !(out.view().shape == in.shape)) {
        fail(ErrorKind::Value, "provided out is the wrong size for the accumulation.");
    }
    const bool direct = out && out.view().dtype == result_dtype;
    const View* model = &in;
    View result = direct ? out.view() : fresh_view_like(result_dtype, in.shape, {&model, 1});
    request.out[0] = &result;
    if (in.size() > 0) submit(request);
    if (!out) return new_array(std::move(result));
    if (!direct) store_cast(out.view(), result);
    return out.result();
}

}  // namespace hassium
