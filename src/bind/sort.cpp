// sort of arrays: NumPy's own routine for the dtype, on all cores.
#include "engine/sort.hpp"
#include <algorithm>
#include <vector>

#include "bind/array_methods.hpp"

namespace hassium {
namespace {

struct NumpySort {
    PyArray_SortFunc* sort;
    PyArrayObject* array;  // of the dtype, which is all that the routines look at
};

int sort_piece(void* elements, std::int64_t n, void* context) {
    const auto* numpys = static_cast<const NumpySort*>(context);
    return numpys->sort(elements, static_cast<npy_intp>(n), numpys->array);
}

// Of lines of the last axis, or of what lies between ends that are given.
std::vector<std::int64_t> bounds_of(const View& view, PyObject* ends) {
    std::vector<std::int64_t> bounds = {0};
    if (ends) {
        for (std::int64_t end : parse_shape(ends, "sort")) bounds.push_back(end);
        if (!std::ranges::is_sorted(bounds) || bounds.back() > view.size()) {
            fail(ErrorKind::Value, "[sort] runs lie one after another in the array");
        }
        return bounds;
    }
    for (std::int64_t end = view.shape.back(); end > 0 && end <= view.size();
         end += view.shape.back()) {
        bounds.push_back(end);
    }
    return bounds;
}

}  // namespace

PyObject* count_threads(PyObject*, PyObject*) { return PyLong_FromLong(thread_count()); }

HS_FAST_METHOD(sort_runs) {
    (void)self;
    (void)keywords;
    return guarded([&]() -> PyObject* {
        if (count < 1 || count > 2 || !is_array(args[0])) {
            fail(ErrorKind::Type, "sort_runs() takes an array and the ends of runs");
        }
        const View& view = as_array(args[0])->view;
        if (view.ndim() == 0 || !view.c_contiguous()) return Py_NewRef(Py_None);
        const Ref numpys = borrow_numpy(args[0], true);
        PyArray_SortFunc* sort =
            PyDataType_GetArrFuncs(PyArray_DESCR(numpys.ndarray()))->sort[NPY_QUICKSORT];
        if (!sort) return Py_NewRef(Py_None);
        NumpySort context = {sort, numpys.ndarray()};
        const std::vector<std::int64_t> bounds = bounds_of(view, count > 1 ? args[1] : nullptr);
        char* data = PyArray_BYTES(numpys.ndarray());
        bool done = false;
        {
            const Unlocked unlocked;
            done = sort_runs(data, itemsize(view.dtype), bounds, sort_piece, &context);
        }
        return done ? Py_NewRef(Py_True) : PyErr_NoMemory();
    });
}

}  // namespace hassium
