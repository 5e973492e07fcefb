// Methods that return a view of the same elements where NumPy returns one.
#include <algorithm>

#include "bind/array/array_methods.hpp"
#include "bind/module/call_sites.hpp"

namespace hassium {

View reversed(const View& view) {
    View result;
    result.base = view.base;
    result.dtype = view.dtype;
    result.offset = view.offset;
    const std::size_t n = view.ndim();
    result.shape.resize_for_overwrite(n);
    result.strides.resize_for_overwrite(n);
    std::reverse_copy(view.shape.begin(), view.shape.end(), result.shape.begin());
    std::reverse_copy(view.strides.begin(), view.strides.end(), result.strides.begin());
    return result;
}

namespace {

View permuted(const View& view, std::span<const std::int64_t> order) {
    View result = view;
    for (std::size_t k = 0; k < order.size(); ++k) {
        result.shape[k] = view.shape[static_cast<std::size_t>(order[k])];
        result.strides[k] = view.strides[static_cast<std::size_t>(order[k])];
    }
    return result;
}

PyObject* reshape_to(ArrayObject* array, Dims shape, char order, PyObject* copy) {
    const View& view = array->view;
    resolve_extents(view, shape);
    check_extents(shape, itemsize(view.dtype));
    if (order == 'K') fail(ErrorKind::Value, "order 'K' is not permitted for reshaping");
    bool fortran = order == 'F' || (order == 'A' && view.f_contiguous() && !view.c_contiguous());
    bool must_copy = given(copy) && flag(copy, false);
    View result = view;
    if (must_copy || !reshaped_strides(view, shape, fortran, result.strides)) {
        if (given(copy) && !must_copy) {
            fail(ErrorKind::Value, "Unable to avoid creating a copy while reshaping.");
        }
        View fresh = copy_in_order(view, view.dtype, fortran ? 'F' : 'C');
        result = fresh;
        HS_CHECK(reshaped_strides(fresh, shape, fortran, result.strides),
                 "a fresh copy can be reshaped");
        result.shape = shape;
        return new_array(std::move(result));
    }
    result.shape = shape;
    if (array->is_scalar) {
        return new_array(contiguous_copy(result, result.dtype));
    }
    return view_of(array, std::move(result));
}

// Permutes the axes to memory order; broadcast axes stay outside those that follow them.
View in_memory_order(const View& view) {
    const View* model = &view;
    Dims order;
    for (const std::size_t axis : order_like(view.ndim(), {&model, 1})) {
        order.push_back(static_cast<std::int64_t>(axis));
    }
    return permuted(view, order);
}

// Returns the permuted view whose C order is `order` of `view`.
View ordered_for(const View& view, char order) {
    bool c = view.c_contiguous(), f = view.f_contiguous();
    if (order == 'A') order = f && !c ? 'F' : 'C';
    if (order == 'F') return reversed(view);
    if (order == 'K' && !c) return f ? reversed(view) : in_memory_order(view);
    return view;
}

PyObject* transposed(ArrayObject* array, const Dims& axes) {
    const View& view = array->view;
    auto n = static_cast<std::int64_t>(view.ndim());
    if (axes.size() != view.ndim()) fail(ErrorKind::Value, "axes don't match array");
    Dims order;
    for (std::int64_t axis : axes) {
        if (axis < -n || axis >= n) {
            fail(ErrorKind::Axis, "axis ", axis, " is out of bounds for array of dimension ", n);
        }
        std::int64_t wrapped = axis < 0 ? axis + n : axis;
        if (std::find(order.begin(), order.end(), wrapped) != order.end()) {
            fail(ErrorKind::Value, "repeated axis in transpose");
        }
        order.push_back(wrapped);
    }
    return view_of(array, permuted(view, order));
}

// view(X) for a class: an export for NumPy's array type and its subclasses, a view for ours.
PyObject* view_as_type(PyObject* self, PyObject* type) {
    if (type == reinterpret_cast<PyObject*>(array_type)) {
        return view_of(as_array(self), View(as_array(self)->view));
    }
    bool subclass = PyType_Check(type) &&
                    PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &PyArray_Type);
    if (!subclass) fail(ErrorKind::Value, "Type must be a sub-type of ndarray type");
    Ref exported = export_to_numpy(as_array(self));
    if (type == reinterpret_cast<PyObject*>(&PyArray_Type)) return exported.release();
    return PyArray_View(exported.ndarray(), nullptr, reinterpret_cast<PyTypeObject*>(type));
}

bool is_class_for_view(PyObject* argument) {
    if (!PyType_Check(argument)) return false;
    auto* type = reinterpret_cast<PyTypeObject*>(argument);
    return type == array_type || PyType_IsSubtype(type, &PyArray_Type);
}

}  // namespace

HS_FAST_METHOD(array_reshape) {
    // Positional arguments are the shape; the others are keywords.
    auto found = sort_arguments("reshape", {"order", "copy"}, {0}, args + count, 0, keywords);
    if (count == 0) fail(ErrorKind::Type, "reshape() takes exactly 1 argument (0 given)");
    // As in NumPy, reshape(None) returns a view.
    if (count == 1 && args[0] == Py_None) {
        return view_of(as_array(self), View(as_array(self)->view));
    }
    const Dims shape = shape_arguments(args, count);
    return reshape_to(as_array(self), shape, parse_order(found[0], 'C'), found[1]);
}

HS_FAST_METHOD(array_ravel) {
    auto found = sort_arguments("ravel", {"order"}, {1}, args, count, keywords);
    ArrayObject* array = as_array(self);
    View view = ordered_for(array->view, parse_order(found[0], 'C'));
    if (array->is_scalar || !view.c_contiguous()) {
        return new_array(as_vector(contiguous_copy(view, view.dtype)));
    }
    return view_of(array, as_vector(std::move(view)));
}

HS_FAST_METHOD(array_flatten) {
    auto found = sort_arguments("flatten", {"order"}, {1}, args, count, keywords);
    View view = ordered_for(as_array(self)->view, parse_order(found[0], 'C'));
    return new_array(as_vector(contiguous_copy(view, view.dtype)));
}

HS_FAST_METHOD(array_transpose) {
    refuse_keywords("transpose", keywords);
    ArrayObject* array = as_array(self);
    if (array->is_scalar) return Py_NewRef(self);
    const bool reverse = count == 0 || (count == 1 && args[0] == Py_None);
    if (reverse) return view_of(array, reversed(array->view));
    return transposed(array, shape_arguments(args, count));
}

HS_FAST_METHOD(array_swapaxes) {
    refuse_keywords("swapaxes", keywords);
    if (count != 2) {
        fail(ErrorKind::Type, "swapaxes() takes exactly 2 arguments (", count, " given)");
    }
    ArrayObject* array = as_array(self);
    int n = static_cast<int>(array->view.ndim());
    auto a = static_cast<std::size_t>(parse_axis(args[0], n, "axis1"));
    auto b = static_cast<std::size_t>(parse_axis(args[1], n, "axis2"));
    View view = array->view;
    std::swap(view.shape[a], view.shape[b]);
    std::swap(view.strides[a], view.strides[b]);
    return view_of(array, std::move(view));
}

HS_FAST_METHOD(array_squeeze) {
    auto found = sort_arguments("squeeze", {"axis"}, {1}, args, count, keywords);
    ArrayObject* array = as_array(self);
    if (array->is_scalar) return Py_NewRef(self);
    const View& view = array->view;
    std::uint64_t drop = 0;
    if (!given(found[0])) {
        for (std::size_t k = 0; k < view.ndim(); ++k) {
            if (view.shape[k] == 1) drop |= std::uint64_t{1} << k;
        }
    } else {
        int n = static_cast<int>(view.ndim());
        const bool tuple = PyTuple_Check(found[0]);
        Ref axes = tuple ? borrow(found[0]) : own(PyTuple_Pack(1, found[0]));
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(axes.get()); ++k) {
            // A 0-d array accepts the axes 0 and -1, as in NumPy's reductions.
            const int most = n == 0 && !tuple ? 1 : n;
            int axis = parse_axis(PyTuple_GET_ITEM(axes.get(), k), most);
            std::uint64_t bit = std::uint64_t{1} << axis;
            if (drop & bit) fail(ErrorKind::Value, "duplicate value in 'axis'");
            drop |= bit;
        }
        for (std::size_t axis = 0; axis < view.ndim(); ++axis) {
            if ((drop >> axis & 1) && view.shape[axis] != 1) {
                fail(ErrorKind::Value,
                     "cannot select an axis to squeeze out which has size not equal to one");
            }
        }
    }
    if (drop == 0 || view.ndim() == 0) return Py_NewRef(self);
    View result = view;
    for (std::size_t k = view.ndim(); k-- > 0;) {
        if (!(drop >> k & 1)) continue;
        result.shape.erase(k);
        result.strides.erase(k);
    }
    return view_of(array, std::move(result));
}

HS_FAST_METHOD(array_diagonal) {
    auto found =
        sort_arguments("diagonal", {"offset", "axis1", "axis2"}, {3}, args, count, keywords);
    ArrayObject* array = as_array(self);
    const View& view = array->view;
    int n = static_cast<int>(view.ndim());
    if (n < 2) fail(ErrorKind::Value, "diag requires an array of at least two dimensions");
    const Py_ssize_t offset =
        found[0] ? checked(PyNumber_AsSsize_t(found[0], PyExc_OverflowError)) : 0;
    auto a = static_cast<std::size_t>(found[1] ? parse_axis(found[1], n, "axis1") : 0);
    auto b = static_cast<std::size_t>(found[2] ? parse_axis(found[2], n, "axis2") : 1);
    if (a == b) fail(ErrorKind::Value, "axis1 and axis2 cannot be the same");
    View result = view;
    std::int64_t rows = view.shape[a], columns = view.shape[b];
    std::int64_t skip = offset < 0 ? -std::max<std::int64_t>(offset, -rows)
                                   : std::min<std::int64_t>(offset, columns);
    (offset < 0 ? rows : columns) -= skip;
    std::int64_t length = std::max<std::int64_t>(0, std::min(rows, columns));
    if (length > 0) result.offset += skip * view.strides[offset < 0 ? a : b];
    std::int64_t step = view.strides[a] + view.strides[b];
    result.shape.erase(std::max(a, b));
    result.strides.erase(std::max(a, b));
    result.shape.erase(std::min(a, b));
    result.strides.erase(std::min(a, b));
    result.shape.push_back(length);
    result.strides.push_back(step);
    // Read-only, as in NumPy.
    return view_of(array, std::move(result), false);
}

HS_FAST_METHOD(array_view) {
    auto found = sort_arguments("view", {"dtype", "type"}, {2}, args, count, keywords);
    ArrayObject* array = as_array(self);
    if (found[0] && !found[1] && is_class_for_view(found[0])) std::swap(found[0], found[1]);
    if (array->is_scalar && !found[0] && !found[1]) return Py_NewRef(self);
    if (!found[0]) {
        return found[1] ? view_as_type(self, found[1]) : view_of(array, View(array->view));
    }
    DType dtype;
    Ref descr;
    if (!parse_dtype(found[0], dtype, &descr)) {
        count_fallback("view");
        const Ref exported = export_to_numpy(array);
        Ref dtype_keyword = own(PyObject_CallMethod(exported.get(), "view", "O", descr.get()));
        return found[1] ? PyObject_CallMethod(dtype_keyword.get(), "view", "O", found[1])
                        : dtype_keyword.release();
    }
    View view = view_as(array->view, dtype);
    if (array->is_scalar) return new_scalar(std::move(view));
    Ref result = own(view_of(array, std::move(view)));
    return found[1] ? view_as_type(result.get(), found[1]) : result.release();
}

}  // namespace hassium
