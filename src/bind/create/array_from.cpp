// Arrays from other objects: array, asarray, from_numpy.
#include <cstring>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/module/call_sites.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {

void check_device(PyObject* device) {
    if (!given(device)) return;
    const char* text = PyUnicode_Check(device) ? text_of(device) : "";
    if (std::strcmp(text, "cpu") != 0) {
        PyErr_Format(PyExc_ValueError,
                     "Device not understood. Only \"cpu\" is allowed, but received: %S", device);
        throw PythonError();
    }
}

namespace {

struct Wanted {
    bool has_dtype = false;
    DType dtype = DType::F64;
    char order = 'K';
    enum : std::uint8_t { Never, IfNeeded, Always } copy = Always;
    bool share = false;  // share memory of NumPy's arrays if no copy is needed
};

// Returns whether an array has the layout that `order` requires without a copy; 'A' requires none.
bool order_fits(const View& view, char order) {
    return order == 'C' ? view.c_contiguous() : order != 'F' || view.f_contiguous();
}

[[noreturn]] void no_copy() {
    fail(ErrorKind::Value,
         "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, "
         "copy=False)` replace it with `np.asarray(obj)` to allow a copy when needed");
}

// With 'A' a cast keeps the order of axes ('K'), where a copy would be in C order.
char order_of_cast(const View& view, DType dtype, char order) {
    return order == 'A' && dtype != view.dtype ? 'K' : order;
}

PyObject* from_hassium(PyObject* object, const Wanted& wanted) {
    const View& view = as_array(object)->view;
    DType dtype = wanted.has_dtype ? wanted.dtype : view.dtype;
    bool fits = dtype == view.dtype && order_fits(view, wanted.order);
    bool scalar = as_array(object)->is_scalar;
    if (fits && wanted.copy != Wanted::Always && !scalar) return Py_NewRef(object);
    if (wanted.copy == Wanted::Never) no_copy();
    return new_array(copy_in_order(view, dtype, order_of_cast(view, dtype, wanted.order)));
}

// Returns NumPy's array, or a copy, if its dtype or byte order has no kernels.
PyObject* from_foreign_dtype(Ref array, bool fresh, const Wanted& wanted) {
    const bool must_copy = wanted.copy == Wanted::Always && !fresh;
    const int flags = PyArray_FLAGS(array.ndarray());
    const bool c = flags & NPY_ARRAY_C_CONTIGUOUS, f = flags & NPY_ARRAY_F_CONTIGUOUS;
    const bool fits = wanted.order == 'C' ? c : wanted.order != 'F' || f;
    if (fits && !must_copy) return array.release();
    if (wanted.copy == Wanted::Never) no_copy();
    const NPY_ORDER order = wanted.order == 'C'   ? NPY_CORDER
                            : wanted.order == 'F' ? NPY_FORTRANORDER
                            : wanted.order == 'A' ? NPY_ANYORDER
                                                  : NPY_KEEPORDER;
    return PyArray_NewCopy(array.ndarray(), order);
}

// How the NumPy array was obtained from the argument.
enum class NumpySource : std::uint8_t {
    Given,     // it is the argument
    Held,      // others may reference it
    MadeHere,  // no other reference, but its memory may be shared
    Fresh,     // neither it nor its memory is shared
};

// Returns whether NumPy would return the array itself.
bool numpy_shares(PyArrayObject* array, DType dtype, const Wanted& wanted) {
    const bool same = !wanted.has_dtype || wanted.dtype == dtype;
    const bool c = PyArray_IS_C_CONTIGUOUS(array), f = PyArray_IS_F_CONTIGUOUS(array);
    return same && (wanted.order == 'C' ? c : wanted.order != 'F' || f);
}

// Marks a copy of an array that NumPy would share (it is copied so that work on it can be fused):
// it is as writeable as NumPy's array, and its first write warns.
void mark_copy(ArrayObject* copy, PyArrayObject* array, PyObject* owner) {
    copy->writeable = PyArray_ISWRITEABLE(array) != 0;
    if (copy->writeable && owner) warn_of_copy(copy, owner);
}

// Returns whether to share memory that may be shared: if no NumPy array owns it. Immutable memory
// is copied, which makes no difference.
bool shares(const MemoryOwner& origin, const Wanted& wanted) {
    const bool always = wanted.share || settings().get(Setting::asarray_shares) != 0;
    if (wanted.copy == Wanted::Never || always || origin.array) return true;
    return !PyArray_Check(origin.owner) && !PyBytes_CheckExact(origin.owner);
}

// Converts any NumPy array: one of a native dtype to our array, any other to NumPy's.
PyObject* from_ndarray(Ref array, NumpySource source, const Wanted& wanted) {
    bool fresh = source == NumpySource::Fresh;
    DType dtype;
    bool native = native_dtype(array.ndarray(), dtype);
    if (!native) {
        if (!wanted.has_dtype) return from_foreign_dtype(std::move(array), fresh, wanted);
        if (wanted.copy == Wanted::Never) no_copy();
        array =
            own(PyArray_FromArray(array.ndarray(), new_descr(wanted.dtype), NPY_ARRAY_FORCECAST));
        dtype = wanted.dtype;
        fresh = true;
    }
    bool same = !wanted.has_dtype || wanted.dtype == dtype;
    const bool may_share = !fresh && wanted.copy != Wanted::Always;
    const MemoryOwner origin = may_share ? owner_of(array.ndarray()) : MemoryOwner{};
    if (may_share && shares(origin, wanted)) {
        const Ref shared = view_of_numpy(array.ndarray(), source == NumpySource::MadeHere);
        return from_hassium(shared.get(), wanted);
    }
    const bool by_copy = may_share && numpy_shares(array.ndarray(), dtype, wanted);
    Ref made = fresh ? adopt_numpy(std::move(array)) : copy_of_numpy(array.ndarray(), dtype);
    const View& view = as_array(made.get())->view;
    if (!same || !has_order(view, wanted.order)) {
        if (wanted.has_dtype) dtype = wanted.dtype;
        const char order = order_of_cast(view, dtype, wanted.order);
        made = own(new_array(copy_in_order(view, dtype, order)));
    }
    if (by_copy) mark_copy(as_array(made.get()), array.ndarray(), origin.owner);
    return made.release();
}

}  // namespace

bool is_copy_mode(PyObject* object) {
    PyObject* modes = made_once([] { return Py_NewRef(numpy_attribute("_CopyMode")); });
    const int answer = PyObject_IsInstance(object, modes);
    if (answer < 0) throw PythonError();
    return answer == 1;
}

namespace {

// Parses the `copy` argument: a bool, None or a member of NumPy's _CopyMode.
void read_copy(PyObject* copy, Wanted& wanted) {
    if (PyUnicode_Check(copy)) {
        fail(ErrorKind::Value,
             "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
    }
    if (copy == Py_None) {
        wanted.copy = Wanted::IfNeeded;
        return;
    }
    if (!is_copy_mode(copy)) {
        wanted.copy = flag(copy, true) ? Wanted::Always : Wanted::Never;
        return;
    }
    Ref value = own(PyObject_GetAttrString(copy, "value"));
    constexpr long kAlways = 1, kIfNeeded = 2;
    const long mode = PyLong_AsLong(value.get());
    wanted.copy = mode == kAlways     ? Wanted::Always
                  : mode == kIfNeeded ? Wanted::IfNeeded
                                      : Wanted::Never;
}

PyObject* from_any(PyObject* object, const Wanted& wanted, PyObject* dtype_argument) {
    if (is_array(object)) return from_hassium(object, wanted);
    if (PyArray_CheckExact(object)) return from_ndarray(borrow(object), NumpySource::Given, wanted);
    const bool sequence = PyList_Check(object) || PyTuple_Check(object);
    if (wanted.copy != Wanted::Never && (PyList_CheckExact(object) || PyTuple_CheckExact(object))) {
        const DType* dtype = wanted.has_dtype ? &wanted.dtype : nullptr;
        if (PyObject* made = array_of_list(object, dtype, wanted.order)) return made;
    }
    int flags = NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSUREARRAY;
    // Passed on to the object's `__array__`; from a list NumPy always makes a copy.
    if (wanted.copy == Wanted::Always && !sequence) flags |= NPY_ARRAY_ENSURECOPY;
    if (wanted.copy == Wanted::Never) flags |= NPY_ARRAY_ENSURENOCOPY;
    if (wanted.order == 'F') flags |= NPY_ARRAY_F_CONTIGUOUS;
    PyArray_Descr* descr = nullptr;  // array_from_any steals it
    if (dtype_argument && !PyArray_DescrConverter(dtype_argument, &descr)) throw PythonError();
    Ref array = own(array_from_any(object, descr, 0, flags).release());
    if (is_array(array.get())) {  // `__array__` was called with copy=True if a copy is wanted
        Wanted rest = wanted;
        if (rest.copy == Wanted::Always) rest.copy = Wanted::IfNeeded;
        return from_hassium(array.get(), rest);
    }
    // An object's `__array__` may return an array that it holds.
    const bool alone = array.get() != object && Py_REFCNT(array.get()) == 1;
    const NumpySource source = !alone                          ? NumpySource::Held
                               : PyArray_BASE(array.ndarray()) ? NumpySource::MadeHere
                                                               : NumpySource::Fresh;
    return from_ndarray(std::move(array), source, wanted);
}

// Returns `made` with leading axes of extent 1 up to `ndmin` axes.
Ref with_axes_before(Ref made, Py_ssize_t ndmin) {
    if (ndmin > kMaxDims)
        fail(ErrorKind::Value, "ndmin bigger than allowable number of dimensions (64)");
    if (!is_array(made.get())) {
        const auto missing = static_cast<std::size_t>(ndmin - PyArray_NDIM(made.ndarray()));
        std::vector<npy_intp> extents(missing, 1);
        const npy_intp* shape = PyArray_DIMS(made.ndarray());
        extents.insert(extents.end(), shape, shape + PyArray_NDIM(made.ndarray()));
        PyArray_Dims dims = {extents.data(), static_cast<int>(ndmin)};
        return own(PyArray_Newshape(made.ndarray(), &dims, NPY_CORDER));
    }
    if (Py_REFCNT(made.get()) > 1) {  // shared: the argument, or the array behind an export
        made = own(view_of(as_array(made.get()), View(as_array(made.get())->view)));
    }
    View& view = as_array(made.get())->view;
    const bool innermost = view.ndim() == 0 || (view.f_contiguous() && !view.c_contiguous());
    const std::int64_t stride = innermost ? itemsize(view.dtype) : view.shape[0] * view.strides[0];
    while (static_cast<Py_ssize_t>(view.ndim()) < ndmin) {
        view.shape.insert(0, 1);
        view.strides.insert(0, stride);
    }
    return made;
}

Py_ssize_t axes_of(PyObject* made) {
    return is_array(made) ? static_cast<Py_ssize_t>(as_array(made)->view.ndim())
                          : PyArray_NDIM(reinterpret_cast<PyArrayObject*>(made));
}

// Calls NumPy's function on a sequence for dtype=object, so that our arrays among its items stay
// the items. Returns null for other calls.
PyObject* array_of_objects(const char* name, const Ref& descr, PyObject* like,
                           PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    if (given(like) || !descr ||
        reinterpret_cast<PyArray_Descr*>(descr.get())->type_num != NPY_OBJECT) {
        return nullptr;
    }
    if (count == 0 || !(PyList_Check(args[0]) || PyTuple_Check(args[0]))) return nullptr;
    count_fallback(name);
    const auto positional = static_cast<std::size_t>(count);
    return own(PyObject_Vectorcall(numpy_attribute(name), args, positional, keywords)).release();
}

// Returns whether `dtype` is given and not native, so that NumPy's function returns its own array.
bool is_numpys(PyObject* dtype, Wanted& wanted, Ref& descr) {
    if (!given(dtype)) return false;
    wanted.has_dtype = true;
    return !parse_dtype(dtype, wanted.dtype, &descr);
}

}  // namespace

PyObject* array_of(PyObject* object) {
    Wanted wanted;
    wanted.copy = Wanted::IfNeeded;
    return from_any(object, wanted, nullptr);
}

Ref shared_array(PyObject* object) {
    Wanted wanted;
    wanted.copy = Wanted::IfNeeded;
    wanted.share = true;
    return own(from_any(object, wanted, nullptr));
}

PyObject* create_as_view(PyObject*, PyObject* object) {
    if (is_array(object)) return Py_NewRef(object);
    return shared_array(object).release();
}

HS_FAST_METHOD(create_asarray) {
    auto found = sort_arguments("asarray", {"a", "dtype", "order", "device", "copy", "like"},
                                {3, 1}, args, count, keywords);
    check_device(found[3]);
    Wanted wanted;
    Ref descr;
    if (is_numpys(found[1], wanted, descr) || (given(found[5]) && !is_array(found[5]))) {
        PyObject* made = array_of_objects("asarray", descr, found[5], args, count, keywords);
        return made ? made : by_numpy("asarray", args, count, keywords);
    }
    wanted.order = parse_order(found[2], 'K');
    wanted.copy = Wanted::IfNeeded;
    if (given(found[4])) read_copy(found[4], wanted);
    return from_any(found[0], wanted, wanted.has_dtype ? descr.get() : nullptr);
}

namespace {

// Returns what NumPy's function `name` does: an array in that order, of one axis at least.
PyObject* array_in_order(const char* name, char order, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords) {
    auto found = sort_arguments(name, {"a", "dtype", "like"}, {2, 1}, args, count, keywords);
    Wanted wanted;
    Ref descr;
    if (is_numpys(found[1], wanted, descr) || (given(found[2]) && !is_array(found[2]))) {
        PyObject* made = array_of_objects(name, descr, found[2], args, count, keywords);
        return made ? made : by_numpy(name, args, count, keywords);
    }
    wanted.order = order;
    wanted.copy = Wanted::IfNeeded;
    Ref made = own(from_any(found[0], wanted, wanted.has_dtype ? descr.get() : nullptr));
    return (axes_of(made.get()) > 0 ? std::move(made) : with_axes_before(std::move(made), 1))
        .release();
}

}  // namespace

HS_FAST_METHOD(create_ascontiguousarray) {
    return array_in_order("ascontiguousarray", 'C', args, count, keywords);
}

HS_FAST_METHOD(create_asfortranarray) {
    return array_in_order("asfortranarray", 'F', args, count, keywords);
}

HS_FAST_METHOD(create_from_numpy) {
    auto found = sort_arguments("from_numpy", {"array", "copy"}, {2}, args, count, keywords);
    if (!found[0] || !PyArray_Check(found[0])) {
        fail(ErrorKind::Type, "from_numpy() takes a numpy.ndarray");
    }
    auto* array = reinterpret_cast<PyArrayObject*>(found[0]);
    return (flag(found[1], true) ? copy_of_numpy(array) : view_of_numpy(array)).release();
}

// array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, like=None)
HS_FAST_METHOD(create_array) {
    auto found = sort_arguments(
        "array", {"object", "dtype", "copy", "order", "subok", "ndmin", "like", "ndmax"}, {2, 1},
        args, count, keywords);
    Wanted wanted;
    Ref descr;
    bool numpys =
        is_numpys(found[1], wanted, descr) || (given(found[6]) && !is_array(found[6])) ||
        given(found[7]) ||
        (flag(found[4], false) && PyArray_Check(found[0]) && !PyArray_CheckExact(found[0]));
    if (numpys) {
        PyObject* made = array_of_objects("array", descr, found[6], args, count, keywords);
        return made ? made : by_numpy("array", args, count, keywords);
    }
    wanted.order = parse_order(found[3], 'K');
    if (found[2]) read_copy(found[2], wanted);
    Ref made = own(from_any(found[0], wanted, wanted.has_dtype ? descr.get() : nullptr));
    const Py_ssize_t ndmin =
        found[5] ? checked(PyNumber_AsSsize_t(found[5], PyExc_OverflowError)) : 0;
    if (ndmin > axes_of(made.get())) made = with_axes_before(std::move(made), ndmin);
    return made.release();
}

}  // namespace hassium
