// NumPy's scalars beside arrays. A scalar on the left does not know the array on the right: it
// makes an array of itself, calls a ufunc, and that the array's __array_ufunc__, which takes three
// times as long as the operation. So the number slots and comparisons of NumPy's scalar types look
// first whether the other operand is ours, and leave the answer to it if it is: Python asks the
// right operand next. To everybody else they are what they were.
#include <array>
#include <utility>

#include "bind/array_parts.hpp"

namespace hassium {
namespace {

constexpr std::size_t kTypes = 16;

// Of native dtypes; C has two integers of eight bytes.
std::array<PyTypeObject*, kTypes> scalar_types() {
    return {
        &PyBoolArrType_Type,     &PyByteArrType_Type,      &PyUByteArrType_Type,
        &PyShortArrType_Type,    &PyUShortArrType_Type,    &PyIntArrType_Type,
        &PyUIntArrType_Type,     &PyLongArrType_Type,      &PyULongArrType_Type,
        &PyLongLongArrType_Type, &PyULongLongArrType_Type, &PyHalfArrType_Type,
        &PyFloatArrType_Type,    &PyDoubleArrType_Type,    &PyCFloatArrType_Type,
        &PyCDoubleArrType_Type,
    };
}

// As NumPy made them.
struct Slots {
    PyNumberMethods numbers;
    richcmpfunc compare;
};
Slots numpys[kTypes];

// Types derived from ours may answer ufuncs in their own way.
bool is_ours(PyObject* o) { return Py_TYPE(o) == array_type || Py_TYPE(o) == scalar_type; }

template <std::size_t T, binaryfunc PyNumberMethods::* Slot>
PyObject* binary(PyObject* a, PyObject* b) {
    if (is_ours(b)) Py_RETURN_NOTIMPLEMENTED;
    return (numpys[T].numbers.*Slot)(a, b);
}
template <std::size_t T>
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
    if (is_ours(b)) Py_RETURN_NOTIMPLEMENTED;
    return numpys[T].numbers.nb_power(a, b, modulus);
}
template <std::size_t T>
PyObject* compare(PyObject* a, PyObject* b, int op) {
    if (is_ours(b)) Py_RETURN_NOTIMPLEMENTED;
    return numpys[T].compare(a, b, op);
}

template <std::size_t T, binaryfunc PyNumberMethods::*... Slot>
void replace_binary(PyNumberMethods& numbers) {
    ((numbers.*Slot ? void(numbers.*Slot = binary<T, Slot>) : void()), ...);
}

template <std::size_t T>
void replace(PyTypeObject* type) {
    using N = PyNumberMethods;
    N& numbers = *type->tp_as_number;
    numpys[T] = {numbers, type->tp_richcompare};
    replace_binary<T, &N::nb_add, &N::nb_subtract, &N::nb_multiply, &N::nb_true_divide,
                   &N::nb_floor_divide, &N::nb_remainder, &N::nb_divmod, &N::nb_lshift,
                   &N::nb_rshift, &N::nb_and, &N::nb_or, &N::nb_xor>(numbers);
    if (numbers.nb_power) numbers.nb_power = power<T>;
    if (type->tp_richcompare) type->tp_richcompare = compare<T>;
}

}  // namespace

void teach_numpy_scalars() {
    // Of the process, not of a module that is made once more.
    static bool done = false;
    if (std::exchange(done, true)) return;
    const std::array<PyTypeObject*, kTypes> types = scalar_types();
    [&]<std::size_t... T>(std::index_sequence<T...>) {
        (replace<T>(types[T]), ...);
    }(std::make_index_sequence<kTypes>());
}

}  // namespace hassium
