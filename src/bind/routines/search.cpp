// searchsorted and interp of arrays: both look at their values when they are called.
#include <algorithm>

#include "bind/array/array_methods.hpp"
#include "engine/search.hpp"
#include "ops/dtype_rules.hpp"

namespace hassium {
namespace {

const View* plain_view(PyObject* object) {
    return Py_TYPE(object) == array_type ? &as_array(object)->view : nullptr;
}

// The elements side by side, in that dtype.
View laid(const View& view, DType dtype) {
    return view.dtype == dtype && view.c_contiguous() ? view : contiguous_copy(view, dtype);
}

const double* numbers(const View& view) {
    return reinterpret_cast<const double*>(data_to_read(view));
}

// For single values NumPy's results are scalars.
bool is_some(const View* view) { return view && view->ndim() > 0 && can_search(view->dtype); }

// A number of Python's, or nothing: the one at the end.
bool number_or(PyObject* object, double otherwise, double& number) {
    number = otherwise;
    if (object == Py_None) return true;
    if (!PyFloat_CheckExact(object) && !PyLong_CheckExact(object)) return false;
    number = PyFloat_AsDouble(object);
    if (PyErr_Occurred()) PyErr_Clear();
    return number != -1.0 || PyFloat_CheckExact(object);
}

}  // namespace

HS_FAST_METHOD(search_sorted) {
    (void)self;
    if (keywords) Py_RETURN_NONE;
    return guarded([&]() -> PyObject* {
        // Sides in words are for the front to read.
        if (count != 2 && (count != 3 || !PyBool_Check(args[2]))) return Py_NewRef(Py_None);
        const bool behind = count == 3 && args[2] == Py_True;
        const View *vector = plain_view(args[0]), *wanted = plain_view(args[1]);
        if (!is_some(vector) || !is_some(wanted) || vector->ndim() != 1) {
            return Py_NewRef(Py_None);
        }
        const DType dtype = promote(vector->dtype, wanted->dtype);
        const View sorted = laid(*vector, dtype), values = laid(*wanted, dtype);
        char* out = nullptr;
        View found = filled_view(DType::I64, values.shape, out);
        const char* first = data_to_read(sorted);
        search_sorted({dtype, first, sorted.size()}, behind, data_to_read(values), values.size(),
                      reinterpret_cast<std::int64_t*>(out));
        return new_array(std::move(found));
    });
}

HS_FAST_METHOD(interpolate) {
    (void)self;
    (void)keywords;
    return guarded([&]() -> PyObject* {
        if (count != 5) fail(ErrorKind::Type, "interpolate() takes five arguments");
        const View* given[3];
        for (std::size_t k = 0; k < 3; ++k) {
            given[k] = plain_view(args[k]);
            if (!is_some(given[k])) return Py_NewRef(Py_None);
        }
        const std::int64_t n = given[1]->size();
        if (given[1]->ndim() != 1 || given[2]->ndim() != 1 || n != given[2]->size() || n < 2) {
            return Py_NewRef(Py_None);
        }
        const View x = laid(*given[0], DType::F64);
        const View xp = laid(*given[1], DType::F64), fp = laid(*given[2], DType::F64);
        Points points = {numbers(xp), numbers(fp), n, 0, 0};
        // For points in another order NumPy's search finds something, which is not looked for here.
        const bool rising = std::adjacent_find(points.x, points.x + n, [](double a, double b) {
                                return !(a <= b);
                            }) == points.x + n;
        if (!rising || !number_or(args[3], points.y[0], points.before) ||
            !number_or(args[4], points.y[n - 1], points.behind)) {
            return Py_NewRef(Py_None);
        }
        char* out = nullptr;
        View found = filled_view(DType::F64, x.shape, out);
        interpolate(points, numbers(x), x.size(), reinterpret_cast<double*>(out));
        return new_array(std::move(found));
    });
}

}  // namespace hassium
