// Operators of NumPy's arrays and scalars with our array on the right. NumPy's slot finds its
// ufunc, and that calls the array's `__array_ufunc__`, which takes three times as long as the
// operation on a few elements. So the number slots and comparisons of NumPy's types are replaced:
// they return NotImplemented if the right operand is our array, and Python calls its slot next.
// Every other operand goes to NumPy's slot by a tail call: NumPy reuses the memory of a temporary
// operand only if no function but Python's and its own is on the stack.
#include <array>
#include <utility>

#include "bind/array/array_parts.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {
namespace {

constexpr std::size_t kTypes = 17;
constexpr std::size_t kArrays = 0;  // the position of the array type

// The array type and the scalar types of native dtypes; C has two integer types of eight bytes.
std::array<PyTypeObject*, kTypes> operand_types() {
    return {
        &PyArray_Type,         &PyBoolArrType_Type,     &PyByteArrType_Type,
        &PyUByteArrType_Type,  &PyShortArrType_Type,    &PyUShortArrType_Type,
        &PyIntArrType_Type,    &PyUIntArrType_Type,     &PyLongArrType_Type,
        &PyULongArrType_Type,  &PyLongLongArrType_Type, &PyULongLongArrType_Type,
        &PyHalfArrType_Type,   &PyFloatArrType_Type,    &PyDoubleArrType_Type,
        &PyCFloatArrType_Type, &PyCDoubleArrType_Type,
    };
}

// NumPy's original slots.
struct Slots {
    PyNumberMethods numbers;
    richcmpfunc compare;
};
Slots numpys[kTypes];

// Exact types only: derived types may override ufuncs.
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
// Compares arrays here, as the reflected comparison would name the shapes in reverse. Arrays of
// other dtypes keep NumPy's comparisons, which may be no ufuncs.
template <std::size_t T>
PyObject* compare(PyObject* a, PyObject* b, int op) {
    if (is_ours(b)) {
        if (T != kArrays) Py_RETURN_NOTIMPLEMENTED;
        DType dtype;
        const bool native =
            PyArray_CheckExact(a) && native_dtype(reinterpret_cast<PyArrayObject*>(a), dtype);
        if (native) return ufunc_binary(kComparisons[op], a, b);
    }
    return numpys[T].compare(a, b, op);
}
// `v += a` writes to NumPy's array and returns it.
template <binaryfunc PyNumberMethods::* Slot, Op op>
PyObject* in_place(PyObject* a, PyObject* b) {
    if (PyArray_CheckExact(a) && is_ours(b)) return ufunc_inplace(op, a, b);
    return (numpys[kArrays].numbers.*Slot)(a, b);
}

objobjargproc numpys_assign;
// `v[i] = a` with an array of ours without axes: NumPy casts its own, and asks other objects for a
// number, which text and dates refuse.
int assign_items(PyObject* self, PyObject* key, PyObject* value) {
    if (!value || !is_ours(value) || !as_array(value)->view.shape.empty()) {
        return numpys_assign(self, key, value);
    }
    return guarded_int([&] { return numpys_assign(self, key, as_numpys(value).get()); });
}

template <std::size_t T, binaryfunc PyNumberMethods::* Slot>
void replace_binary(PyNumberMethods& numbers) {
    if (numbers.*Slot) numbers.*Slot = binary<T, Slot>;
}

template <std::size_t T>
void replace(PyTypeObject* type) {
    PyNumberMethods& numbers = *type->tp_as_number;
    numpys[T] = {numbers, type->tp_richcompare};
#define HS_OPERATOR(row, slot, function) replace_binary<T, &PyNumberMethods::nb_##slot>(numbers);
#define HS_DIVMOD HS_OPERATOR
#include "ops/operators.def"
    if (numbers.nb_power) numbers.nb_power = power<T>;
    if (type->tp_richcompare) type->tp_richcompare = compare<T>;
}

// Replaces the slots of elementwise rows; powers and matrix products have their own rules in NumPy.
template <binaryfunc PyNumberMethods::* Slot, Op op>
void replace_in_place() {
    if constexpr (info(op).is_elementwise()) {
        PyArray_Type.tp_as_number->*Slot = in_place<Slot, op>;
    }
}

void replace_in_place_slots() {
#define HS_OPERATOR(row, slot, function) \
    replace_in_place<&PyNumberMethods::nb_inplace_##slot, Op::row>();
#include "ops/operators.def"
}

}  // namespace

void replace_numpy_slots() {
    // Once for the process, not for each module object.
    static bool done = false;
    if (std::exchange(done, true)) return;
    const std::array<PyTypeObject*, kTypes> types = operand_types();
    [&]<std::size_t... T>(std::index_sequence<T...>) {
        (replace<T>(types[T]), ...);
    }(std::make_index_sequence<kTypes>());
    replace_in_place_slots();
    numpys_assign = std::exchange(PyArray_Type.tp_as_mapping->mp_ass_subscript, assign_items);
}

}  // namespace hassium
