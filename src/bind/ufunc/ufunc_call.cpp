// One call of a ufunc: conversion of operands, choice of the loop as in NumPy, shapes, outputs, one
// recorded operation. All of the user's errors are raised before anything is recorded.
#include <cstring>

#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {
namespace {

[[noreturn]] void fail_broadcast(const Operands& operands, const Output* outs, int nout) {
    std::string shapes;
    auto add = [&](const View* view) {
        shapes += (view ? shape_text(view->shape) : std::string("()")) + " ";
    };
    for (int k = 0; k < operands.count; ++k) add(operands.args[k].view);
    for (int k = 0; k < nout; ++k) {
        if (outs[k]) add(&outs[k].view());
    }
    fail(ErrorKind::Value, "operands could not be broadcast together with shapes ", shapes);
}

// Returns the shape if all operands and outputs have the same one, else null.
const Dims* common_shape(const Operands& operands, const Output* outs, int nout) {
    const Dims* shape = nullptr;
    const auto agrees = [&shape](const View& view) {
        if (shape && !(*shape == view.shape)) return false;
        shape = &view.shape;
        return true;
    };
    for (int k = 0; k < operands.count; ++k) {
        if (operands.args[k].view && !agrees(*operands.args[k].view)) return nullptr;
    }
    for (int k = 0; k < nout; ++k) {
        if (outs[k] && !agrees(outs[k].view())) return nullptr;
    }
    return shape;
}

// Returns the shape of the operation: that of an operand, or the one broadcast into `shape`.
// Outputs take part but must not be broadcast.
const Dims& iteration_shape(const Operands& operands, const Mask& mask, const Output* outs,
                            int nout, Dims& shape) {
    if (!mask.view()) {
        if (const Dims* common = common_shape(operands, outs, nout)) return *common;
    }
    bool ok = true;
    for (int k = 0; k < operands.count; ++k) {
        const View* view = operands.args[k].view;
        if (view) ok = ok && broadcast_into(shape, view->shape);
    }
    if (mask.view()) ok = ok && broadcast_into(shape, mask.view()->shape);
    for (int k = 0; k < nout; ++k) {
        if (outs[k]) ok = ok && broadcast_into(shape, outs[k].view().shape);
    }
    if (!ok) fail_broadcast(operands, outs, nout);
    for (int k = 0; k < nout; ++k) {
        if (!outs[k] || outs[k].view().shape == shape) continue;
        fail(ErrorKind::Value, "non-broadcastable output operand with shape ",
             shape_text(outs[k].view().shape), " doesn't match the broadcast shape ",
             shape_text(shape));
    }
    return shape;
}

// Returns a fresh view for a result with the layout that `order` requires.
View result_view(DType dtype, const Dims& shape, const Operands& operands, char order) {
    if (shape.size() < 2 || order == 'C') return fresh_view(dtype, shape);
    const View* models[3];
    std::size_t count = 0;
    bool all_c = true;
    bool all_f = true;
    for (int k = 0; k < operands.count; ++k) {
        const View* view = operands.args[k].view;
        if (!view) continue;
        models[count++] = view;
        const bool same = view->shape == shape;
        all_c = all_c && same && view->c_contiguous();
        all_f = all_f && view->f_contiguous();
    }
    if (order == 'F' || (order == 'A' && all_f && count > 0)) return fortran_view(dtype, shape);
    if (order == 'A' || all_c) return fresh_view(dtype, shape);
    return fresh_view_like(dtype, shape, {models, count});
}

}  // namespace

void check_casts(Op op, const Operands& operands, const Loop& loop, Casting casting) {
    // Logical operations accept any dtype.
    if (casting >= Casting::SameKind || info(op).rule == DTypeRule::Logical) return;
    for (int k = 0; k < operands.count; ++k) {
        const OperandArg& arg = operands.args[k];
        if (arg.weak != Weak::Strong || can_cast(arg.dtype, loop.in[k], casting)) continue;
        const std::string which = operands.count > 1 ? "input " + std::to_string(k) : "input";
        fail(ErrorKind::Casting, "Cannot cast ufunc '", info(op).name, "' ", which, " from dtype('",
             info(arg.dtype).name, "') to dtype('", info(loop.in[k]).name, "') with casting rule '",
             casting_name(casting), "'");
    }
}

void check_output_cast(Op op, int index, DType from, DType to, Casting casting) {
    if (can_cast(from, to, casting)) return;
    const std::string which = info(op).nout > 1 ? "output " + std::to_string(index) : "output";
    fail(ErrorKind::Casting, "Cannot cast ufunc '", info(op).name, "' ", which, " from dtype('",
         info(from).name, "') to dtype('", info(to).name, "') with casting rule '",
         casting_name(casting), "'");
}

namespace {

// Warns of casts that drop imaginary parts, which only casting='unsafe' allows.
void warn_of_casts(Op op, const Operands& operands, const Loop& loop, const Output* outs) {
    for (int k = 0; k < operands.count; ++k) {
        if (operands.args[k].view) warn_complex_discard(operands.args[k].dtype, loop.in[k]);
    }
    for (int k = 0; k < info(op).nout; ++k) {
        if (outs[k]) warn_complex_discard(loop.out[k], outs[k].view().dtype);
    }
}

Loop choose_loop(Op& op, const Operands& operands, const Keywords& keywords) {
    OperandType types[3];
    for (int k = 0; k < operands.count; ++k) {
        types[k] = {operands.args[k].dtype, operands.args[k].weak};
    }
    const std::span<const OperandType> span(types, static_cast<std::size_t>(operands.count));
    if (keywords.has_dtype) return resolve_as(op, span, keywords.dtype, keywords.casting);
    return resolve(op, span);
}

// ---- recording ----

// Throws where NumPy converts a Python int to a narrower integer than `dtype` first: to C's long
// for its truth value, to C's int for the exponent of a number.
void check_weak_int(Op op, const Operands& operands, int k, DType dtype) {
    PyObject* const value = operands.args[k].scalar;
    if (dtype == DType::Bool) {
        if (PyLong_AsLong(value) == -1 && PyErr_Occurred()) throw PythonError();
    } else if (info(op).rule == DTypeRule::Ldexp && operands.args[0].dtype != DType::Bool &&
               dtype == DType::I64) {
        Constant exponent = {};
        if (!to_constant(value, DType::I32, exponent)) throw PythonError();
    }
}

void fill_inputs(Op op, const Operands& operands, const Loop& loop, bool unsafe, const Dims& shape,
                 Request& request) {
    request.nin = static_cast<std::uint8_t>(operands.count);
    for (int k = 0; k < operands.count; ++k) {
        const OperandArg& arg = operands.args[k];
        Input& in = request.in[k];
        if (arg.view) {
            in.view = arg.view;
            in.dtype = arg.dtype;
            continue;
        }
        in.dtype = loop.in[k];
        const bool refused = arg.weak == Weak::Float || arg.weak == Weak::Complex;
        if (unsafe && refused && !can_cast(arg.dtype, loop.in[k], Casting::SameKind)) {
            in.value = cast_number(arg.scalar, loop.in[k]);
            continue;
        }
        if (arg.weak == Weak::Int) check_weak_int(op, operands, k, loop.in[k]);
        if (!to_constant(arg.scalar, loop.in[k], in.value)) throw PythonError();
    }
    if (element_count(shape) > 0 && checks_exponents(op, request.compute)) {
        const Input& exponent = request.in[1];
        request.mask    ? check_exponents(loop.compute, operands.args[1], shape, *request.mask)
        : exponent.view ? check_exponents(loop.compute, *exponent.view)
                        : check_exponent(operands.args[1].scalar);
    }
}

PyObject* finish(Output* outs, View* fresh, int nout, bool scalar_if_0d) {
    PyObject* results[2] = {};
    for (int k = 0; k < nout; ++k) {
        results[k] = outs[k] ? outs[k].result() : wrap_result(std::move(fresh[k]), scalar_if_0d);
        if (!results[k]) {
            Py_XDECREF(results[0]);
            throw PythonError();
        }
    }
    if (nout == 1) return results[0];
    PyObject* pair = PyTuple_Pack(2, results[0], results[1]);
    Py_DECREF(results[0]);
    Py_DECREF(results[1]);
    return pair;
}

PyObject* record_map(Op op, const Operands& operands, const Keywords& keywords, Output* outs,
                     const Mask& mask) {
    const Op row = op;
    const Loop loop = choose_loop(op, operands, keywords);
    const int nout = info(op).nout;
    check_casts(row, operands, loop, keywords.casting);
    for (int k = 0; k < nout; ++k) {
        if (outs[k]) check_output_cast(row, k, loop.out[k], outs[k].view().dtype, keywords.casting);
    }
    if (keywords.casting == Casting::Unsafe) warn_of_casts(row, operands, loop, outs);
    Dims broadcast;
    const Dims& shape = iteration_shape(operands, mask, outs, nout, broadcast);
    if (shape.size() > static_cast<std::size_t>(kMaxDims)) {
        fail(ErrorKind::Value, "too many dimensions");
    }
    Request request;
    request.op = op;
    request.compute = loop.compute;
    request.nout = static_cast<std::uint8_t>(nout);
    request.mask = mask.view();
    request.of_numbers = keywords.of_numbers;
    if (!compare_beyond_dtype(operands, loop, request)) {
        const bool unsafe = keywords.casting == Casting::Unsafe;
        fill_inputs(op, operands, loop, unsafe, shape, request);
    }
    const auto result = [&](int k) {
        const bool needed = k < nout && !outs[k];
        return needed ? result_view(loop.out[k], shape, operands, keywords.order) : View();
    };
    View fresh[2] = {result(0), result(1)};
    for (int k = 0; k < nout; ++k) request.out[k] = outs[k] ? &outs[k].view() : &fresh[k];
    if (request.out[0]->size() > 0) {
        request.errstate = current_errstate();
        Engine::instance().submit(request);
    }
    return finish(outs, fresh, nout, !keywords.as_array);
}

// Warns of results that a mask leaves as they are, where NumPy warns: its own function is called
// so.
void warn_uninitialised(const Keywords& keywords) {
    const bool masked = keywords.where && keywords.where != Py_True;
    if (!masked || keywords.has_out() || keywords.out_is_none) return;
    PyObject* const names = made_once([] { return Py_BuildValue("(s)", "where"); });
    PyObject* const function = made_once([] { return Py_NewRef(numpy_attribute("positive")); });
    const Ref zero = own(PyArray_ZEROS(0, nullptr, NPY_INT64, 0));
    const Ref mask = own(PyArray_ZEROS(0, nullptr, NPY_BOOL, 0));
    PyObject* const args[] = {zero.get(), mask.get()};
    own(PyObject_Vectorcall(function, args, 1, names));
}

// Returns whether it is the power to a half of real numbers, of which some versions of NumPy take
// the root and others C's power, which differs for -0 and -inf.
bool is_half_power(Op op, const Operands& operands) {
    if (!info(op).is_power() || operands.args[1].view || !operands.args[0].view) return false;
    const DType dtype = operands.args[0].dtype;
    PyObject* const exponent = operands.args[1].scalar;
    if (kind(dtype) != DTypeKind::Float || !PyFloat_Check(exponent)) return false;
    if (PyFloat_AS_DOUBLE(exponent) != 0.5) return false;
    return !asked_once([] { return "power_takes_roots"; });
}

}  // namespace

bool Output::take(PyObject* object) {
    const bool array = is_array(object);
    if (!(array && !as_array(object)->is_scalar) && !PyArray_Check(object)) {
        if (overrides_ufuncs(object)) return false;
        fail(ErrorKind::Type, "return arrays must be of ArrayType");
    }
    object_ = object;
    if (array) {
        if (!as_array(object)->writeable) {
            fail(ErrorKind::Value, "output array is read-only");
        }
        tell_of_write(as_array(object));
        return true;
    }
    if (!PyArray_CheckExact(object)) return false;
    auto* ndarray = reinterpret_cast<PyArrayObject*>(object);
    if (!PyArray_ISWRITEABLE(ndarray)) {
        fail(ErrorKind::Value, "output array is read-only");
    }
    DType dtype;
    if (!native_dtype(ndarray, dtype)) return false;
    shared_ = view_of_numpy(ndarray);
    return true;
}

bool Mask::take(PyObject* where) {
    if (!where || where == Py_True) return true;
    // Numbers and elements of lists are tested for truth; only an array must be of dtype bool.
    Ref changed;
    if (PyList_Check(where) || PyTuple_Check(where)) {
        changed = own(PyArray_FromAny(where, PyArray_DescrFromType(NPY_BOOL), 0, 0, 0, nullptr));
    } else if (Py_TYPE(where) == scalar_type && as_array(where)->view.dtype != DType::Bool) {
        changed = scalar_value(where);
    }
    if (changed) where = changed.get();
    Operands operand;
    const bool nothing = where == Py_None;  // None is false
    if (!nothing && !operand.add(where)) return false;
    OperandArg& arg = operand.args[0];
    if (nothing || !arg.view) {
        const int truth = PyObject_IsTrue(where);
        check(truth);
        if (truth) return true;
        char* data = nullptr;
        View view = filled_view(DType::Bool, {}, data);
        *data = 0;
        array_ = own(new_array(std::move(view)));
        return true;
    }
    if (arg.dtype != DType::Bool) {
        fail(ErrorKind::Type, "Cannot cast array data from dtype('", info(arg.dtype).name,
             "') to dtype('bool') according to the rule 'safe'");
    }
    array_ = arg.keep ? std::move(arg.keep) : borrow(where);
    return true;
}

void record_cast(const View& out, const View& from, const View* mask) {
    if (out.size() == 0) return;
    Request request = request_of(Op::Copy, out.dtype, out, {input_of(from)});
    request.mask = mask;
    request.errstate = current_errstate();
    Engine::instance().submit(request);
}

PyObject* execute_plain(Op op, PyObject* const* ins, const RawCall& raw, bool of_numbers) {
    Operands operands;
    bool any_view = false;
    for (int k = 0; k < info(op).nin; ++k) {
        if (!operands.add(ins[k])) return numpy_answers(op, nullptr, raw);
        any_view = any_view || operands.args[k].view;
    }
    // NumPy computes on scalars alone: it returns its own scalar and needs no array.
    if (!any_view) {
        return PyObject_Vectorcall(numpy_ufunc(op), raw.args, static_cast<std::size_t>(raw.count),
                                   raw.names);
    }
    if (is_half_power(op, operands)) return numpy_answers(op, nullptr, raw);
    Output none[2];
    Keywords keywords;
    keywords.of_numbers = of_numbers;
    return record_map(op, operands, keywords, none, {});
}

PyObject* execute(Op op, PyObject* const* ins, const Keywords& keywords, const RawCall& raw) {
    if (info(op).rule == DTypeRule::None || keywords.foreign) {
        return numpy_answers(op, nullptr, raw);
    }
    if (info(op).is_opaque()) return execute_matrix(op, ins, keywords, raw);
    Operands operands;
    Output outs[2];
    Mask mask;
    bool native = true;
    bool any_view = keywords.has_out() || keywords.where || keywords.as_array;
    for (int k = 0; k < info(op).nin; ++k) {
        // `v += a` with NumPy's array on the left reads the memory that it writes.
        const bool in_place = ins[k] == keywords.out[0] && PyArray_CheckExact(ins[k]);
        if (in_place && !outs[0]) native = native && outs[0].take(ins[k]);
        native = native && operands.add(in_place ? outs[0].object() : ins[k]);
        any_view = any_view || operands.args[k].view;
    }
    for (int k = 0; k < info(op).nout; ++k) {
        if (keywords.out[k] && !outs[k]) native = native && outs[k].take(keywords.out[k]);
    }
    native = native && mask.take(keywords.where);
    if (!native) return numpy_answers(op, nullptr, raw);
    if (!any_view) {
        return PyObject_Vectorcall(numpy_ufunc(op), raw.args, static_cast<std::size_t>(raw.count),
                                   raw.names);
    }
    if (is_half_power(op, operands)) return numpy_answers(op, nullptr, raw);
    warn_uninitialised(keywords);
    return record_map(op, operands, keywords, outs, mask);
}

}  // namespace hassium
