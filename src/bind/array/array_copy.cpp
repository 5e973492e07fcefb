// Copies and casts.

#include "bind/array/array_methods.hpp"
#include "bind/module/call_sites.hpp"

namespace hassium {
namespace {

// Returns whether this is one of the five casting rules on dtypes; NumPy's newer ones compare
// values.
bool is_native_rule(PyObject* word) {
    return !word || !PyUnicode_Check(word) || find_casting(text_of(word)).has_value();
}

PyObject* astype_by_numpy(PyObject* self, PyObject* const* args, Py_ssize_t count,
                          PyObject* keywords) {
    count_fallback("astype");
    Ref source = borrow_numpy(self);
    Ref method = own(PyObject_GetAttrString(source.get(), "astype"));
    return PyObject_Vectorcall(method.get(), args, static_cast<std::size_t>(count), keywords);
}

}  // namespace

HS_FAST_METHOD(array_astype) {
    auto found = sort_arguments("astype", {"dtype", "order", "casting", "subok", "copy"}, {5, 1},
                                args, count, keywords);
    if (found[4] && !PyBool_Check(found[4]) && is_copy_mode(found[4])) {
        fail(ErrorKind::Value,
             "_CopyMode enum is not allowed for astype function. Use true/false instead.");
    }
    DType dtype = DType::F64;
    if ((found[0] != Py_None && !parse_dtype(found[0], dtype)) || !is_native_rule(found[2])) {
        return astype_by_numpy(self, args, count, keywords);
    }
    char order = parse_order(found[1], 'K');
    Casting casting = found[2] ? parse_casting(found[2]) : Casting::Unsafe;
    const View& view = as_array(self)->view;
    if (!can_cast(view.dtype, dtype, casting)) {
        fail_cast(view.dtype, dtype, casting);
    }
    if (!flag(found[4], true) && dtype == view.dtype && has_order(view, order)) {
        return Py_NewRef(self);
    }
    View copy = copy_in_order(view, dtype, order);
    return wrap_result(std::move(copy), as_array(self)->is_scalar);
}

HS_FAST_METHOD(array_copy) {
    auto found = sort_arguments("copy", {"order"}, {1}, args, count, keywords);
    char order = parse_order(found[0], 'C');
    if (as_array(self)->is_scalar) return Py_NewRef(self);
    const View& view = as_array(self)->view;
    return new_array(copy_in_order(view, view.dtype, order));
}

PyObject* array_shallow_copy(PyObject* self, PyObject*) {
    if (as_array(self)->is_scalar) return Py_NewRef(self);
    const View& view = as_array(self)->view;
    return new_array(copy_in_order(view, view.dtype, 'K'));
}

HS_FAST_METHOD(array_fill) {
    refuse_keywords("fill", keywords);
    if (count != 1) fail(ErrorKind::Type, "fill() takes exactly one argument");
    PyObject* const given = args[0];
    check_writeable(as_array(self));
    const DType dtype = as_array(self)->view.dtype;
    Ref number = may_not_fit(given, dtype) ? scalar_value(given) : borrow(given);
    Value value;
    if (is_derived_number(given)) {
        value.is_constant = true;
        pack_element(reinterpret_cast<char*>(value.constant.bytes), dtype, given);
    } else {
        value = assignment_value(number.get(), dtype);
    }
    if (!value.is_constant && value.view.ndim() > 0) {
        fail(ErrorKind::Value, "setting an array element with a sequence.");
    }
    assign(as_array(self)->view, value);
    return Py_NewRef(Py_None);
}

HS_FAST_METHOD(copy_plain) {
    if (count != 3) fail(ErrorKind::Type, "copy_plain() takes two arrays and a mask or True");
    if (Py_TYPE(args[0]) != array_type || Py_TYPE(args[1]) != array_type) Py_RETURN_FALSE;
    const View &to = as_array(args[0])->view, &from = as_array(args[1])->view;
    const View* mask = nullptr;
    bool fits = to.dtype == from.dtype && to.shape == from.shape && args[0] != args[1] &&
                as_array(args[0])->writeable;
    if (args[2] != Py_True) {
        if (Py_TYPE(args[2]) != array_type) Py_RETURN_FALSE;
        mask = &as_array(args[2])->view;
        fits = fits && mask->dtype == DType::Bool && mask->shape == to.shape;
    }
    if (!fits) Py_RETURN_FALSE;
    tell_of_write(as_array(args[0]));
    record_copy(to, from, mask);
    Py_RETURN_TRUE;
}

}  // namespace hassium
