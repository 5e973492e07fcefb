// Number slots and comparisons: they choose which operand answers; the ufuncs compute.
#include <string>

#include "bind/array/array_parts.hpp"
#include "bind/module/call_sites.hpp"
#include "bind/module/value_uses.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {
namespace {

bool known_operand(PyObject* o) {
    PyTypeObject* type = Py_TYPE(o);
    return type == array_type || type == scalar_type || type == &PyFloat_Type ||
           type == &PyLong_Type || type == &PyArray_Type || type == &PyDoubleArrType_Type;
}

// Returns whether to defer to `other`, as NumPy's BINOP_GIVE_UP_IF_NEEDED: it has `__array_ufunc__
// = None` (ignored in place), or no __array_ufunc__ and a positive __array_priority__.
bool other_answers(PyObject* other, bool in_place = false) {
    if (known_operand(other)) return false;
    static PyObject* ufunc_name = PyUnicode_InternFromString("__array_ufunc__");
    if (PyObject* override = _PyType_Lookup(Py_TYPE(other), ufunc_name)) {
        return override == Py_None && !in_place;
    }
    if (PyFloat_Check(other) || PyLong_Check(other) || PyComplex_Check(other) ||
        PyList_Check(other) || PyTuple_Check(other) ||
        PyObject_TypeCheck(other, &PyGenericArrType_Type)) {
        return false;
    }
    static PyObject* priority_name = PyUnicode_InternFromString("__array_priority__");
    PyObject* priority = _PyType_Lookup(Py_TYPE(other), priority_name);
    if (!priority) return false;
    double value = PyFloat_AsDouble(priority);
    if (value == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return value > 0;
}

// Returns whether `other` is of a class derived from NumPy's array. Its operators, which Python
// calls first, may differ from its ufuncs, as those of np.matrix do.
bool is_derived(PyObject* other) { return !known_operand(other) && PyArray_Check(other); }

// Returns whether `scalar` is a repeat count of a non-numeric sequence: [0] * n and "-" * n.
bool repeats(PyObject* sequence, PyObject* scalar) {
    if (Py_TYPE(scalar) != scalar_type || known_operand(sequence)) return false;
    const PyTypeObject* type = Py_TYPE(sequence);
    const bool multiplies = type->tp_as_number && type->tp_as_number->nb_multiply;
    return type->tp_as_sequence && type->tp_as_sequence->sq_repeat && !multiplies;
}

// ---- numbers ----

bool is_number(PyObject* o) {
    return Py_TYPE(o) == scalar_type || PyFloat_CheckExact(o) || PyLong_CheckExact(o) ||
           PyComplex_CheckExact(o) || PyBool_Check(o) ||
           PyObject_TypeCheck(o, &PyGenericArrType_Type);
}
bool are_numbers(PyObject* a, PyObject* b) {
    if (Py_TYPE(a) != scalar_type && Py_TYPE(b) != scalar_type) return false;
    return is_number(a) && is_number(b);
}
Ref number(PyObject* o) { return Py_TYPE(o) == scalar_type ? scalar_value(o) : borrow(o); }

// Returns whether the value of an operand is available. Operators on available values use NumPy's
// scalars: they take less time than recording or running an operation. A lazy element counts as
// available and is read for that.
bool is_known(PyObject* o) {
    if (Py_TYPE(o) != scalar_type) return true;
    const Base& base = *as_array(o)->view.base;
    return base.readable() || Engine::is_lazy_element(base);
}

// Returns whether results may overflow the dtype of a lazy scalar, of which NumPy's scalars warn
// and rows do not.
bool may_overflow(Op op, PyObject* o) {
    return Py_TYPE(o) == scalar_type && is_integer(as_array(o)->view.dtype) &&
           !info(op).has(kQuotient);
}
bool are_calculated(Op op, PyObject* a, PyObject* b) {
    return (is_known(a) && is_known(b)) || may_overflow(op, a) || may_overflow(op, b);
}

struct NumberFunctions {
    binaryfunc call = nullptr, in_place = nullptr;
};

// Returns Python's number functions for a row.
template <Op op>
constexpr NumberFunctions number_functions() {
    switch (op) {
#define HS_OPERATOR(row, slot, function) \
    case Op::row:                        \
        return {PyNumber_##function, PyNumber_InPlace##function};
#define HS_DIVMOD(row, slot, function) \
    case Op::row:                      \
        return {PyNumber_##function, PyNumber_##function};
#define HS_POWER(row, slot, function)                                                    \
    case Op::row:                                                                        \
        return {                                                                         \
            [](PyObject* a, PyObject* b) { return PyNumber_##function(a, b, Py_None); }, \
            [](PyObject* a, PyObject* b) { return PyNumber_InPlace##function(a, b, Py_None); }};
#include "ops/operators.def"
        default:
            return {};
    }
}

// Returns whether one operand is a lazy scalar and the other one of a type that has operators of
// its own. These distinguish numbers by type, so they must see NumPy's scalar.
bool is_foreign_pair(PyObject* a, PyObject* b) {
    if (Py_TYPE(a) != scalar_type && Py_TYPE(b) != scalar_type) return false;
    PyObject* other = Py_TYPE(a) == scalar_type ? b : a;
    if (PyComplex_CheckExact(other)) return other == a;  // the left one answers
    return !is_array(other) && !is_number(other) && !PyArray_Check(other) && !PyList_Check(other) &&
           !PyTuple_Check(other);
}

template <Op op>
PyObject* binary(PyObject* a, PyObject* b) {
    constexpr binaryfunc function = number_functions<op>().call;
    if (is_foreign_pair(a, b)) {
        return guarded([&] {
            const bool replaces = Py_TYPE(b) == scalar_type && is_in_place_operator();
            const binaryfunc again = replaces ? number_functions<op>().in_place : function;
            return again(number(a).get(), number(b).get());
        });
    }
    PyObject* other = is_array(a) ? b : a;
    if (is_derived(other)) return call_operator(function, a, b, info(op).name.data());
    // Only the left operand defers: the right one is called after the left has refused.
    if (is_array(a) && other_answers(other)) Py_RETURN_NOTIMPLEMENTED;
    const bool of_numbers = !info(op).is_opaque() && are_numbers(a, b);
    if (of_numbers && are_calculated(op, a, b)) {
        return guarded([&] { return function(number(a).get(), number(b).get()); });
    }
    if (info(op).is_product() && (repeats(a, b) || repeats(b, a))) Py_RETURN_NOTIMPLEMENTED;
    return ufunc_binary(op, a, b, of_numbers);
}

// Returns whether `b` has fewer than two axes; false if it cannot be converted.
bool is_no_matrix(PyObject* b) {
    if (is_array(b)) return as_array(b)->view.ndim() < 2;
    Ref made = PyArray_Check(b) ? borrow(b) : Ref(PyArray_FROM_O(b));
    if (made) return PyArray_NDIM(made.ndarray()) < 2;
    PyErr_Clear();
    return false;
}

// Returns whether `a @= b` is an error: it replaces the rows of `a` by their products with `b`, and
// the product of a row and a vector is no row.
bool replaces_no_rows(PyObject* a, PyObject* b) {
    const ArrayObject* array = as_array(a);
    if (array->is_scalar || other_answers(b)) return false;
    return array->view.ndim() == 0 || is_no_matrix(b);
}

template <Op op>
PyObject* in_place(PyObject* a, PyObject* b) {
    if (info(op).is_matmul() && replaces_no_rows(a, b)) {
        PyErr_SetString(PyExc_ValueError,
                        "inplace matrix multiplication requires the first operand to have at "
                        "least one and the second at least two dimensions.");
        return nullptr;
    }
    // A scalar is immutable: `s += 1` binds a new one.
    if (as_array(a)->is_scalar) return binary<op>(a, b);
    if (other_answers(b, true)) Py_RETURN_NOTIMPLEMENTED;
    if (guarded_status([&] { check_writeable(as_array(a), "output array is read-only"); }) < 0) {
        return nullptr;
    }
    return ufunc_inplace(op, a, b);
}

template <Op op, unaryfunc PyNumberMethods::* function>
PyObject* unary(PyObject* a) {
    if (!may_overflow(op, a)) return ufunc_unary(op, a);
    return guarded([&] {
        const Ref value = scalar_value(a);
        return (Py_TYPE(value.get())->tp_as_number->*function)(value.get());
    });
}

template <Op op>
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return binary<op>(a, b);
}

template <Op op>
PyObject* in_place_power(PyObject* a, PyObject* b, PyObject* modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return in_place<op>(a, b);
}

// ---- conversions to Python's numbers ----

// Returns the array as a Python number by `convert`. Whether and how an array with axes or a
// complex one converts differs between versions of NumPy: then an array of its own is asked.
PyObject* converted(PyObject* self, unaryfunc convert) {
    const ArrayObject* array = as_array(self);
    const View& view = array->view;
    const bool real = kind(view.dtype) != DTypeKind::Complex;
    if (!array->is_scalar && (view.ndim() > 0 || !real)) return convert(borrow_numpy(self).get());
    return convert(own(element_at(data_to_read(view), view.dtype)).get());
}

int truth(PyObject* self) {
    const View& view = as_array(self)->view;
    if (view.size() == 0) {
        fail(ErrorKind::Value,
             "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that "
             "an array is not empty.");
    }
    if (view.size() > 1) {
        fail(ErrorKind::Value,
             "The truth value of an array with more than one element is ambiguous. Use a.any() or "
             "a.all()");
    }
    const char* data = data_to_read(view);
    if (view.dtype == DType::Bool) return *data != 0;
    return PyObject_IsTrue(own(element_at(data, view.dtype)).get());
}

PyObject* to_float(PyObject* self) {
    const View& view = as_array(self)->view;
    if (view.dtype == DType::F64 && view.ndim() == 0) {
        return PyFloat_FromDouble(*reinterpret_cast<const double*>(data_to_read(view)));
    }
    return converted(self, PyNumber_Float);
}

PyObject* to_int(PyObject* self) { return converted(self, PyNumber_Long); }

PyObject* to_index(PyObject* self) {
    const View& view = as_array(self)->view;
    if (!is_integer(view.dtype) || view.ndim() != 0) {
        // NumPy tries this for each index of its arrays and drops the error; a C++ exception costs
        // 2 us.
        PyErr_SetString(PyExc_TypeError,
                        "only integer scalar arrays can be converted to a scalar index");
        return nullptr;
    }
    return converted(self, PyNumber_Index);
}

// ---- comparisons ----

template <int op>
PyObject* compare(PyObject* a, PyObject* b) {
    return PyObject_RichCompare(a, b, op);
}
constexpr binaryfunc kCompare[] = {compare<Py_LT>, compare<Py_LE>, compare<Py_EQ>,
                                   compare<Py_NE>, compare<Py_GT>, compare<Py_GE>};

// Compares with strings, None and other objects without a loop by NumPy's operator, elementwise.
PyObject* compare_by_numpy(PyObject* a, PyObject* b, int op) {
    count_fallback(std::string(info(kComparisons[op]).name).c_str());
    const Ref left = export_to_numpy(as_array(a));
    Ref answer = own(PyObject_RichCompare(left.get(), b, op));
    DType dtype;
    if (PyArray_CheckExact(answer.get()) && native_dtype(answer.ndarray(), dtype)) {
        return copy_of_numpy(answer.ndarray(), dtype).release();
    }
    return answer.release();
}

const PyType_Slot kNumberSlots[] = {
#define HS_OPERATOR(row, name, function) \
    {Py_nb_##name, slot(binary<Op::row>)}, {Py_nb_inplace_##name, slot(in_place<Op::row>)},
#define HS_DIVMOD(row, name, function) {Py_nb_##name, slot(binary<Op::row>)},
#define HS_POWER(row, name, function) \
    {Py_nb_##name, slot(power<Op::row>)}, {Py_nb_inplace_##name, slot(in_place_power<Op::row>)},
#define HS_UNARY_OPERATOR(row, name) \
    {Py_nb_##name, slot(unary<Op::row, &PyNumberMethods::nb_##name>)},
#include "ops/operators.def"
    {Py_nb_bool, slot(guard<truth>)},
    {Py_nb_float, slot(guard<to_float>)},
    {Py_nb_int, slot(guard<to_int>)},
    {Py_nb_index, slot(guard<to_index>)},
};

}  // namespace

const PyType_Slot* number_slots(std::size_t& count) {
    count = std::size(kNumberSlots);
    return kNumberSlots;
}

PyObject* array_richcompare(PyObject* a, PyObject* b, int op) {
    if (is_foreign_pair(a, b)) {
        return guarded([&] { return PyObject_RichCompare(number(a).get(), b, op); });
    }
    if (!known_operand(b)) {
        if (is_derived(b)) {
            return call_operator(kCompare[op], a, b, info(kComparisons[op]).name.data());
        }
        if (other_answers(b)) Py_RETURN_NOTIMPLEMENTED;
        if (b == Py_None || PyUnicode_Check(b) || PyBytes_Check(b)) {
            return guarded([&] { return compare_by_numpy(a, b, op); });
        }
    }
    if (are_numbers(a, b) && is_known(a) && is_known(b)) {
        return guarded([&] { return PyObject_RichCompare(number(a).get(), number(b).get(), op); });
    }
    PyObject* answer = ufunc_binary(kComparisons[op], a, b);
    if (answer || (op != Py_EQ && op != Py_NE) || !PyErr_ExceptionMatches(PyExc_TypeError)) {
        return answer;
    }
    // NumPy's operator, unlike its ufunc, finds numbers and text unequal instead of raising an
    // error.
    PyErr_Clear();
    return guarded([&] { return compare_by_numpy(a, b, op); });
}

}  // namespace hassium
