// ufunc.at where NumPy takes one element after another through the loops of its iterator: rows of
// an array, and elements by several indices.
#include <algorithm>
#include <vector>

#include "bind/ufunc/ufunc_parts.hpp"
#include "engine/engine.hpp"
#include "ops/dtype_rules.hpp"
#include "program/routine.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

Ref numpy_array(PyObject* object, int type, int flags) {
    const Ref source = is_array(object) ? borrow_numpy(object) : borrow(object);
    PyArray_Descr* descr = type < 0 ? nullptr : PyArray_DescrFromType(type);
    return numpy_from_any(source.get(), descr, 0, flags);
}

using Extents = std::span<const std::int64_t>;
Extents extents_of(PyArrayObject* array) {
    return {PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array))};
}

// Where the rows are that the indices name; nothing in what is no list of them, or beyond an axis.
class Rows {
  public:
    Rows(const View& view, PyObject* indices) : view_(view) {
        if (PyTuple_CheckExact(indices)) {
            for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(indices) && known_; ++k) {
                add(PyTuple_GET_ITEM(indices, k));
            }
        } else {
            add(indices);
        }
        known_ = known_ && has_shape_;
    }
    explicit operator bool() const { return known_; }
    std::size_t axes() const { return axes_; }
    const Dims& shape() const { return shape_; }
    const std::vector<std::int64_t>& places() const { return places_; }

  private:
    const View& view_;
    bool known_ = true, has_shape_ = false;
    std::size_t axes_ = 0;
    std::int64_t whole_ = 0;  // of indices that are one number
    Dims shape_;
    std::vector<std::int64_t> places_;

    void add(PyObject* item) {
        known_ = false;
        if (axes_ == view_.ndim() || PySlice_Check(item) || item == Py_None || PyBool_Check(item) ||
            item == Py_Ellipsis) {
            return;
        }
        const Ref any = numpy_array(item, -1, 0);
        const int type = PyArray_TYPE(any.ndarray());
        if (!PyTypeNum_ISINTEGER(type) || type == NPY_ULONGLONG || type == NPY_ULONG) return;
        const Ref index = numpy_array(any.get(), NPY_INT64, NPY_ARRAY_IN_ARRAY);
        known_ = take(index.ndarray());
        ++axes_;
    }
    bool take(PyArrayObject* index) {
        const std::int64_t extent = view_.shape[axes_], stride = view_.strides[axes_];
        const auto* at = static_cast<const std::int64_t*>(PyArray_DATA(index));
        const Extents shape = extents_of(index);
        const std::int64_t n = PyArray_SIZE(index);
        bool inside = true;
        auto place_of = [&](std::int64_t i) {
            const bool known = i >= -extent && i < extent;
            inside &= known;
            return !known ? 0 : i < 0 ? (i + extent) * stride : i * stride;
        };
        if (shape.empty()) {
            const std::int64_t place = place_of(*at);
            whole_ += place;
            for (std::int64_t& known : places_) known += place;
            return inside;
        }
        if (!has_shape_) {
            has_shape_ = true;
            shape_.assign(shape.data(), shape.size());
            places_.assign(static_cast<std::size_t>(n), whole_);
        }
        if (!std::ranges::equal(shape, shape_)) return false;
        for (std::int64_t k = 0; k < n; ++k) {
            places_[static_cast<std::size_t>(k)] += place_of(at[k]);
        }
        return inside;
    }
};

// The values as a matrix of a row for each place; false: they are repeated in another way. They are
// side by side.
bool lay_values(View& values, const Rows& rows, Extents row) {
    const std::int64_t item = itemsize(values.dtype), elements = element_count(row);
    const Dims shape = values.shape;
    const std::int64_t size = values.size();
    Dims whole = rows.shape(), each = rows.shape();
    for (const std::int64_t extent : row) {
        whole.push_back(extent);
        each.push_back(1);
    }
    values.shape = Dims{std::ssize(rows.places()), elements};
    values.strides = Dims{0, 0};
    if (size == 1) return shape.size() <= whole.size();
    const bool is_whole = shape == whole, for_each = !is_whole && shape == each;
    values.strides = Dims{is_whole ? elements * item : for_each ? item : 0, for_each ? 0 : item};
    return is_whole || for_each || std::ranges::equal(shape, row);
}

bool is_row(const View& view, std::size_t first) {
    std::int64_t inside = itemsize(view.dtype);
    for (std::size_t k = view.ndim(); k-- > first;) {
        if (view.shape[k] != 1 && view.strides[k] != inside) return false;
        inside *= view.shape[k];
    }
    return true;
}

void run_combine_at(Op op, const View& array, const std::vector<std::int64_t>& places,
                    const View& values) {
    char *offsets = nullptr, *flags = nullptr;
    const View where = filled_view(DType::I64, Dims{std::ssize(places)}, offsets);
    std::memcpy(offsets, places.data(), places.size() * sizeof places[0]);
    const View raised = filled_view(DType::U8, Dims{1}, flags);
    Request request = request_of(
        Op::CombineAt, array.dtype, array,
        {input_of(where), input_of(values), input_of(static_cast<std::int64_t>(op), DType::I64)});
    request.nout = 2;
    request.out[1] = &raised;
    request.at_call = true;
    Engine::instance().submit(request);
    const auto conditions =
        static_cast<std::uint8_t>(*data_to_read(raised) & raises(op, array.dtype));
    if (!conditions) return;
    Request done;
    done.op = op;
    done.compute = array.dtype;
    done.errstate = current_errstate();
    Engine::instance().report_direct(done, conditions);
}

}  // namespace

bool combine_at(Op op, PyObject* array, PyObject* indices, PyObject* values) {
    if (Py_TYPE(array) != array_type || info(op).nin != 2 || info(op).nout != 1) return false;
    const View& view = as_array(array)->view;
    const bool by_several = PyTuple_CheckExact(indices);
    if (overrides_ufuncs(values) || overrides_ufuncs(indices)) return false;
    // NumPy has a loop for the elements of a vector.
    if (!info(op).is_elementwise() || !loop_of(op, view.dtype)) return false;
    if (view.ndim() == 0 || (view.ndim() == 1 && !by_several)) return false;
    const Ref given = numpy_array(values, -1, 0);
    DType dtype = DType::F64;
    if (!native_dtype(given.ndarray(), dtype) || checks_exponents(op, view.dtype)) return false;
    const OperandType types[] = {{view.dtype}, {dtype}};
    if (!can_cast(dtype, view.dtype, Casting::Safe)) return false;
    const Loop loop = resolve(op, types);
    for (const DType of_loop : {loop.compute, loop.in[0], loop.in[1], loop.out[0]}) {
        if (of_loop != view.dtype) return false;
    }
    const Rows rows(view, indices);
    if (!rows || std::ssize(rows.places()) < threshold(Threshold::at_rows)) return false;
    if (!is_row(view, rows.axes())) return false;
    const Extents row = Extents(view.shape).subspan(rows.axes());
    char* const data = ready_data(view);
    // Values that lie in the array are those from before.
    int flags = NPY_ARRAY_IN_ARRAY;
    PyArrayObject* const numpys = given.ndarray();
    const Extents steps(PyArray_STRIDES(numpys), static_cast<std::size_t>(PyArray_NDIM(numpys)));
    if (may_share({PyArray_BYTES(numpys), dtype, extents_of(numpys), steps},
                  {data, view.dtype, view.shape, view.strides})) {
        flags |= NPY_ARRAY_ENSURECOPY;
    }
    const Ref cast = numpy_array(given.get(), descr_of(view.dtype)->type_num, flags);
    const Ref wrapped = wrap_operand(cast.ndarray());
    View laid = as_array(wrapped.get())->view;
    if (!lay_values(laid, rows, row)) return false;
    run_combine_at(op, view, rows.places(), laid);
    return true;
}

}  // namespace hassium
