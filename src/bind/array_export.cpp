// Memory shared with NumPy and other users of the buffer protocol.
//
// An export holds the base by a view of its own and ends when its last user lets go; until then the
// engine runs every instruction on that base at once.
#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/array_parts.hpp"

namespace hassium {

// What an exported address keeps: the base, and what a Py_buffer points to.
struct Export {
    BaseRef base;
    Dims shape, strides;
    char format[3];
};

namespace {

// Reading small arrays begins and ends exports all the time: their memory is kept. Guarded by the
// GIL.
constexpr std::size_t kSpareExports = 64;
std::vector<std::unique_ptr<Export>>& spare_exports() {
    static auto* spares = new std::vector<std::unique_ptr<Export>>();
    return *spares;
}

Export* begin(const View& view) {
    auto& spares = spare_exports();
    std::unique_ptr<Export> held;
    if (spares.empty()) {
        held = std::make_unique<Export>();
    } else {
        held = std::move(spares.back());
        spares.pop_back();
    }
    held->base = view.base;
    Engine::instance().begin_export(*view.base);
    return held.release();
}

void end(Export* held) {
    std::unique_ptr<Export> owned(held);
    Engine::instance().end_export(*owned->base);
    owned->base = BaseRef();
    auto& spares = spare_exports();
    if (spares.size() < kSpareExports) spares.push_back(std::move(owned));
}

// NumPy's arrays of loans that have ended, which nobody else holds: a program lends the same
// memory again and again. Their addresses may be those of memory that is gone; nobody reads there
// before one is lent again, which takes memory at that address. Guarded by the GIL.
constexpr std::size_t kSpareLent = 8;
PyObject* spare_lent[kSpareLent];
std::size_t next_spare = 0;

// Whoever was lent it may have written to its attributes.
bool shows(PyObject* numpys, const View& view, const char* data, bool writeable) {
    auto* array = reinterpret_cast<PyArrayObject*>(numpys);
    if (PyArray_BYTES(array) != data || PyArray_DESCR(array) != descr_of(view.dtype) ||
        PyArray_ISWRITEABLE(array) != writeable ||
        PyArray_NDIM(array) != static_cast<int>(view.ndim())) {
        return false;
    }
    return std::equal(view.shape.begin(), view.shape.end(), PyArray_DIMS(array)) &&
           std::equal(view.strides.begin(), view.strides.end(), PyArray_STRIDES(array));
}

// Or null. The base of `view` is ready.
PyObject* take_spare(const View& view, bool writeable) {
    const char* data = view.base->data + view.offset;
    for (PyObject*& spare : spare_lent) {
        if (spare && shows(spare, view, data, writeable)) return std::exchange(spare, nullptr);
    }
    return nullptr;
}

void keep_spare(Ref numpys) {
    const auto* fields = reinterpret_cast<PyArrayObject_fields*>(numpys.get());
    if (fields->base || fields->weakreflist) return;
    next_spare = (next_spare + 1) % kSpareLent;
    const Ref before(std::exchange(spare_lent[next_spare], numpys.release()));
}

// Arrays whose memory NumPy goes on using after it has given the buffer back, and what holds it
// until they die. Guarded by the GIL.
std::unordered_map<PyObject*, Export*>& lasting() {
    static auto* exports = new std::unordered_map<PyObject*, Export*>();
    return *exports;
}

// Whether that is what NumPy's constructor does with its `buffer`, which it asks for like nobody
// else: the array made there holds the giver and no more.
bool outlasts_release(int flags) { return (flags & ~PyBUF_WRITABLE) == PyBUF_ANY_CONTIGUOUS; }

constexpr char kCapsule[] = "hassium.export";

void end_capsule(PyObject* capsule) {
    auto* held = static_cast<Export*>(PyCapsule_GetPointer(capsule, kCapsule));
    if (held) end(held);
}

void write_format(DType dtype, char* format) {
    char code = info(dtype).code;
    if (kind(dtype) == DTypeKind::Complex) {
        format[0] = 'Z';
        format[1] = dtype == DType::C64 ? 'f' : 'd';
        format[2] = 0;
    } else {
        format[0] = code;
        format[1] = 0;
    }
}

// Why a request for a buffer cannot be met, or null.
const char* refusal(const ArrayObject* array, int flags) {
    const View& view = array->view;
    auto wants = [&](int flag) { return (flags & flag) == flag; };
    if (wants(PyBUF_WRITABLE) && !array->writeable) return "buffer source array is read-only";
    constexpr int kLayouts = PyBUF_C_CONTIGUOUS | PyBUF_F_CONTIGUOUS | PyBUF_ANY_CONTIGUOUS;
    if (wants(PyBUF_STRIDES) && !(flags & kLayouts & ~PyBUF_STRIDES)) return nullptr;
    bool c = view.c_contiguous(), f = view.f_contiguous();
    if (wants(PyBUF_C_CONTIGUOUS) && !c) return "ndarray is not C-contiguous";
    if (wants(PyBUF_F_CONTIGUOUS) && !f) return "ndarray is not Fortran contiguous";
    if (wants(PyBUF_ANY_CONTIGUOUS) && !c && !f) return "ndarray is not contiguous";
    if (!wants(PyBUF_STRIDES) && !c) return "ndarray is not C-contiguous";
    return nullptr;
}

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

// In NumPy's order of axes, as its own copies.
View copied_view(PyArrayObject* array, DType dtype) {
    View like;
    for (int k = 0; k < PyArray_NDIM(array); ++k) {
        like.shape.push_back(PyArray_DIM(array, k));
        like.strides.push_back(PyArray_STRIDE(array, k));
    }
    if (PyArray_IS_C_CONTIGUOUS(array)) {
        char* data = nullptr;
        View view = filled_view(dtype, like.shape, data);
        std::memcpy(data, PyArray_DATA(array), static_cast<std::size_t>(PyArray_NBYTES(array)));
        return view;
    }
    const View* model = &like;
    View view = PyArray_IS_F_CONTIGUOUS(array) ? fortran_view(dtype, like.shape)
                                               : fresh_view_like(dtype, like.shape, {&model, 1});
    Ref target = borrow_numpy(view, nullptr, true);
    check(PyArray_CopyInto(target.ndarray(), array));
    return view;
}

View foreign_view(PyArrayObject* array, DType dtype) {
    std::int64_t before = 0;
    std::int64_t bytes = bytes_of(array, before);
    char* first = PyArray_BYTES(array) - before;
    View view;
    view.base = BaseRef(new_foreign_base(first, bytes, dtype, drop_object, Py_NewRef(array)));
    view.dtype = dtype;
    view.offset = before;
    for (int k = 0; k < PyArray_NDIM(array); ++k) {
        view.shape.push_back(PyArray_DIM(array, k));
        view.strides.push_back(PyArray_STRIDE(array, k));
    }
    return view;
}

// What went wrong when an array was asked for its buffer, and which.
struct Unheard {
    PyObject* array = nullptr;
    PyObject* error[3] = {};

    void keep(PyObject* asked) {
        drop();
        array = Py_NewRef(asked);
        PyErr_Fetch(&error[0], &error[1], &error[2]);
        PyErr_Restore(Py_XNewRef(error[0]), Py_XNewRef(error[1]), Py_XNewRef(error[2]));
    }
    void drop() {
        Py_CLEAR(array);
        for (PyObject*& part : error) Py_CLEAR(part);
    }
};
Unheard unheard;

}  // namespace

std::size_t lasting_exports = 0;

bool raise_unheard(PyObject* array) {
    if (unheard.array != array) return false;
    PyErr_Restore(std::exchange(unheard.error[0], nullptr),
                  std::exchange(unheard.error[1], nullptr),
                  std::exchange(unheard.error[2], nullptr));
    unheard.drop();
    return true;
}

int array_get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
    buffer->obj = nullptr;
    ArrayObject* array = as_array(self);
    if (unheard.array) unheard.drop();
    bool refused = false;
    const int status = guarded_status([&] {
        if (const char* reason = refusal(array, flags)) {
            refused = true;
            fail(ErrorKind::Value, reason);
        }
        if (flags & PyBUF_WRITABLE) tell_of_write(array);
        const View& view = array->view;
        if (outlasts_release(flags) && !lasting().contains(self)) {
            lasting().emplace(self, begin(view));
            ++lasting_exports;
        }
        Export* held = begin(view);
        held->shape = view.shape;
        held->strides = view.strides;
        write_format(view.dtype, held->format);
        buffer->buf = held->base->data + view.offset;
        buffer->len = view.size() * itemsize(view.dtype);
        buffer->itemsize = itemsize(view.dtype);
        buffer->readonly = !array->writeable;
        // Who does not ask for axes takes bytes, as hashlib does.
        const bool axes = (flags & PyBUF_ND) && view.ndim() > 0;
        const bool strides = axes && (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
        buffer->ndim = axes ? static_cast<int>(view.ndim()) : 0;
        buffer->format = (flags & PyBUF_FORMAT) ? held->format : nullptr;
        buffer->shape = axes ? reinterpret_cast<Py_ssize_t*>(held->shape.data()) : nullptr;
        buffer->strides = strides ? reinterpret_cast<Py_ssize_t*>(held->strides.data()) : nullptr;
        buffer->suboffsets = nullptr;
        buffer->internal = held;
        buffer->obj = Py_NewRef(self);
    });
    // NumPy drops what is raised here, and asks in another way.
    if (status < 0 && !refused && flags == PyBUF_FULL_RO) unheard.keep(self);
    return status;
}

void array_release_buffer(PyObject*, Py_buffer* buffer) {
    end(static_cast<Export*>(buffer->internal));
}

Lent lend_numpy(const ArrayObject* array) {
    Export* held = begin(array->view);
    if (PyObject* spare = take_spare(array->view, array->writeable)) return {spare, held};
    try {
        return {borrow_numpy(array->view, nullptr, array->writeable).release(), held};
    } catch (...) {
        end(held);
        throw;
    }
}

void end_loan(Lent lent) {
    Ref numpys(lent.numpys);
    if (Py_REFCNT(lent.numpys) == 1) {
        end(lent.held);
        return keep_spare(std::move(numpys));
    }
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    // Where there is no memory for that, the array stays exported for good.
    if (PyObject* capsule = PyCapsule_New(lent.held, kCapsule, end_capsule)) {
        PyArray_SetBaseObject(numpys.ndarray(), capsule);
    }
    PyErr_Restore(type, value, trace);
}

void end_lasting_export(PyObject* array) {
    auto found = lasting().find(array);
    if (found == lasting().end()) return;
    Export* held = found->second;
    lasting().erase(found);
    --lasting_exports;
    end(held);
}

PyObject* export_numpy(ArrayObject* array) {
    return guarded([&] {
        const Lent lent = lend_numpy(array);
        Ref exported = borrow(lent.numpys);
        end_loan(lent);
        return exported.release();
    });
}

PyObject* adopt_numpy(PyObject* owned) {
    return guarded([&] {
        Ref holder(owned);
        auto* array = holder.ndarray();
        DType dtype;
        // Copying a few bytes into memory of the pool costs less than keeping NumPy's object.
        constexpr npy_intp kAdoptedBytes = 65536;
        bool alone = Py_REFCNT(owned) == 1 && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA) &&
                     PyArray_ISWRITEABLE(array) && PyArray_NBYTES(array) >= kAdoptedBytes;
        if (!alone || !native_dtype(array, dtype)) {
            return from_numpy(owned, true);
        }
        View view = foreign_view(array, dtype);
        // Nobody else can see the memory: it is hassium's from now on.
        view.base->foreign = false;
        return new_array(std::move(view));
    });
}

PyObject* from_numpy(PyObject* object, bool copy) {
    return guarded([&]() -> PyObject* {
        auto* array = reinterpret_cast<PyArrayObject*>(object);
        DType dtype;
        if (!PyArray_Check(object) || !native_dtype(array, dtype)) {
            // Foreign byte orders are native dtypes after a copy.
            fail(ErrorKind::Type, "the dtype is not one of hassium's");
        }
        if (copy) return new_array(copied_view(array, dtype));
        return new_array(foreign_view(array, dtype), object, PyArray_ISWRITEABLE(array) != 0);
    });
}

}  // namespace hassium
