// Functions for rows that are routines: they resolve dtypes by the row's rule, record the row, and
// return NotImplemented for the calls that NumPy must handle.
#include <algorithm>

#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc_parts.hpp"
#include "ops/dtype_rules.hpp"

namespace hassium {
namespace {

// The parameters that a function is bound to, packed in a Python int.
struct Bound {
    Op op;
    int like;  // the input with the shape of the result; -1: a vector, its length comes last
    std::uint64_t options;

    PyObject* pack() const {
        const auto number = static_cast<long long>(options << 24) | (like + 1) << 16;
        return PyLong_FromLongLong(number | static_cast<int>(op));
    }
    static Bound unpack(PyObject* packed) {
        const auto bits = static_cast<std::uint64_t>(PyLong_AsLongLong(packed));
        return {static_cast<Op>(bits & 0xffff), static_cast<int>(bits >> 16 & 0xff) - 1,
                bits >> 24};
    }
};

// Returns whether an object can be input `k`: the first one must be our array with axes; others may
// be NumPy's arrays, or numbers.
bool is_input(PyObject* object, int k) {
    if (Py_TYPE(object) == array_type) return k > 0 || as_array(object)->view.ndim() > 0;
    return k > 0 && (PyArray_CheckExact(object) || PyLong_CheckExact(object) ||
                     is_plain_double(object) || Py_TYPE(object) == scalar_type);
}

std::optional<Loop> find_loop(Op op, const Operands& operands) {
    OperandType types[3];
    for (int k = 0; k < operands.count; ++k) types[k] = {operands.args[k].dtype};
    try {
        return resolve(op, {types, static_cast<std::size_t>(operands.count)});
    } catch (const UserError&) {
        return std::nullopt;
    }
}

// The inputs of a request, cast where the loop computes in another dtype.
class Inputs {
  public:
    // Returns false if a number does not fit its dtype.
    bool set(Request& request, const Operands& operands, const Loop& loop) {
        request.nin = static_cast<std::uint8_t>(operands.count);
        for (int k = 0; k < operands.count; ++k) {
            const OperandArg& arg = operands.args[k];
            Input& input = request.in[k];
            input.dtype = loop.in[k];
            if (!arg.view) {
                if (to_constant(arg.scalar, loop.in[k], input.value)) continue;
                PyErr_Clear();
                return false;
            }
            if (arg.dtype != loop.in[k]) cast_[k] = contiguous_copy(*arg.view, loop.in[k]);
            input.view = arg.dtype == loop.in[k] ? arg.view : &cast_[k];
        }
        return true;
    }

  private:
    View cast_[3];
};

// Called as (inputs ..) or (inputs .., length): returns the result, or NotImplemented
// if NumPy must answer.
PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    const Bound bound = Bound::unpack(self);
    const int nin = info(bound.op).nin;
    if (keywords || count != nin + (bound.like < 0)) Py_RETURN_NOTIMPLEMENTED;
    Operands operands;
    for (int k = 0; k < nin; ++k) {
        if (!is_input(args[k], k) || !operands.add(args[k])) Py_RETURN_NOTIMPLEMENTED;
    }
    // If the result has another shape than the first input, that must be a vector.
    if (bound.like != 0 && operands.args[0].view->ndim() != 1) Py_RETURN_NOTIMPLEMENTED;
    const std::optional<Loop> loop = find_loop(bound.op, operands);
    if (!loop) Py_RETURN_NOTIMPLEMENTED;
    Dims shape;
    if (bound.like < 0) {
        shape.push_back(checked(PyLong_AsLongLong(args[nin])));
        check_extents(shape, itemsize(loop->out[0]));
    } else if (const View* like = operands.args[bound.like].view) {
        shape = like->shape;
    }
    Request request;
    Inputs inputs;
    if (!inputs.set(request, operands, *loop)) Py_RETURN_NOTIMPLEMENTED;
    View result = fresh_view(loop->out[0], shape);
    request.op = bound.op;
    request.compute = loop->compute;
    request.axes = bound.options;
    request.out[0] = &result;
    request.at_call = result.ndim() == 0;  // returned as NumPy's scalar
    if (result.size() > 0) Engine::instance().submit(request);
    if (request.at_call) return element_at(data_to_read(result), result.dtype);
    return new_array(std::move(result));
}

PyMethodDef definition = method<call>("routine");

}  // namespace

View routine_result(Op op, DType compute, std::initializer_list<const View*> ins, View out,
                    std::uint64_t options) {
    Request request;
    request.op = op;
    request.compute = compute;
    for (const View* in : ins) {
        Input& input = request.in[request.nin++];
        input.view = in;
        input.dtype = in->dtype;
    }
    request.axes = options;
    request.out[0] = &out;
    request.at_call = true;
    Engine::instance().submit(request);
    return out;
}

PyObject* make_routine(PyObject*, PyObject* args) {
    const char* name;
    int like = 0;
    unsigned long long options = 0;
    if (!PyArg_ParseTuple(args, "s|iK:routine", &name, &like, &options)) throw PythonError();
    const std::optional<Op> op = find_op(name);
    const bool fits = op && info(*op).is_opaque() && !info(*op).has(kUfunc);
    if (!fits || like < -1 || like >= info(*op).nin) {
        fail(ErrorKind::Value, "routine() takes a row that is a routine, and one of its inputs");
    }
    const Ref bound = own(Bound{*op, like, options}.pack());
    return PyCFunction_New(&definition, bound.get());
}

HS_FAST_METHOD(are_points) {
    if (count != 2 || Py_TYPE(args[0]) != array_type || Py_TYPE(args[1]) != array_type) {
        Py_RETURN_FALSE;
    }
    const View &x = as_array(args[0])->view, &y = as_array(args[1])->view;
    const bool fits =
        x.ndim() == 1 && x.size() > 1 && x.shape == y.shape && kind(x.dtype) != DTypeKind::Complex;
    if (!fits) Py_RETURN_FALSE;
    const bool plain = x.dtype == DType::F64 && x.c_contiguous();
    const View doubles = plain ? x : contiguous_copy(x, DType::F64);
    const auto* const first = reinterpret_cast<const double*>(data_to_read(doubles));
    const double* const last = first + doubles.size();
    auto falls = [](double a, double b) { return !(a <= b); };
    return PyBool_FromLong(std::adjacent_find(first, last, falls) == last);
}

}  // namespace hassium
