// bincount of arrays of ours, and positions in the order of small integers.
#include "engine/bincount.hpp"
#include "bind/array/array_methods.hpp"

namespace hassium {
namespace {

using BinsFn = bool (*)(DType, const char*, std::int64_t, std::int64_t, std::int64_t*,
                        std::int64_t);

// (vector, bins), None where some number is in no bin: as many results as there are bins, or
// numbers.
PyObject* of_bins(PyObject* const* args, Py_ssize_t count, BinsFn function, bool by_bin) {
    if (count != 2 || !is_array(args[0]) || !PyLong_CheckExact(args[1])) {
        fail(ErrorKind::Type, "a vector of integers and a number of bins are wanted");
    }
    const View& view = as_array(args[0])->view;
    const std::int64_t bins = PyLong_AsLongLong(args[1]);
    if (bins == -1 && PyErr_Occurred()) throw PythonError();
    if (bins < 0 || view.ndim() != 1 || !is_integer(view.dtype)) return Py_NewRef(Py_None);
    const Dims shape{by_bin ? bins : view.size()};
    check_extents(shape, itemsize(DType::I64));
    char* out = nullptr;
    View found = filled_view(DType::I64, shape, out);
    const char* const numbers = data_to_read(view);
    bool fit = false;
    {
        const Unlocked unlocked;
        fit = function(view.dtype, numbers, view.strides[0], view.size(),
                       reinterpret_cast<std::int64_t*>(out), bins);
    }
    return fit ? new_array(std::move(found)) : Py_NewRef(Py_None);
}

}  // namespace

HS_FAST_METHOD(bincount) {
    (void)self, (void)keywords;
    return guarded([&] { return of_bins(args, count, &bincount, true); });
}

HS_FAST_METHOD(order_by_bins) {
    (void)self, (void)keywords;
    return guarded([&] { return of_bins(args, count, &order_by_bins, false); });
}

}  // namespace hassium
