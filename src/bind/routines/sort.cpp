// Registers NumPy's functions that sort a line for the rows sort and argsort
// (exec/routines/sort.cpp).
#include <new>

#include "bind/array/array_methods.hpp"
#include "program/routine.hpp"

namespace hassium {
namespace {

// An array of each dtype: NumPy's functions read only the dtype of the array argument.
PyArrayObject* models[kDTypeCount];

struct NumpySorts {
    PyArray_ArrFuncs* functions;
    PyArrayObject* model;
    int kind;
};
NumpySorts numpys(const Instruction& i, DType dtype) {
    PyArrayObject* const model = models[static_cast<int>(dtype)];
    return {PyDataType_GetArrFuncs(PyArray_DESCR(model)), model,
            i.axes & kStable ? NPY_STABLESORT : NPY_QUICKSORT};
}

// (line): sorts it in place.
void sort_line(const Instruction& i, std::span<const BoundView> operands, RunState&) {
    const BoundView& line = operands[0];
    const NumpySorts sorts = numpys(i, line.dtype);
    if (sorts.functions->sort[sorts.kind](line.data, line.shape[0], sorts.model) < 0) {
        throw std::bad_alloc();
    }
}

// (positions, line): permutes the positions to the order of the elements of the line.
void argsort_line(const Instruction& i, std::span<const BoundView> operands, RunState&) {
    const BoundView &positions = operands[0], &line = operands[1];
    const NumpySorts sorts = numpys(i, line.dtype);
    if (sorts.functions->argsort[sorts.kind](line.data, reinterpret_cast<npy_intp*>(positions.data),
                                             line.shape[0], sorts.model) < 0) {
        throw std::bad_alloc();
    }
}

}  // namespace

void init_sorts() {
    for (int d = 0; d < kDTypeCount; ++d) {
        Ref model = own(PyArray_Zeros(0, nullptr, new_descr(static_cast<DType>(d)), 0));
        models[d] = reinterpret_cast<PyArrayObject*>(model.release());
    }
    register_library_routine(Op::Sort, sort_line);
    register_library_routine(Op::Argsort, argsort_line);
}

PyObject* count_threads(PyObject*, PyObject*) { return PyLong_FromLong(Engine::threads()); }

// threadpoolctl recognizes the library by this symbol, as others may have the same file name.
extern "C" __attribute__((visibility("default"))) int hassium_num_threads() {
    return Engine::threads();
}

}  // namespace hassium
