// reduceat: reduces segments along one axis that begin at the given indices.

#include "bind/array/array_methods.hpp"
#include "bind/index/index.hpp"
#include "bind/ufunc/reduction_parts.hpp"

namespace hassium {
namespace {

// Converts the beginnings of segments to int64 and checks their bounds; returns false if NumPy must
// handle them.
bool to_beginnings(PyObject* object, std::int64_t extent, View& beginnings) {
    const Ref given = own(array_of(object));
    if (!is_array(given.get())) return false;
    const View view = as_array(given.get())->view;
    if (view.ndim() != 1 || !is_integer(view.dtype) || view.dtype == DType::U64) return false;
    const bool lies = view.dtype == DType::I64 && view.c_contiguous();
    beginnings = lies ? view : contiguous_copy(view, DType::I64);
    const std::int64_t count = beginnings.size();
    if (count == 0) return false;
    const auto* const values = reinterpret_cast<const std::int64_t*>(data_to_read(beginnings));
    const PositionRange range = range_of(beginnings, values, count);
    return range.least >= 0 && range.most < extent;
}

}  // namespace

// Returns null if NumPy must answer.
PyObject* ufunc_reduceat(Op op, PyObject* object, PyObject* indices, std::size_t axis,
                         PyObject* dtype, PyObject* out_object) {
    Operands operands;
    Output out;
    if (!info(op).has(kReducible)) return nullptr;
    if (!operands.add(object) || !operands.args[0].view) return nullptr;
    if (is_given(out_object) && !out.take(out_object)) return nullptr;
    DType wanted = DType::F64;
    if (is_given(dtype) && !parse_dtype(dtype, wanted)) return nullptr;
    const View in = *operands.args[0].view;  // reading the indices may run code that reshapes it
    if (axis >= in.ndim() || in.size() == 0) return nullptr;
    View beginnings;
    if (!to_beginnings(indices, in.shape[axis], beginnings)) return nullptr;
    DType reduced;
    try {
        reduced = compute_dtype(op, in.dtype, is_given(dtype) ? &wanted : nullptr,
                                out ? &out.view() : nullptr);
    } catch (const UserError&) {
        return nullptr;
    }
    // float16 is computed in float32 and rounded once, as in its reductions.
    const DType compute = reduced == DType::F16 ? DType::F32 : reduced;
    const std::optional<Loop> loop = loop_of(op, compute);
    if (!loop || loop->out[0] != compute || checks_exponents(op, compute)) return nullptr;
    Dims shape = in.shape;
    shape[axis] = beginnings.size();
    if (out && out.view().shape != shape) return nullptr;
    View values = in;
    if (in.dtype != compute || !in.c_contiguous()) values = contiguous_copy(in, compute);
    const bool direct = out && out.view().dtype == compute && out.view().c_contiguous();
    View result = direct ? out.view() : fresh_view(compute, shape);
    Request request = request_of(op, compute, result, {input_of(values), input_of(beginnings)});
    request.method = Method::Reduceat;
    request.axes = bit(axis);
    submit(request);
    if (out) {
        if (!direct) store_cast(out.view(), result);
        return out.result();
    }
    // The axis of segments has no place in NumPy's order of the others.
    View model = in;
    model.strides[axis] = 0;
    const View* like = &model;
    View ordered = fresh_view_like(reduced, shape, {&like, 1});
    if (reduced == compute && ordered.c_contiguous()) return new_array(std::move(result));
    store_cast(ordered, result);
    return new_array(std::move(ordered));
}

}  // namespace hassium
