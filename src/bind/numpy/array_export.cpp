// NumPy's arrays on our memory.
//
// The `.base` of such an array is an export: it owns our array, whose base is eager until NumPy's
// array and all of its views are gone. An array has at most one export at a time: further calls
// return the same NumPy array while it lives.
#include <algorithm>
#include <new>
#include <utility>

#include "bind/array/array_parts.hpp"

namespace hassium {
namespace {

PyTypeObject* export_type = nullptr;

struct ExportObject {
    PyObject_HEAD BaseRef base;  // empty if NumPy's array is unreferenced, kept for reuse
    PyObject* array;             // owned: our array
    PyObject* numpys;            // owned: a weak reference to NumPy's array
};

ExportObject* as_export(PyObject* o) { return reinterpret_cast<ExportObject*>(o); }

// Returns the export that is the `.base` of a NumPy array, or null; borrowed.
ExportObject* export_under(const PyArrayObject* numpys) {
    PyObject* base = PyArray_BASE(numpys);
    return base && Py_TYPE(base) == export_type ? as_export(base) : nullptr;
}

void begin(ExportObject* held, ArrayObject* array, const BaseRef& base) {
    held->base = base;
    held->array = Py_NewRef(reinterpret_cast<PyObject*>(array));
    array->exported = reinterpret_cast<PyObject*>(held);
}

void end(ExportObject* held) {
    if (!held->base) return;
    Engine::instance().end_export(*held->base);
    ArrayObject* array = as_array(held->array);
    if (array->exported == reinterpret_cast<PyObject*>(held)) array->exported = nullptr;
    const BaseRef base = std::move(held->base);
    Py_CLEAR(held->array);
}

void export_dealloc(PyObject* self) {
    ExportObject* held = as_export(self);
    end(held);
    held->base.~BaseRef();
    deallocate<ExportObject, &ExportObject::numpys>(self);
}

// NumPy requests a writable buffer when a program sets the flag WRITEABLE of an exported array.
int export_get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
    const ExportObject* held = as_export(self);
    buffer->obj = nullptr;
    if (!held->base) {
        PyErr_SetString(PyExc_BufferError, "the export has ended");
        return -1;
    }
    const Base& base = *held->base;
    return PyBuffer_FillInfo(buffer, self, base.data, base.bytes, !as_array(held->array)->writeable,
                             flags);
}

PyObject* export_obj(PyObject* self, void*) {
    PyObject* array = as_export(self)->array;
    return Py_NewRef(array ? array : Py_None);
}

PyGetSetDef export_getset[] = {{"obj", export_obj, nullptr, "the array that is exported", nullptr},
                               {nullptr, nullptr, nullptr, nullptr, nullptr}};

ExportObject* new_export() {
    auto* held = PyObject_New(ExportObject, export_type);
    if (!held) throw PythonError();
    new (&held->base) BaseRef();
    held->array = held->numpys = nullptr;
    return held;
}

// Unreferenced NumPy arrays, kept for reuse because programs export the same memory repeatedly.
// Their data may be freed memory; nothing reads it before they serve an export of memory at the
// same address. Guarded by the GIL.
constexpr std::size_t kSpareArrays = 8;
PyObject* spare_arrays[kSpareArrays];
std::size_t next_spare = 0;

// Returns a spare NumPy array with the layout of `array`, whose base must be ready, or null.
Ref take_spare(const ArrayObject* array) {
    for (PyObject*& spare : spare_arrays) {
        if (spare && shows(spare, array)) return Ref(std::exchange(spare, nullptr));
    }
    return Ref();
}

// Returns whether nothing else references NumPy's array, its export and its weak reference.
bool is_alone(PyObject* numpys, const ExportObject* held) {
    const auto* fields = reinterpret_cast<const PyArrayObject_fields*>(numpys);
    const auto* weak = reinterpret_cast<const PyWeakReference*>(held->numpys);
    return Py_REFCNT(numpys) == 1 && Py_REFCNT(held) == 1 && Py_REFCNT(held->numpys) == 1 &&
           fields->weakreflist == held->numpys && !weak->wr_next;
}

}  // namespace

Ref referent(PyObject* weak) {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject* found = nullptr;
    check(PyWeakref_GetRef(weak, &found));
    return Ref(found);
#else
    PyObject* found = PyWeakref_GET_OBJECT(weak);
    return found == Py_None ? Ref() : borrow(found);
#endif
}

bool shows(PyObject* numpys, const ArrayObject* array) {
    const auto* candidate = reinterpret_cast<const PyArrayObject*>(numpys);
    const View& view = array->view;
    if (PyArray_BYTES(candidate) != view.base->data + view.offset ||
        PyArray_DESCR(candidate) != descr_of(view.dtype) ||
        (PyArray_ISWRITEABLE(candidate) != 0) != array->writeable ||
        PyArray_NDIM(candidate) != static_cast<int>(view.ndim())) {
        return false;
    }
    return std::equal(view.shape.begin(), view.shape.end(), PyArray_DIMS(candidate)) &&
           std::equal(view.strides.begin(), view.strides.end(), PyArray_STRIDES(candidate));
}

Ref export_to_numpy(ArrayObject* array) {
    if (array->exported) {
        Ref known = referent(as_export(array->exported)->numpys);
        if (known && shows(known.get(), array)) return known;
    }
    const BaseRef base = Engine::instance().begin_export(array->view);
    try {
        // Other threads run during a flush: one may have resized the array.
        if (array->view.base.get() != base.get()) {
            fail(ErrorKind::Runtime, "the array was resized by another thread");
        }
        if (Ref spare = take_spare(array)) {
            begin(export_under(spare.ndarray()), array, base);
            return spare;
        }
        const Ref holder(reinterpret_cast<PyObject*>(new_export()));
        Ref numpys = borrow_numpy(array->view, holder.get(), array->writeable);
        as_export(holder.get())->numpys = own(PyWeakref_NewRef(numpys.get(), nullptr)).release();
        begin(as_export(holder.get()), array, base);
        return numpys;
    } catch (...) {
        Engine::instance().end_export(*base);
        throw;
    }
}

void end_loan(Ref numpys) {
    ExportObject* held = export_under(numpys.ndarray());
    if (!held || !is_alone(numpys.get(), held)) return;
    end(held);  // first: a weak reference callback may export other arrays
    next_spare = (next_spare + 1) % kSpareArrays;
    const Ref before(std::exchange(spare_arrays[next_spare], numpys.release()));
}

PyObject* exported_array(PyObject* object) {
    return Py_TYPE(object) == export_type ? as_export(object)->array : nullptr;
}

Base* exported_base(PyObject* object) { return as_export(object)->base.get(); }

bool init_export() {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(export_dealloc)},
                           {Py_tp_getset, export_getset},
                           {Py_bf_getbuffer, slot(export_get_buffer)},
                           {0, nullptr}};
    export_type = make_type<ExportObject>("hassium.export", kFinalType, slots);
    return export_type != nullptr;
}

}  // namespace hassium
