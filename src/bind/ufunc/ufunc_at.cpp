// ufunc.at where NumPy takes one element after another through the loops of its iterator: rows of
// an array, and elements by several indices.
#include <algorithm>
#include <vector>

#include "bind/ufunc/ufunc_parts.hpp"
#include "engine/combine_at.hpp"
#include "engine/engine.hpp"
#include "program/opaque.hpp"
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

// Steps of values of such a shape through the rows; false: they are repeated in another way.
bool find_steps(PyArrayObject* values, const Rows& rows, Extents row, CombinedAt& work) {
    const std::int64_t item = itemsize(work.dtype);
    const Extents shape = extents_of(values);
    Dims whole = rows.shape(), each = rows.shape();
    for (const std::int64_t extent : row) {
        whole.push_back(extent);
        each.push_back(1);
    }
    if (PyArray_SIZE(values) == 1) {
        work.value_step = work.element_step = 0;
        return shape.size() <= whole.size();
    }
    const bool is_whole = std::ranges::equal(shape, whole);
    const bool for_each = !is_whole && std::ranges::equal(shape, each);
    work.value_step = is_whole ? work.row * item : for_each ? item : 0;
    work.element_step = for_each ? 0 : item;
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

}  // namespace

bool combine_at(Op op, PyObject* array, PyObject* indices, PyObject* values) {
    if (Py_TYPE(array) != array_type || info(op).nin != 2 || info(op).nout != 1) return false;
    const View& view = as_array(array)->view;
    const bool by_several = PyTuple_CheckExact(indices);
    if (overrides_ufuncs(values) || overrides_ufuncs(indices)) return false;
    // NumPy has a loop for the elements of a vector.
    if (!info(op).is_elementwise() || !combines_at(op, view.dtype)) return false;
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
    CombinedAt work = {op, view.dtype, nullptr, rows.places(), element_count(row), nullptr, 0, 0};
    work.array = ready_data(view);
    // Values that lie in the array are those from before.
    int flags = NPY_ARRAY_IN_ARRAY;
    PyArrayObject* const numpys = given.ndarray();
    const Extents steps(PyArray_STRIDES(numpys), static_cast<std::size_t>(PyArray_NDIM(numpys)));
    if (may_share({PyArray_BYTES(numpys), dtype, extents_of(numpys), steps},
                  {work.array, view.dtype, view.shape, view.strides})) {
        flags |= NPY_ARRAY_ENSURECOPY;
    }
    const Ref cast = numpy_array(given.get(), descr_of(view.dtype)->type_num, flags);
    if (!find_steps(cast.ndarray(), rows, row, work)) return false;
    work.values = PyArray_BYTES(cast.ndarray());
    std::uint8_t raised = 0;
    {
        const Unlocked unlocked;
        clear_fp_flags();
        raised = combine_at(work) | read_fp_flags();
        clear_fp_flags();
    }
    Request done;
    done.op = op;
    done.compute = view.dtype;
    done.errstate = current_errstate();
    raised &= raises(op, view.dtype);
    if (raised) Engine::instance().report_direct(done, raised);
    return true;
}

}  // namespace hassium
