// The buffer protocol: our memory shared with other libraries.
//
// A buffer owns a reference to the base until its last user releases it. Until then the engine runs
// every instruction on that base eagerly.
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/array/array_parts.hpp"

namespace hassium {

namespace {

// State of one exported buffer: the base, and the arrays that its Py_buffer points to.
struct BufferExport {
    BaseRef base;
    Dims shape, strides;
    char format[3];
};

// Free list, as buffers are acquired and released often. Guarded by the GIL.
constexpr std::size_t kSpareExports = 64;
std::vector<std::unique_ptr<BufferExport>>& spare_exports() {
    static auto* spares = new std::vector<std::unique_ptr<BufferExport>>();
    return *spares;
}

BufferExport* begin(const View& view) {
    auto& spares = spare_exports();
    std::unique_ptr<BufferExport> held;
    if (spares.empty()) {
        held = std::make_unique<BufferExport>();
    } else {
        held = std::move(spares.back());
        spares.pop_back();
    }
    held->base = Engine::instance().begin_export(view);
    return held.release();
}

void end(BufferExport* held) {
    std::unique_ptr<BufferExport> owned(held);
    Engine::instance().end_export(*owned->base);
    owned->base = BaseRef();
    auto& spares = spare_exports();
    if (spares.size() < kSpareExports) spares.push_back(std::move(owned));
}

// Exports that last until their array dies, because NumPy uses the memory after it has released the
// buffer; keyed by array. Guarded by the GIL.
std::unordered_map<PyObject*, BufferExport*>& lasting() {
    static auto* exports = new std::unordered_map<PyObject*, BufferExport*>();
    return *exports;
}

// Returns whether the request comes from NumPy's constructor with `buffer=`, the only caller with
// these flags. Its array references the exporter but does not hold the buffer.
bool outlasts_release(int flags) { return (flags & ~PyBUF_WRITABLE) == PyBUF_ANY_CONTIGUOUS; }

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

// Returns the reason to refuse a buffer request, or null.
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

// Gives the axes of extent 1 of a contiguous view the strides of a contiguous array, as consumers
// may compare them.
void normalise_strides(const View& view, int flags, Dims& strides) {
    constexpr int kFortran = PyBUF_F_CONTIGUOUS & ~PyBUF_STRIDES;
    const bool c = view.c_contiguous() && !(flags & kFortran);
    if (!c && !view.f_contiguous()) return;
    std::int64_t stride = itemsize(view.dtype);
    for (std::size_t k = 0; k < view.ndim(); ++k) {
        const std::size_t axis = c ? view.ndim() - 1 - k : k;
        strides[axis] = stride;
        stride *= view.shape[axis];
    }
}

// The array whose buffer request failed last, and the Python error.
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
        BufferExport* held = begin(view);
        held->shape = view.shape;
        held->strides = view.strides;
        normalise_strides(view, flags, held->strides);
        write_format(view.dtype, held->format);
        buffer->buf = held->base->data + view.offset;
        buffer->len = view.size() * itemsize(view.dtype);
        buffer->itemsize = itemsize(view.dtype);
        buffer->readonly = !array->writeable;
        // Consumers that request no axes, such as hashlib, take plain bytes.
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
    // NumPy drops the error and tries another protocol; raise_unheard raises it there.
    if (status < 0 && !refused && flags == PyBUF_FULL_RO) unheard.keep(self);
    return status;
}

void array_release_buffer(PyObject*, Py_buffer* buffer) {
    end(static_cast<BufferExport*>(buffer->internal));
}

void end_lasting_export(PyObject* array) {
    auto found = lasting().find(array);
    if (found == lasting().end()) return;
    BufferExport* held = found->second;
    lasting().erase(found);
    --lasting_exports;
    end(held);
}

}  // namespace hassium
