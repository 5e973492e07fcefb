// Arrays on the memory of NumPy's arrays, and copies of them.
//
// `owner_of` alone decides who owns the memory: it follows the chain of `.base`. Memory of ours
// becomes a view of its base, which keeps no export alive; other memory becomes a foreign base.
#include <cstring>
#include <utility>

#include "bind/array/array_parts.hpp"
#include "bind/module/call_sites.hpp"
#include "record/thresholds.hpp"

namespace hassium {
namespace {

// Releases the owner of a foreign base. Bases are destroyed under the GIL.
void drop_object(void* keeper) {
    if (Py_IsInitialized()) Py_DECREF(static_cast<PyObject*>(keeper));
}

// Returns the number of bytes that a NumPy array spans; sets `before` to those before its data
// pointer.
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

// Returns the dtype, shape and strides of a NumPy array as a view without base and offset.
View layout_of(PyArrayObject* array, DType dtype) {
    View view;
    view.dtype = dtype;
    for (int k = 0; k < PyArray_NDIM(array); ++k) {
        view.shape.push_back(PyArray_DIM(array, k));
        view.strides.push_back(PyArray_STRIDE(array, k));
    }
    return view;
}

// Returns a copy with the memory order of axes that NumPy's copies have.
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

// Returns the base of a DummyArray, which `as_strided` puts between an array and its base, or null.
PyObject* base_of_dummy(PyObject* object) {
    if (std::strcmp(Py_TYPE(object)->tp_name, "DummyArray") != 0) return nullptr;
    const Ref base(PyObject_GetAttrString(object, "base"));
    if (!base) PyErr_Clear();
    return base.get();  // the object owns it
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
            // Null for a released memoryview, whose memory is gone.
            next = reinterpret_cast<PyMemoryViewObject*>(object)->mbuf->master.obj;
        } else if (is_array(object)) {
            return {object, as_array(object)->view.base.get(), nullptr, arrays == 1};
        } else if (PyObject* array = exported_array(object)) {
            return {array, exported_base(object), nullptr, arrays == 1};
        } else {
            next = base_of_dummy(object);
        }
        // NumPy's array that was unpickled owns the bytes in which its elements came.
        const bool last = !next || (PyBytes_CheckExact(next) && PyArray_Check(object));
        if (last) return {nullptr, nullptr, object, false};
        object = next;
    }
}

namespace {

// Returns our array if `numpys` is its export and not made here, else a view of our base that
// contains the memory, else null.
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
    // `.base` is the memoryview that the program made, which keeps the buffer exported.
    PyObject* base = PyArray_BASE(numpys);
    const bool of_buffer = made_here && base && PyMemoryView_Check(base);
    return own(new_array(std::move(view), of_buffer ? base : parent_for(array),
                         PyArray_ISWRITEABLE(numpys) != 0));
}

// Returns the `.base` of an array on foreign memory: that of a view of `numpys`, or that of
// `numpys` itself if it was made here.
PyObject* foreign_parent(PyArrayObject* numpys, bool made_here) {
    PyObject* base = PyArray_BASE(numpys);
    const bool shown = made_here || (base && PyArray_CheckExact(base));
    return shown ? base : reinterpret_cast<PyObject*>(numpys);
}

PyObject* copy_warning = nullptr;

DType native_of(PyArrayObject* numpys) {
    DType dtype;
    if (!native_dtype(numpys, dtype)) {
        // A foreign byte order becomes native only by a copy.
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
    // An object has one shared weak reference without a callback while that lives. The last one is
    // kept, so that a loop that converts one array creates it once.
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
        View& view = as_array(copy.get())->view;
        for (std::size_t k = 0; k < view.ndim(); ++k) {
            if (view.shape[k] == 1) view.strides[k] = PyArray_STRIDE(array, static_cast<int>(k));
        }
        return copy;
    }
    View view = foreign_view(array, dtype);
    // The memory has no other user: hassium owns it from now on.
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
