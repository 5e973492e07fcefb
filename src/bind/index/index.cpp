// Parses keys to items, and applies basic items as views.
#include "bind/index/index.hpp"

namespace hassium {
namespace {

[[noreturn]] void invalid_item() {
    fail(ErrorKind::Index,
         "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
         "boolean arrays are valid indices");
}

std::int64_t integer_from(PyObject* object) {
    Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_IndexError);
    if (value != -1 || !PyErr_Occurred()) return value;
    if (PyErr_ExceptionMatches(PyExc_IndexError)) {
        PyErr_Clear();
        invalid_item();
    }
    throw PythonError();
}

void add_array(Index& index, Ref array, DType dtype, int ndim) {
    if (dtype == DType::Bool) {
        index.items.push_back({IndexKind::Mask, 0, 1, 0, std::move(array), ndim});
        index.advanced = true;
    } else if (!is_integer(dtype)) {
        fail(ErrorKind::Index, "arrays used as indices must be of integer (or boolean) type");
    } else if (ndim == 0) {
        index.items.push_back({IndexKind::Integer, integer_from(array.get()), 1, 0, {}, 1});
        index.integer_array = true;
    } else {
        index.items.push_back({IndexKind::Positions, 0, 1, 0, std::move(array), 1});
        index.advanced = true;
    }
}

void add_ndarray(Index& index, Ref array, bool was_array) {
    PyArrayObject* a = array.ndarray();
    if (!was_array && PyArray_SIZE(a) == 0 && PyArray_NDIM(a) > 0) {
        // An empty list has no dtype of its own.
        array = own(PyArray_FromArray(a, PyArray_DescrFromType(NPY_INT64), NPY_ARRAY_FORCECAST));
        a = array.ndarray();
    }
    DType dtype;
    if (!was_array && !PyArray_ISINTEGER(a) && (PyArray_NDIM(a) == 0 || !PyArray_ISBOOL(a))) {
        invalid_item();
    }
    if (!native_dtype(a, dtype)) {
        if (!PyArray_ISINTEGER(a) && !PyArray_ISBOOL(a)) {
            dtype = DType::F64;  // refused below
        } else {
            array = own(PyArray_FromArray(a, PyArray_DescrFromType(NPY_INT64), 0));
            dtype = DType::I64;
        }
    }
    add_array(index, array, dtype, PyArray_NDIM(array.ndarray()));
}

void add_object(Index& index, PyObject* object) {
    if (Py_TYPE(object) == array_type) {
        const View& view = as_array(object)->view;
        add_array(index, borrow(object), view.dtype, static_cast<int>(view.ndim()));
        return;
    }
    if (PyArray_Check(object)) {
        add_ndarray(index, borrow(object), true);
        return;
    }
    if (Py_TYPE(object) == scalar_type && !is_integer(as_array(object)->view.dtype) &&
        as_array(object)->view.dtype != DType::Bool) {
        invalid_item();
    }
    bool truth = PyBool_Check(object) || PyArray_IsScalar(object, Bool) ||
                 (Py_TYPE(object) == scalar_type && as_array(object)->view.dtype == DType::Bool);
    if (truth) {
        int value = PyObject_IsTrue(object);
        check(value);
        npy_intp none = 0;
        Ref mask = own(PyArray_SimpleNew(0, &none, NPY_BOOL));
        *static_cast<bool*>(PyArray_DATA(mask.ndarray())) = value != 0;
        add_ndarray(index, std::move(mask), true);
        return;
    }
    // An object with __index__ is an integer, even if it has elements as well.
    const Ref number(PyIndex_Check(object) ? PyNumber_Index(object) : nullptr);
    if (number) {
        index.items.push_back({IndexKind::Integer, integer_from(number.get()), 1, 0, {}, 1});
        return;
    }
    PyErr_Clear();
    if (PyUnicode_Check(object) || PyBytes_Check(object)) invalid_item();
    Ref array = array_from_any(object, nullptr, 0, 0);
    if (!array) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError();
        PyErr_Clear();
        invalid_item();
    }
    if (is_array(array.get())) array = export_to_numpy(as_array(array.get()));
    add_ndarray(index, std::move(array), false);
}

void add_item(Index& index, PyObject* object) {
    if (PySlice_Check(object)) {
        index.items.push_back({IndexKind::Slice, 0, 1, 0, borrow(object), 1});
    } else if (object == Py_None) {
        index.items.push_back({IndexKind::NewAxis});
    } else if (object == Py_Ellipsis) {
        index.items.push_back({IndexKind::Ellipsis});
    } else {
        add_object(index, object);
    }
}

// Reads the bounds of a slice once all items are known to be valid, as NumPy reports invalid items
// first. `count` holds `stop` until the extent is known.
void read_slice(IndexItem& item) {
    Py_ssize_t start, stop, step;
    check(PySlice_Unpack(item.object.get(), &start, &stop, &step));
    item.start = start;
    item.step = step;
    item.count = stop;
    item.object = Ref();
}

}  // namespace

std::int64_t stepped(std::int64_t stride, std::int64_t step) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(stride, step, &product) ? stride : product;
}

std::int64_t wrap_position(std::int64_t position, std::int64_t extent, std::size_t axis) {
    if (position < -extent || position >= extent) {
        fail(ErrorKind::Index, "index ", position, " is out of bounds for axis ", axis,
             " with size ", extent);
    }
    return position < 0 ? position + extent : position;
}

Index parse_index(const View& source, PyObject* key) {
    Index index;
    if (PyTuple_Check(key)) {
        Py_ssize_t count = PyTuple_GET_SIZE(key);
        if (count > 2 * kMaxDims) fail(ErrorKind::Index, "too many indices for array");
        index.items.reserve(static_cast<std::size_t>(count) + 1);
        for (Py_ssize_t k = 0; k < count; ++k) add_item(index, PyTuple_GET_ITEM(key, k));
    } else {
        index.items.reserve(2);
        add_item(index, key);
    }
    int consumed = 0, ellipses = 0, made = 0;
    for (const IndexItem& item : index.items) {
        consumed += item.consumes;
        ellipses += item.kind == IndexKind::Ellipsis;
        made += item.kind == IndexKind::NewAxis;
    }
    if (ellipses > 1) {
        fail(ErrorKind::Index, "an index can only have a single ellipsis ('...')");
    }
    int ndim = static_cast<int>(source.ndim());
    if (consumed > ndim) {
        fail(ErrorKind::Index, "too many indices for array: array is ", ndim, "-dimensional, but ",
             consumed, " were indexed");
    }
    if (ndim + made > kMaxDims) {
        fail(ErrorKind::Index,
             "number of dimensions must be within [0, 64], indexing result would have ",
             ndim + made);
    }
    index.written_ellipsis = ellipses > 0;
    if (ellipses == 0) index.items.push_back({IndexKind::Ellipsis});
    for (IndexItem& item : index.items) {
        if (item.kind == IndexKind::Ellipsis) item.consumes = ndim - consumed;
        if (item.kind == IndexKind::Slice) read_slice(item);
    }
    return index;
}

View apply_basic(const View& source, const Index& index) {
    View view;
    view.base = source.base;
    view.dtype = source.dtype;
    view.offset = source.offset;
    std::size_t axis = 0;
    auto keep = [&](std::int64_t extent, std::int64_t stride) {
        view.shape.push_back(extent);
        view.strides.push_back(stride);
    };
    for (const IndexItem& item : index.items) {
        switch (item.kind) {
            case IndexKind::Integer:
                view.offset +=
                    source.strides[axis] * wrap_position(item.start, source.shape[axis], axis);
                break;
            case IndexKind::Slice: {
                Py_ssize_t start = item.start, stop = item.count;
                std::int64_t count =
                    PySlice_AdjustIndices(source.shape[axis], &start, &stop, item.step);
                if (count > 0) view.offset += start * source.strides[axis];
                keep(count, stepped(source.strides[axis], item.step));
                break;
            }
            case IndexKind::NewAxis:
                keep(1, 0);
                break;
            default:
                // A single bool consumes no axis and adds one.
                if (item.kind == IndexKind::Mask && item.consumes == 0) keep(1, 0);
                for (int k = 0; k < item.consumes; ++k) {
                    keep(source.shape[axis + static_cast<std::size_t>(k)],
                         source.strides[axis + static_cast<std::size_t>(k)]);
                }
        }
        axis += static_cast<std::size_t>(item.consumes);
    }
    return view;
}

}  // namespace hassium
