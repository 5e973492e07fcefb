// Arrays on the memory of NumPy's arrays, and copies of them.
//
// One function decides whose memory it is: `owner_of` follows the bases of NumPy's array. Memory
// of ours comes back as a view of its base, which keeps no export alive; other memory becomes a
// foreign base.
#include <cstring>
#include <utility>

#include "bind/array/array_parts.hpp"
#include "bind/module/call_sites.hpp"
#include "record/thresholds.hpp"

namespace hassium {
namespace {

// Bases die under the GIL.
void drop_object(void* keeper) {
    if (Py_IsInitialized()) Py_DECREF(static_cast<PyObject*>(keeper));
}

// Bytes that a NumPy array touches: distance of the first before its data, and their number.
std::int64_t bytes_of(PyArrayObject* array, std::int64_t& before) {
    std::int64_t low = 0, high = PyArray_ITEMSIZE(array);
    for (int k = 0; k < PyArray_NDIM(array); ++k) {
        if (PyArray_DIM(array, k) == 0) {
            before = 0;
            return 0;
        }
        std::int64_t reach = (PyArray_DIM(array, k) - 1) * PyArray_STRIDE(array, k);
        (reach < 0 ? low : high) += reach;
    }
    before = -low;
    return high - low;
}

// Without a base and an offset.
View layout_of(PyArrayObject* array, DType dtype) {
    View view;
    view.dtype = dtype;
    for (int k = 0; k < PyArray_NDIM(array); ++k) {
        view.shape.push_back(PyArray_DIM(array, k));
        view.strides.push_back(PyArray_STRIDE(array, k));
    }
    return view;
}

// In NumPy's order of axes, as its own copies.
View copied_view(PyArrayObject* array, DType dtype) {
    if (PyArray_IS_C_CONTIGUOUS(array)) {
        const std::span shape(PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array)));
        char* data = nullptr;
        View view = filled_view(dtype, shape, data);
        std::memcpy(data, PyArray_DATA(array), static_cast<std::size_t>(PyArray_NBYTES(array)));
        return view;
    }
    const View like = layout_of(array, dtype);
    const View* model = &like;
    View view = PyArray_IS_F_CONTIGUOUS(array) ? fortran_view(dtype, like.shape)
                                               : fresh_view_like(dtype, like.shape, {&model, 1});
    Ref target = borrow_numpy(view, nullptr, true);
    check(PyArray_CopyInto(target.ndarray(), array));
    return view;
}

View foreign_view(PyArrayObject* array, DType dtype) {
    View view = layout_of(array, dtype);
    const std::int64_t bytes = bytes_of(array, view.offset);
    char* first = PyArray_BYTES(array) - view.offset;
    view.base = BaseRef(new_foreign_base(first, bytes, dtype, drop_object, Py_NewRef(array)));
    return view;
}

// `as_strided` puts an object of its own between an array and its base.
PyObject* base_of_dummy(PyObject* object) {
    if (std::strcmp(Py_TYPE(object)->tp_name, "DummyArray") != 0) return nullptr;
    const Ref base(PyObject_GetAttrString(object, "base"));
    if (!base) PyErr_Clear();
    return base.get();  // the object holds it
}

}  // namespace

MemoryOwner owner_of(PyArrayObject* numpys) {
    PyObject* object = reinterpret_cast<PyObject*>(numpys);
    for (int arrays = 0;;) {
        PyObject* next = nullptr;
        if (PyArray_Check(object)) {
            next = PyArray_BASE(reinterpret_cast<PyArrayObject*>(object));
            ++arrays;
        } else if (PyMemoryView_Check(object)) {
            // What a released one shows is gone.
            next = reinterpret_cast<PyMemoryViewObject*>(object)->mbuf->master.obj;
        } else if (is_array(object)) {
            return {object, as_array(object)->view.base.get(), nullptr, arrays == 1};
        } else if (PyObject* array = exported_array(object)) {
            return {array, exported_base(object), nullptr, arrays == 1};
        } else {
            next = base_of_dummy(object);
        }
        if (!next) return {nullptr, nullptr, object, false};
        object = next;
    }
}

namespace {

// The array of ours that NumPy's stands for, unless that was made here; or a view of the base that
// its memory is in; or nothing.
Ref view_of_ours(PyArrayObject* numpys, DType dtype, const MemoryOwner& origin, bool made_here) {
    if (!origin.base || !origin.base->data) return Ref();
    View view = layout_of(numpys, dtype);
    std::int64_t before = 0;
    const std::int64_t bytes = bytes_of(numpys, before);
    view.offset = PyArray_BYTES(numpys) - origin.base->data;
    const std::int64_t first = view.offset - before;
    if (first < 0 || first + bytes > origin.base->bytes) return Ref();
    ArrayObject* array = as_array(origin.array);
    const bool same = !made_here && origin.direct && !array->is_scalar &&
                      array->view.base.get() == origin.base &&
                      shows(reinterpret_cast<PyObject*>(numpys), array);
    if (same) return borrow(origin.array);
    view.base = BaseRef(origin.base);
    if (origin.base->partial && array->view.base.get() == origin.base) {
        check_bounds(view, owner_view(array));
    }
    // A memoryview that the program made is the base, and an export as long as that is shown.
    PyObject* base = PyArray_BASE(numpys);
    const bool of_buffer = made_here && base && PyMemoryView_Check(base);
    return own(new_array(std::move(view), of_buffer ? base : parent_for(array),
                         PyArray_ISWRITEABLE(numpys) != 0));
}

// What `.base` shows of an array on foreign memory: what it shows of a view of NumPy's array, or of
// NumPy's array itself where that was made on the way.
PyObject* foreign_parent(PyArrayObject* numpys, bool made_here) {
    PyObject* base = PyArray_BASE(numpys);
    const bool shown = made_here || (base && PyArray_CheckExact(base));
    return shown ? base : reinterpret_cast<PyObject*>(numpys);
}

PyObject* copy_warning = nullptr;

DType native_of(PyArrayObject* numpys) {
    DType dtype;
    if (!native_dtype(numpys, dtype)) {
        // Foreign byte orders are native dtypes after a copy.
        fail(ErrorKind::Type, "the dtype is not one of hassium's");
    }
    return dtype;
}

}  // namespace

Ref view_of_numpy(PyArrayObject* numpys, bool made_here) {
    const DType dtype = native_of(numpys);
    if (Ref found = view_of_ours(numpys, dtype, owner_of(numpys), made_here)) return found;
    return own(new_array(foreign_view(numpys, dtype), foreign_parent(numpys, made_here),
                         PyArray_ISWRITEABLE(numpys) != 0));
}

Ref copy_of_numpy(PyArrayObject* numpys) { return copy_of_numpy(numpys, native_of(numpys)); }

Ref copy_of_numpy(PyArrayObject* numpys, DType dtype) {
    return own(new_array(copied_view(numpys, dtype)));
}

void warn_of_copy(ArrayObject* copy, PyObject* owner) {
    // An object has one weak reference without a callback while that lives. The last one is kept:
    // a loop that converts one array makes it once.
    static PyObject* last = nullptr;  // never released: destructors run after the interpreter
    Py_XSETREF(last, own(PyWeakref_NewRef(owner, nullptr)).release());
    copy->copied_from = Py_NewRef(last);
    copy->warns = Warns::Copied;
}

void inherit_warning(ArrayObject* view, const ArrayObject* array) {
    view->warns = array->warns;
    view->copied_from = Py_XNewRef(array->copied_from);
}

void forget_copy(ArrayObject* copy) {
    copy->warns = Warns::No;
    Py_CLEAR(copy->copied_from);
}

void tell_of_copy(ArrayObject* copy) {
    const Ref source = borrow(copy->copied_from);
    forget_copy(copy);
    if (!referent(source.get())) return;
    check(
        warn_at_caller(copy_warning,
                       "writing to a copy: asarray() has copied a NumPy array that is alive, where "
                       "NumPy would share its memory. Ask for copy=False or set asarray_shares to "
                       "share it, or for copy=True"));
}

Ref adopt_numpy(Ref fresh) {
    PyArrayObject* array = fresh.ndarray();
    const DType dtype = native_of(array);
    const bool alone = Py_REFCNT(fresh.get()) == 1 && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA) &&
                       PyArray_ISWRITEABLE(array) &&
                       PyArray_NBYTES(array) >= threshold(Threshold::adopted_result);
    if (!alone) {
        Ref copy = copy_of_numpy(array, dtype);
        as_array(copy.get())->writeable = PyArray_ISWRITEABLE(array) != 0;
        return copy;
    }
    View view = foreign_view(array, dtype);
    // The memory has no other user: it is hassium's from now on.
    view.base->foreign = false;
    return own(new_array(std::move(view)));
}

bool init_foreign(PyObject* module) {
    copy_warning = PyErr_NewExceptionWithDoc(
        "hassium.CopyWarning",
        "A write to a copy of a NumPy array that is alive, where NumPy would share the memory.",
        PyExc_UserWarning, nullptr);
    return copy_warning && PyModule_AddObjectRef(module, "CopyWarning", copy_warning) == 0;
}

}  // namespace hassium
