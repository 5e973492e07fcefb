// bincount of arrays of ours.
#include "bind/array_methods.hpp"
#include "engine/count_bins.hpp"

namespace hassium {

HS_FAST_METHOD(count_bins) {
    (void)self;
    (void)keywords;
    return guarded([&]() -> PyObject* {
        if (count != 2 || !is_array(args[0]) || !PyLong_CheckExact(args[1])) {
            fail(ErrorKind::Type, "count_bins() takes a vector of integers and a number of bins");
        }
        const View& view = as_array(args[0])->view;
        const std::int64_t bins = PyLong_AsLongLong(args[1]);
        if (bins == -1 && PyErr_Occurred()) throw PythonError();
        if (bins < 0 || view.ndim() != 1 || !is_integer(view.dtype)) return Py_NewRef(Py_None);
        check_extents(Dims{bins}, itemsize(DType::I64));
        char* out = nullptr;
        View counts = filled_view(DType::I64, Dims{bins}, out);
        const char* const numbers = data_to_read(view);
        bool fit = false;
        {
            const Unlocked unlocked;
            fit = count_bins(view.dtype, numbers, view.strides[0], view.size(),
                             reinterpret_cast<std::int64_t*>(out), bins);
        }
        return fit ? new_array(std::move(counts)) : Py_NewRef(Py_None);
    });
}

}  // namespace hassium
