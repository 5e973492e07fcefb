// Conversion of Python objects to operands: views and constants.
#include "bind/array/array_methods.hpp"
#include "bind/array/array_parts.hpp"
#include "record/thresholds.hpp"

#include <cstring>

namespace hassium {

bool beyond_integers(PyObject* value) {
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow < 0 || (overflow > 0 && _PyLong_NumBits(value) > 64);
}

namespace {

enum class Scalar : std::uint8_t { None, Bool, Int, Float, Complex, NumPy };

Scalar scalar_class(PyObject* o) {
    PyTypeObject* type = Py_TYPE(o);
    if (type == &PyFloat_Type) return Scalar::Float;
    if (type == &PyLong_Type) return Scalar::Int;
    if (type == &PyBool_Type) return Scalar::Bool;
    if (type == &PyComplex_Type) return Scalar::Complex;
    if (type == &PyDoubleArrType_Type) return Scalar::NumPy;
    if (PyObject_TypeCheck(o, &PyGenericArrType_Type)) return Scalar::NumPy;
    if (PyFloat_Check(o)) return Scalar::Float;
    if (PyLong_Check(o)) return Scalar::Int;
    if (PyComplex_Check(o)) return Scalar::Complex;
    return Scalar::None;
}

bool numpy_scalar_dtype(PyObject* scalar, DType& out) {
    if (Py_TYPE(scalar) == &PyDoubleArrType_Type) {
        out = DType::F64;
        return true;
    }
    Ref descr(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(scalar)));
    if (!descr) throw PythonError();
    return native_dtype(descr.get(), out);
}

// Returns int64, or uint64 for a value that only uint64 holds.
DType int_dtype(PyObject* value) {
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow > 0) {
        PyLong_AsUnsignedLongLong(value);
        if (!PyErr_Occurred()) return DType::U64;
        PyErr_Clear();
    }
    return DType::I64;
}

void keep_operand(Ref array, OperandArg& out) {
    out.keep = std::move(array);
    out.view = &self_of(out.keep.get())->view;
    out.dtype = out.view->dtype;
}

// Returns false if NumPy must handle the array.
bool ndarray_operand(PyArrayObject* array, OperandArg& out) {
    DType dtype;
    if (!native_dtype(array, dtype)) return false;
    keep_operand(wrap_operand(array), out);
    return true;
}

bool object_operand(PyObject* object, OperandArg& out) {
    if (PyArray_CheckExact(object)) {
        return ndarray_operand(reinterpret_cast<PyArrayObject*>(object), out);
    }
    if (PyArray_Check(object)) return false;
    if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
        if (PyObject* made = array_of_list(object, nullptr, 'C')) {
            keep_operand(Ref(made), out);
            return true;
        }
    } else {
        static PyObject* const overrides = PyUnicode_InternFromString("__array_ufunc__");
        static PyObject* const wraps = PyUnicode_InternFromString("__array_wrap__");
        if (_PyType_Lookup(Py_TYPE(object), overrides) || _PyType_Lookup(Py_TYPE(object), wraps)) {
            return false;
        }
    }
    Ref array = own(array_from_any(object, nullptr, 0, 0).release());
    if (is_array(array.get())) {
        keep_operand(std::move(array), out);
        return true;
    }
    return PyArray_CheckExact(array.get()) && ndarray_operand(array.ndarray(), out);
}

bool scalar_operand(PyObject* object, Scalar scalar, OperandArg& out) {
    out.scalar = object;
    // A number of a derived type, such as IntEnum, is not weak: NumPy converts it to an array.
    switch (scalar) {
        case Scalar::Bool:
            out.dtype = DType::Bool;
            return true;
        case Scalar::Int:
            if (PyLong_CheckExact(object)) {
                out.weak = Weak::Int;
            } else if (beyond_integers(object)) {
                return false;
            }
            out.dtype = int_dtype(object);
            return true;
        case Scalar::Float:
            if (PyFloat_CheckExact(object)) out.weak = Weak::Float;
            out.dtype = DType::F64;
            return true;
        case Scalar::Complex:
            if (PyComplex_CheckExact(object)) out.weak = Weak::Complex;
            out.dtype = DType::C128;
            return true;
        default:
            return numpy_scalar_dtype(object, out.dtype);
    }
}

}  // namespace

Ref wrap_operand(PyArrayObject* array) {
    return PyArray_NBYTES(array) <= threshold(Threshold::copied_operand) ? copy_of_numpy(array)
                                                                         : view_of_numpy(array);
}

Ref plain_operand(PyObject* object) {
    if (Py_TYPE(object) == array_type) return borrow(object);
    DType dtype;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    if (!PyArray_CheckExact(object) || !native_dtype(array, dtype)) return Ref();
    return wrap_operand(array);
}

bool to_operand(PyObject* object, OperandArg& out) {
    out = OperandArg();
    if (is_array(object)) {
        out.view = &as_array(object)->view;
        out.dtype = out.view->dtype;
        return true;
    }
    const Scalar scalar = scalar_class(object);
    if (scalar != Scalar::None) return scalar_operand(object, scalar, out);
    return object_operand(object, out);
}

bool to_constant(PyObject* scalar, DType dtype, Constant& out) {
    if (dtype == DType::F64 && is_plain_double(scalar)) {
        double value = PyFloat_AS_DOUBLE(scalar);
        std::memcpy(out.bytes, &value, sizeof value);
        return true;
    }
    if (PyObject_TypeCheck(scalar, &PyGenericArrType_Type)) {
        return PyArray_CastScalarToCtype(scalar, out.bytes, descr_of(dtype)) >= 0;
    }
    return PyArray_Pack(descr_of(dtype), out.bytes, scalar) >= 0;
}

Constant one_of(DType dtype) {
    Constant one = {};
    Ref number = own(PyLong_FromLong(1));
    if (!to_constant(number.get(), dtype, one)) throw PythonError();
    return one;
}

Constant cast_number(PyObject* number, DType dtype) {
    const Ref natural = own(PyArray_FromAny(number, nullptr, 0, 0, 0, nullptr));
    const Ref cast = own(PyArray_CastToType(natural.ndarray(), new_descr(dtype), 0));
    Constant constant = {};
    std::memcpy(constant.bytes, PyArray_DATA(cast.ndarray()),
                static_cast<std::size_t>(itemsize(dtype)));
    return constant;
}

void pack_element(char* address, DType dtype, PyObject* value) {
    if (dtype == DType::F64 && is_plain_double(value)) {
        double number = PyFloat_AS_DOUBLE(value);
        std::memcpy(address, &number, sizeof number);
        return;
    }
    if (dtype == DType::I64 && PyLong_CheckExact(value)) {
        long long number = PyLong_AsLongLong(value);
        if (number != -1 || !PyErr_Occurred()) {
            std::memcpy(address, &number, sizeof number);
            return;
        }
        PyErr_Clear();
    }
    // Packs into a buffer first, as `value` may run Python code that fails or moves the memory.
    Constant element = {};
    check(PyArray_Pack(descr_of(dtype), element.bytes, value));
    std::memcpy(address, element.bytes, static_cast<std::size_t>(itemsize(dtype)));
}

}  // namespace hassium
