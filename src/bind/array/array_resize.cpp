// ndarray.resize: changes the shape in place and fills added elements with zeros.
#include <algorithm>

#include "bind/array/array_methods.hpp"
#include "bind/array/live_views.hpp"

namespace hassium {
namespace {

// Throws for negative extents, and a MemoryError for any size that is too large.
void check_size(const Dims& shape, std::int64_t bytes) {
    constexpr std::int64_t kAddressable = std::int64_t{1} << 47;
    for (const std::int64_t extent : shape) {
        if (extent < 0) fail(ErrorKind::Value, "negative dimensions not allowed");
        if (extent == 0) continue;
        if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > kAddressable) {
            fail(ErrorKind::Memory, "Unable to allocate an array with shape ", shape_text(shape));
        }
    }
}

constexpr const char* kReferenced =
    "cannot resize an array that references or is referenced\nby another array in this way.\nUse "
    "the np.resize function or refcheck=False";

// Whether the caller alone holds an array, and NumPy's error if not. A caller has a name and the
// call; since Python 3.14 the call borrows the reference of the name.
#if PY_VERSION_HEX >= 0x030E0000
constexpr const char* kHeldByOthers =
    "cannot resize an array that may be referenced by another object.\nIt is possible that this is "
    "a false positive.\nIf you are sure that the array is uniquely referenced, set refcheck=False.";
bool is_callers_alone(PyObject* self) { return PyUnstable_Object_IsUniquelyReferenced(self); }
#else
constexpr const char* kHeldByOthers = kReferenced;
bool is_callers_alone(PyObject* self) { return Py_REFCNT(self) <= 2; }
#endif

// Throws NumPy's errors if the array does not own its memory or is referenced by others.
void check_movable(PyObject* self, bool refcheck) {
    const ArrayObject* array = as_array(self);
    if (array->parent || array->view.base->foreign) {
        fail(ErrorKind::Value, "cannot resize this array: it does not own its data");
    }
    // Lazy element reads that are pending refer to the base.
    if (!array->view.base->idle()) Engine::instance().ready(array->view);
    if (array->weakrefs) fail(ErrorKind::Value, kReferenced);
    if (refcheck && (array->view.base->references > 1 || !is_callers_alone(self))) {
        fail(ErrorKind::Value, kHeldByOthers);
    }
}

// Returns `count` elements, in memory order from `first` on, of a view without gaps.
View line_of(const View& view, std::int64_t first, std::int64_t count) {
    View line = view;
    line.offset += first * itemsize(view.dtype);
    line.shape = {count};
    line.strides = {itemsize(view.dtype)};
    return line;
}

// Copies the elements to `fresh`, fills the rest with zeros and makes it the view. Other views,
// allowed by refcheck=False, keep the old memory.
void move_to(ArrayObject* array, View&& fresh) {
    const std::int64_t before = array->view.size(), after = fresh.size();
    const std::int64_t kept = std::min(before, after);
    if (kept > 0) record_copy(line_of(fresh, 0, kept), line_of(array->view, 0, kept));
    if (after > kept) record_fill(line_of(fresh, kept, after - kept), Constant{});
    set_view(array, std::move(fresh));
}

void resize_to(PyObject* self, const Dims& shape, bool refcheck) {
    ArrayObject* array = as_array(self);
    const View& view = array->view;
    const bool fortran = view.f_contiguous() && !view.c_contiguous();
    if (!view.c_contiguous() && !fortran) {
        fail(ErrorKind::Value, "resize only works on single-segment arrays");
    }
    check_size(shape, itemsize(view.dtype));
    if (element_count(shape) != view.size()) {
        check_movable(self, refcheck);
        move_to(array, fortran ? fortran_view(view.dtype, shape) : fresh_view(view.dtype, shape));
        return;
    }
    Dims strides;
    if (fortran) {
        f_strides(shape, itemsize(view.dtype), strides);
    } else {
        strides = c_strides(shape, itemsize(view.dtype));
    }
    array->view.shape = shape;
    array->view.strides = strides;
}

}  // namespace

// resize(*new_shape, refcheck=True)
HS_FAST_METHOD(array_resize) {
    if (as_array(self)->is_scalar) {
        Ref method = own(PyObject_GetAttrString(scalar_value(self).get(), "resize"));
        return PyObject_Vectorcall(method.get(), args, static_cast<std::size_t>(count), keywords);
    }
    auto found = sort_arguments("resize", {"refcheck"}, {0}, args + count, 0, keywords);
    const bool refcheck = integer_flag(found[0], true);
    if (count > 0 && !(count == 1 && args[0] == Py_None)) {
        resize_to(self, shape_arguments(args, count), refcheck);
    }
    Py_RETURN_NONE;
}

}  // namespace hassium
