// The methods of ufunc objects, and ndarray.__array_ufunc__.
#include <algorithm>

#include "bind/array/array_call.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {
namespace {

// Returns the output; a tuple of one output is accepted as a keyword argument.
PyObject* only_output(PyObject* out, bool by_keyword) {
    if (!out || !PyTuple_CheckExact(out) || !by_keyword) return out;
    if (PyTuple_GET_SIZE(out) != 1) {
        fail(ErrorKind::Value, "The 'out' tuple must have exactly one entry per ufunc output");
    }
    return PyTuple_GET_ITEM(out, 0);
}

// Returns whether the output is none, which versions of NumPy refuse in words of their own.
bool is_no_output(PyObject* out, bool by_keyword) {
    if (!out || out == Py_None || is_dots(out)) return false;
    if (PyTuple_CheckExact(out) && by_keyword) {
        if (PyTuple_GET_SIZE(out) != 1) return false;
        out = PyTuple_GET_ITEM(out, 0);
    }
    return !is_array(out) && !PyArray_Check(out);
}

// Returns a view of the array with `count` trailing axes of extent 1.
Ref with_trailing_axes(PyObject* array, std::size_t count) {
    View view = as_array(array)->view;
    if (view.ndim() + count > static_cast<std::size_t>(kMaxDims)) {
        fail(ErrorKind::Value, "too many dimensions");
    }
    for (std::size_t k = 0; k < count; ++k) {
        view.shape.push_back(1);
        view.strides.push_back(itemsize(view.dtype));
    }
    return own(view_of(as_array(array), std::move(view)));
}

PyObject* outer(PyObject* self, const RawCall& raw) {
    const Op op = as_ufunc(self)->op;
    if (info(op).nin != 2) {
        fail(ErrorKind::Value, "outer product only supported for binary functions");
    }
    if (raw.count != 2) {
        fail(ErrorKind::Type, "outer() takes exactly 2 positional arguments (", raw.count,
             " given)");
    }
    Operands operands;
    if (!info(op).is_elementwise() || !operands.add(raw.args[0]) || !operands.add(raw.args[1])) {
        return numpy_answers(op, "outer", raw);
    }
    const OperandArg& a = operands.args[0];
    const OperandArg& b = operands.args[1];
    const std::size_t names = raw.names ? static_cast<std::size_t>(PyTuple_GET_SIZE(raw.names)) : 0;
    SmallVec<PyObject*, 8> args;
    for (std::size_t k = 0; k < 2 + names; ++k) args.push_back(raw.args[k]);
    // NumPy converts numbers to arrays here, so they are not weak.
    Ref numbers[2];
    for (std::size_t k = 0; k < 2; ++k) {
        if (operands.args[k].view) continue;
        numbers[k] = own(array_of(raw.args[k]));
        args[k] = numbers[k].get();
    }
    Ref first;
    if (a.view && b.view) {
        first = with_trailing_axes(a.keep ? a.keep.get() : raw.args[0], b.view->ndim());
        args[0] = first.get();
        if (b.keep) args[1] = b.keep.get();
    }
    return PyObject_Vectorcall(self, args.data(), 2, raw.names);
}

Op row_of_numpy(PyObject* ufunc, bool& found) {
    found = false;
    Ref name(PyObject_GetAttrString(ufunc, "__name__"));
    const char* text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
    PyErr_Clear();
    const std::optional<Op> op = text ? find_op(text) : std::nullopt;
    found = op && ufunc_object(*op) && numpy_ufunc(*op) == ufunc;
    return found ? *op : Op::Del;
}

bool any_override(const RawCall& raw) {
    const Py_ssize_t names = raw.names ? PyTuple_GET_SIZE(raw.names) : 0;
    for (Py_ssize_t k = 0; k < raw.count + names; ++k) {
        PyObject* object = raw.args[k];
        if (!PyTuple_CheckExact(object)) {
            if (overrides_ufuncs(object)) return true;
            continue;
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
            if (overrides_ufuncs(PyTuple_GET_ITEM(object, i))) return true;
        }
    }
    return false;
}

// Calls a ufunc that is no row (SciPy's, or one of frompyfunc) or has foreign operands on exported
// memory.
PyObject* numpys_own(PyObject* ufunc, PyObject* method, const RawCall& raw) {
    Ref function = own(PyObject_GetAttr(ufunc, method));
    Ref name = own(PyObject_GetAttrString(ufunc, "__name__"));
    PyObject* made = guarded([&] {
        return by_numpy(function.get(), text_of(name.get()), raw.args, raw.count, raw.names);
    });
    // Every operand has refused; so does this one, and NumPy raises the error for the original
    // call.
    const bool refused =
        !made && error_says(PyExc_TypeError, "operand type(s) all returned NotImplemented");
    if (!refused) return made;
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
}

}  // namespace

PyObject* method_reduce(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    const Op op = as_ufunc(self)->op;
    auto found =
        sort_arguments("reduce", {"array", "axis", "dtype", "out", "keepdims", "initial", "where"},
                       {7, 1}, args, count, names);
    const bool foreign = !is_array(found[0]) && overrides_ufuncs(found[0]);
    if (foreign || is_no_output(found[3], count < 4)) {
        return numpy_answers(op, "reduce", {args, count, names});
    }
    Ref first_axis = own(PyLong_FromLong(0));
    ReduceArgs reduction;
    reduction.axis = found[1] ? found[1] : first_axis.get();
    reduction.dtype = found[2];
    reduction.as_array = is_dots(found[3]);
    if (!reduction.as_array) reduction.out = only_output(found[3], count < 4);
    if (reduction.as_array && count > 3) {
        fail(ErrorKind::Type, "out=... is only allowed as a keyword argument.");
    }
    reduction.keepdims = integer_flag(found[4], false);
    reduction.initial = found[5];
    reduction.where = found[6];
    reduction.arguments = {found[0], args + 1, count - 1, names};
    return ufunc_reduce(op, found[0], reduction);
}

PyObject* method_accumulate(PyObject* self, PyObject* const* args, Py_ssize_t count,
                            PyObject* names) {
    const Op op = as_ufunc(self)->op;
    auto found =
        sort_arguments("accumulate", {"array", "axis", "dtype", "out"}, {4, 1}, args, count, names);
    const bool foreign = !is_array(found[0]) && overrides_ufuncs(found[0]);
    if (foreign || is_no_output(found[3], count < 4)) {
        return numpy_answers(op, "accumulate", {args, count, names});
    }
    int axis = 0;
    if (found[1] == Py_None) {  // valid for one axis only
        Ref array = own(array_of(found[0]));
        const auto ndim = is_array(array.get())
                              ? static_cast<int>(as_array(array.get())->view.ndim())
                              : PyArray_NDIM(array.ndarray());
        if (ndim > 1) {
            fail(ErrorKind::Value, "accumulate does not allow multiple axes");
        }
    } else if (found[1]) {
        if (PyTuple_Check(found[1])) {
            if (PyTuple_GET_SIZE(found[1]) != 1) {
                fail(ErrorKind::Value, "accumulate does not allow multiple axes");
            }
            found[1] = PyTuple_GET_ITEM(found[1], 0);
        }
        if (is_bool(found[1])) {
            fail(ErrorKind::Type, "an integer is required");
        }
        const long value = checked(PyLong_AsLong(own(PyNumber_Index(found[1])).get()));
        // Values beyond int are clamped; they stay out of bounds.
        axis = static_cast<int>(std::clamp(value, -1000L, 1000L));
    }
    if (is_dots(found[3])) found[3] = nullptr;  // the result is always an array
    return ufunc_accumulate(op, found[0], axis, found[2], only_output(found[3], count < 4));
}

PyObject* method_outer(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    return outer(self, {args, count, names});
}

PyObject* method_at(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count > 0 && is_array(args[0])) {
        check_writeable(as_array(args[0]));
        touched(*as_array(args[0])->view.base);
        const bool plain = count == 3 && !names;
        if (plain && combine_at(as_ufunc(self)->op, args[0], args[1], args[2])) {
            return Py_NewRef(Py_None);
        }
    }
    return numpy_answers(as_ufunc(self)->op, "at", {args, count, names});
}

namespace {

// Returns the axis if it is a plain int within bounds; nullopt if NumPy must parse it.
std::optional<std::size_t> plain_axis(PyObject* axis, PyObject* array) {
    if (!axis) return 0;
    if (!PyLong_CheckExact(axis) || Py_TYPE(array) != array_type) return {};
    const auto ndim = static_cast<long>(as_array(array)->view.ndim());
    const long value = checked(PyLong_AsLong(axis));
    if (value < -ndim || value >= ndim) return {};
    return static_cast<std::size_t>(value < 0 ? value + ndim : value);
}

}  // namespace

PyObject* method_reduceat(PyObject* self, PyObject* const* args, Py_ssize_t count,
                          PyObject* names) {
    const Op op = as_ufunc(self)->op;
    const auto found = sort_arguments("reduceat", {"array", "indices", "axis", "dtype", "out"},
                                      {5, 2}, args, count, names);
    const bool native = is_array(found[0]) && !is_no_output(found[4], count < 5);
    if (native && !overrides_ufuncs(found[1])) {
        const std::optional<std::size_t> axis = plain_axis(found[2], found[0]);
        PyObject* const out = only_output(found[4], count < 5);
        PyObject* const result =
            axis ? ufunc_reduceat(op, found[0], found[1], *axis, found[3], out) : nullptr;
        if (result) return result;
    }
    return numpy_answers(op, "reduceat", {args, count, names});
}

// ndarray.__array_ufunc__(ufunc, method, *inputs, **kwargs): runs NumPy's ufuncs that are rows, and
// any other call by NumPy on exported memory. NotImplemented if every operand has refused.
PyObject* array_ufunc(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count < 2) {
        fail(ErrorKind::Type, "__array_ufunc__ takes at least 2 arguments");
    }
    const RawCall raw{args + 2, count - 2, names};
    bool found = false;
    const Op op = row_of_numpy(args[0], found);
    // Other operands that override ufuncs know NumPy's arrays and may refuse ours.
    if (!found || any_override(raw)) return numpys_own(args[0], args[1], raw);
    static PyObject* const call = PyUnicode_InternFromString("__call__");
    PyObject* const ufunc = ufunc_object(op);
    // The usual case: avoids a bound method.
    Ref function = args[1] == call ? borrow(ufunc) : own(PyObject_GetAttr(ufunc, args[1]));
    return PyObject_Vectorcall(function.get(), raw.args, static_cast<std::size_t>(raw.count),
                               raw.names);
}

}  // namespace hassium
