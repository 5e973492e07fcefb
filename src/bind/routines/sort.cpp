// sort and argsort of arrays: NumPy's own routines for the dtype, on all cores.
#include "engine/sort.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "bind/array/array_methods.hpp"

namespace hassium {
namespace {

struct NumpySort {
    PyArray_SortFunc* sort;
    PyArrayObject* array;  // of the dtype, which is all that the routines look at
    DType dtype;
};

int sort_piece(void* elements, std::int64_t n, void* context) {
    constexpr std::int64_t kManyBytes = 32;  // fewer sort in less time than counters take
    const auto* numpys = static_cast<const NumpySort*>(context);
    if (itemsize(numpys->dtype) == 1 && n >= kManyBytes) {
        sort_bytes(static_cast<unsigned char*>(elements), n, numpys->dtype == DType::I8);
        return 0;
    }
    return numpys->sort(elements, static_cast<npy_intp>(n), numpys->array);
}

struct NumpyArgsort {
    PyArray_ArgSortFunc* sort;
    PyArrayObject* array;  // the elements, lines of them
    const char* first;     // position of all
};

// The positions of one line, which say which.
int argsort_piece(void* positions, std::int64_t n, void* context) {
    const auto* numpys = static_cast<const NumpyArgsort*>(context);
    auto* const own = static_cast<npy_intp*>(positions);
    const std::int64_t before = (static_cast<const char*>(positions) - numpys->first) /
                                static_cast<std::int64_t>(sizeof(npy_intp));
    std::iota(own, own + n, npy_intp{0});
    char* const elements = PyArray_BYTES(numpys->array) + before * PyArray_ITEMSIZE(numpys->array);
    return numpys->sort(elements, own, static_cast<npy_intp>(n), numpys->array);
}

// Sorts lines of the last axis, or what lies between the ends that are given.
std::vector<std::int64_t> bounds_of(const View& view, PyObject* ends) {
    std::vector<std::int64_t> bounds = {0};
    if (ends) {
        for (std::int64_t end : parse_shape(ends)) bounds.push_back(end);
        if (!std::ranges::is_sorted(bounds) || bounds.back() > view.size()) {
            fail(ErrorKind::Value, "runs lie one after another in the array");
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
        NumpySort context = {sort, numpys.ndarray(), view.dtype};
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

HS_FAST_METHOD(argsort_lines) {
    (void)self;
    (void)keywords;
    return guarded([&]() -> PyObject* {
        if (count != 3 || !is_array(args[0]) || !is_array(args[1]) || !PyBool_Check(args[2])) {
            fail(ErrorKind::Type, "argsort_lines() takes an array, one of positions and a bool");
        }
        const View &view = as_array(args[0])->view, &positions = as_array(args[1])->view;
        const bool fit = view.ndim() > 0 && view.c_contiguous() && positions.c_contiguous() &&
                         positions.dtype == DType::I64 && view.shape == positions.shape;
        if (!fit) fail(ErrorKind::Value, "positions lie beside the elements");
        const Ref numpys = borrow_numpy(args[0]), out = borrow_numpy(args[1], true);
        const int kind = args[2] == Py_True ? NPY_STABLESORT : NPY_QUICKSORT;
        PyArray_ArgSortFunc* sort =
            PyDataType_GetArrFuncs(PyArray_DESCR(numpys.ndarray()))->argsort[kind];
        if (!sort) return Py_NewRef(Py_None);
        char* const first = PyArray_BYTES(out.ndarray());
        NumpyArgsort context = {sort, numpys.ndarray(), first};
        const std::vector<std::int64_t> bounds = bounds_of(view, nullptr);
        bool done = false;
        {
            const Unlocked unlocked;
            done = sort_runs(first, sizeof(npy_intp), bounds, argsort_piece, &context);
        }
        return done ? Py_NewRef(Py_True) : PyErr_NoMemory();
    });
}

// By this symbol threadpoolctl knows the library among others whose files have the same name.
extern "C" __attribute__((visibility("default"))) int hassium_num_threads() {
    return thread_count();
}

}  // namespace hassium
