// The functions of the number slots: no keywords; powers as in NumPy's operator.
#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {

namespace {

// Returns the row of the ufunc that NumPy's operator calls for a power by a Python scalar: x ** 2
// calls `square`, which warnings name. Other powers, and those of numbers, take cheaper rows when
// they are recorded (record/canonicalize.hpp).
Op power_row(PyObject* base, PyObject* exponent) {
    if (!is_array(base)) return Op::Power;
    const DType dtype = as_array(base)->view.dtype;
    if (PyLong_CheckExact(exponent)) {
        int overflow = 0;
        const long value = PyLong_AsLongAndOverflow(exponent, &overflow);
        if (overflow != 0) return Op::Power;
        if (value == 2 || (value == -1 && is_inexact(dtype))) return row_of_power(value, dtype);
    } else if (PyFloat_CheckExact(exponent) && is_inexact(dtype)) {
        // NumPy's operator calls sqrt for any dtype, its power ufunc not for float16.
        if (PyFloat_AS_DOUBLE(exponent) == 0.5) return row_of_power(0.5, DType::F64);
    }
    return Op::Power;
}

}  // namespace

PyObject* ufunc_binary(Op op, PyObject* a, PyObject* b, bool of_numbers) {
    return guarded([&]() -> PyObject* {
        PyObject* ins[] = {a, b};
        if (info(op).is_power() && !of_numbers) {
            const Op row = power_row(a, b);
            if (info(row).nin == 1) return execute_plain(row, ins, {ins, 1, nullptr});
        }
        if (info(op).is_opaque()) return execute(op, ins, {}, {ins, 2, nullptr});
        return execute_plain(op, ins, {ins, 2, nullptr}, of_numbers);
    });
}

PyObject* ufunc_inplace(Op op, PyObject* self, PyObject* other) {
    return guarded([&]() -> PyObject* {
        PyObject* names = made_once([] { return Py_BuildValue("(s)", "out"); });
        if (info(op).is_power()) {
            const Op row = power_row(self, other);
            if (info(row).nin == 1) op = row;
        }
        Keywords keywords;
        keywords.out[0] = self;
        if (info(op).nin == 1) {
            PyObject* all[] = {self, self};
            return execute(op, all, keywords, {all, 1, names});
        }
        PyObject* all[] = {self, other, self};
        return execute(op, all, keywords, {all, 2, names});
    });
}

PyObject* ufunc_unary(Op op, PyObject* a) {
    return guarded([&] {
        PyObject* ins[] = {a};
        return execute_plain(op, ins, {ins, 1, nullptr});
    });
}

}  // namespace hassium
