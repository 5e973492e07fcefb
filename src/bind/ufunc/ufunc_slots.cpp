// The functions of the number slots: no keywords; powers as in NumPy's operator.
#include <algorithm>
#include <iterator>

#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {

namespace {

// The exponents for which NumPy's operator may call another ufunc, and what they may be given as.
constexpr double kExponents[] = {2.0, -1.0, 0.5, 1.0};
constexpr std::size_t kForms = 4, kKinds = 3;  // as in hassium/_asked.py

// Returns the number of the form of an exponent and sets its value; kForms for others.
std::size_t form_of(PyObject* exponent, double& value) {
    const bool whole = PyLong_CheckExact(exponent) || PyArray_IsScalar(exponent, Integer);
    if (whole) {
        const Ref number = own(PyNumber_Index(exponent));
        int overflow = 0;
        value = static_cast<double>(PyLong_AsLongAndOverflow(number.get(), &overflow));
        if (overflow != 0) return kForms;
        return PyLong_CheckExact(exponent) ? 0 : 2;
    }
    if (!PyFloat_CheckExact(exponent) && !PyArray_IsScalar(exponent, Floating)) return kForms;
    value = checked(PyFloat_AsDouble(exponent));
    return PyFloat_CheckExact(exponent) ? 1 : 3;
}

// Returns the rows that NumPy's operators call, by operator, kind of base, form and exponent.
const Op* power_rows() {
    static Op rows[2 * kKinds * kForms * std::size(kExponents)];
    static bool known = false;
    if (known) return rows;
    const Ref names = asked("power_rows");
    for (std::size_t k = 0; k < std::size(rows); ++k) {
        const char* const name = text_of(PyList_GET_ITEM(names.get(), static_cast<Py_ssize_t>(k)));
        rows[k] = find_op(name).value_or(Op::Power);
        if (info(rows[k]).nin != 1) rows[k] = Op::Power;
    }
    known = true;
    return rows;
}

// Returns the row of the ufunc that NumPy's operator calls for a power by a number: x ** 2 calls
// `square`, which warnings name. Which numbers have one depends on the version of NumPy. Other
// powers, and those of numbers, take cheaper rows when they are recorded (record/canonicalize.hpp).
Op power_row(PyObject* base, PyObject* exponent, bool in_place) {
    if (!is_array(base)) return Op::Power;
    double value = 0;
    const std::size_t form = form_of(exponent, value);
    const auto* const which = std::find(std::begin(kExponents), std::end(kExponents), value);
    if (form == kForms || which == std::end(kExponents)) return Op::Power;
    const DType dtype = as_array(base)->view.dtype;
    const std::size_t kind = dtype == DType::Bool ? 0 : is_integer(dtype) ? 1 : 2;
    const std::size_t row = ((in_place ? kKinds : 0) + kind) * kForms + form;
    return power_rows()[row * std::size(kExponents) + (which - std::begin(kExponents))];
}

}  // namespace

PyObject* ufunc_binary(Op op, PyObject* a, PyObject* b, bool of_numbers) {
    return guarded([&]() -> PyObject* {
        PyObject* ins[] = {a, b};
        if (info(op).is_power() && !of_numbers) {
            const Op row = power_row(a, b, false);
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
            const Op row = power_row(self, other, true);
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
