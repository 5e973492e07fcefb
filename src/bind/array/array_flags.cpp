// The flags object of arrays, and ndarray.setflags.
#include <cstring>
#include <string>

#include "bind/array/array_call.hpp"

namespace hassium {
namespace {

PyTypeObject* flags_type = nullptr;

struct FlagsObject {
    PyObject_HEAD PyObject* array;
};

bool aligned(const View& view) {
    auto size = itemsize(view.dtype);
    std::int64_t unit = kind(view.dtype) == DTypeKind::Complex ? size / 2 : size;
    std::int64_t address = view.offset;
    if (view.base->foreign) address += reinterpret_cast<std::intptr_t>(view.base->data);
    bool whole = address % unit == 0;
    for (std::size_t k = 0; k < view.ndim(); ++k) {
        whole = whole && (view.shape[k] <= 1 || view.strides[k] % unit == 0);
    }
    return whole || view.size() == 0;
}

bool is_c(const ArrayObject* array) { return array->view.c_contiguous(); }
bool is_f(const ArrayObject* array) { return array->view.f_contiguous(); }
bool is_owner(const ArrayObject* array) {
    return array->parent == nullptr && !array->view.base->foreign;
}
bool is_writeable(const ArrayObject* array) { return array->writeable; }
bool is_aligned(const ArrayObject* array) { return !array->align_cleared && aligned(array->view); }
bool is_never(const ArrayObject*) { return false; }
bool is_f_alone(const ArrayObject* array) { return is_f(array) && !is_c(array); }
bool is_any_order(const ArrayObject* array) { return is_f(array) || is_c(array); }
bool is_behaved(const ArrayObject* array) { return is_aligned(array) && is_writeable(array); }
bool is_c_array(const ArrayObject* array) { return is_behaved(array) && is_c(array); }
bool is_f_array(const ArrayObject* array) { return is_behaved(array) && is_f_alone(array); }

// Returns whether WRITEABLE may be set: as in NumPy, if the owner of the memory is writeable.
bool may_write(const ArrayObject* array) {
    if (array->is_scalar) return false;
    PyObject* parent = array->parent;
    if (!parent) return true;
    if (is_array(parent)) {
        const ArrayObject* of = as_array(parent);
        return of->writeable || (of->parent && may_write(of));
    }
    Py_buffer buffer;
    if (PyObject_GetBuffer(parent, &buffer, PyBUF_WRITABLE | PyBUF_STRIDES) < 0) {
        PyErr_Clear();
        return false;
    }
    PyBuffer_Release(&buffer);
    return true;
}

void set_writeable(ArrayObject* array, bool value) {
    if (value && !array->writeable && !may_write(array)) {
        fail(ErrorKind::Value, "cannot set WRITEABLE flag to True of this array");
    }
    array->writeable = value;
    if (array->warns == Warns::Broadcast) array->warns = Warns::No;
}

void set_aligned(ArrayObject* array, bool value) {
    if (value && !aligned(array->view)) {
        fail(ErrorKind::Value, "cannot set aligned flag of mis-aligned array to True");
    }
    array->align_cleared = !value;
}

void set_write_back(ArrayObject*, bool value) {
    if (value) fail(ErrorKind::Value, "cannot set WRITEBACKIFCOPY flag to True");
}

struct Flag {
    const char* attribute;
    const char* keys[3];
    bool (*value)(const ArrayObject*);
    bool tells_of_writes = false;               // the flag depends on WRITEABLE
    int bit = 0;                                // of `flags.num`
    void (*set)(ArrayObject*, bool) = nullptr;  // null: it cannot be set
};

// repr() prints the first six.
constexpr Flag kFlags[] = {
    {"c_contiguous", {"C_CONTIGUOUS", "C", "CONTIGUOUS"}, is_c, false, NPY_ARRAY_C_CONTIGUOUS},
    {"f_contiguous", {"F_CONTIGUOUS", "F", "FORTRAN"}, is_f, false, NPY_ARRAY_F_CONTIGUOUS},
    {"owndata", {"OWNDATA", "O", ""}, is_owner, false, NPY_ARRAY_OWNDATA},
    {"writeable", {"WRITEABLE", "W", ""}, is_writeable, true, NPY_ARRAY_WRITEABLE, set_writeable},
    {"aligned", {"ALIGNED", "A", ""}, is_aligned, false, NPY_ARRAY_ALIGNED, set_aligned},
    {"writebackifcopy", {"WRITEBACKIFCOPY", "X", ""}, is_never, false, 0, set_write_back},
    {"fnc", {"FNC", "", ""}, is_f_alone},
    {"forc", {"FORC", "", ""}, is_any_order},
    {"behaved", {"BEHAVED", "B", ""}, is_behaved, true},
    {"carray", {"CARRAY", "CA", ""}, is_c_array, true},
    {"farray", {"FARRAY", "FA", ""}, is_f_array, true},
    {"contiguous", {"", "", ""}, is_c},
    {"fortran", {"", "", ""}, is_f},
};

ArrayObject* array_of(PyObject* self) {
    return as_array(reinterpret_cast<FlagsObject*>(self)->array);
}

// Returns a flag; raises NumPy's FutureWarning if it depends on WRITEABLE and the array comes from
// broadcast_arrays.
PyObject* value_of(PyObject* self, const Flag& flag) {
    const ArrayObject* array = array_of(self);
    if (flag.tells_of_writes && array->warns == Warns::Broadcast) {
        check(PyErr_WarnEx(PyExc_FutureWarning,
                           "future versions will not create a writeable array from "
                           "broadcast_array. Set the writable flag explicitly to avoid this "
                           "warning.",
                           1));
    }
    return PyBool_FromLong(flag.value(array));
}

PyObject* get_flag(PyObject* self, void* closure) {
    return value_of(self, *static_cast<const Flag*>(closure));
}

// `_writeable_no_warn` and `_warn_on_write`, which only NumPy's functions use.
PyObject* get_writeable(PyObject* self, void*) {
    return PyBool_FromLong(array_of(self)->writeable);
}

void set_warns(PyObject* self, PyObject* value, void*) {
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "Cannot delete flags _warn_on_write attribute");
        throw PythonError();
    }
    if (!flag(value, false)) {
        fail(ErrorKind::Value,
             "cannot clear '_warn_on_write', set writeable True to clear this private flag");
    }
    if (!array_of(self)->writeable) {
        fail(ErrorKind::Value, "cannot set '_warn_on_write' flag when 'writable' is False");
    }
    if (array_of(self)->warns == Warns::Copied) forget_copy(array_of(self));
    array_of(self)->warns = Warns::Broadcast;
}

void set_named(ArrayObject* array, const Flag& named, PyObject* value) {
    if (!value) fail(ErrorKind::Type, "Cannot delete flags");
    const bool wanted = flag(value, false);
    if (!named.set) fail(ErrorKind::Value, named.attribute, " cannot be set");
    named.set(array, wanted);
}

void set_flag(PyObject* self, PyObject* value, void* closure) {
    const auto& name = *static_cast<const Flag*>(closure);
    if (!value) {
        PyErr_Format(PyExc_AttributeError, "Cannot delete flags %s attribute", name.attribute);
        throw PythonError();
    }
    set_named(array_of(self), name, value);
}

const Flag& find_key(PyObject* key) {
    if (PyUnicode_Check(key)) {
        const char* word = text_of(key);
        for (const Flag& name : kFlags) {
            for (const char* candidate : name.keys) {
                if (*candidate && std::strcmp(candidate, word) == 0) return name;
            }
        }
    }
    PyErr_SetString(PyExc_KeyError, "Unknown flag");
    throw PythonError();
}

PyObject* flags_subscript(PyObject* self, PyObject* key) { return value_of(self, find_key(key)); }

void flags_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
    set_named(array_of(self), find_key(key), value);
}

constexpr int kWarnOnWrite = static_cast<int>(1u << 31);  // NumPy's private bit

PyObject* flags_num(PyObject* self, void*) {
    const ArrayObject* array = array_of(self);
    int bits = 0;
    for (const Flag& flag : kFlags) bits |= flag.value(array) ? flag.bit : 0;
    if (array->warns == Warns::Broadcast) bits |= kWarnOnWrite;
    return PyLong_FromLong(bits);
}

PyObject* flags_repr(PyObject* self) {
    std::string text;
    for (int k = 0; k < 6; ++k) {
        const Flag& flag = kFlags[k];
        text += std::string("  ") + flag.keys[0] + " : " +
                (flag.value(array_of(self)) ? "True" : "False") + "\n";
    }
    return PyUnicode_FromString(text.c_str());
}

PyObject* flags_richcompare(PyObject* a, PyObject* b, int op) {
    if ((op != Py_EQ && op != Py_NE) || Py_TYPE(b) != flags_type) Py_RETURN_NOTIMPLEMENTED;
    Ref left(flags_num(a, nullptr)), right(flags_num(b, nullptr));
    if (!left || !right) return nullptr;
    return PyObject_RichCompare(left.get(), right.get(), op);
}

PyGetSetDef flags_getset[std::size(kFlags) + 4];

}  // namespace

PyObject* new_flags(ArrayObject* array) {
    auto* flags = PyObject_New(FlagsObject, flags_type);
    if (!flags) throw PythonError();
    flags->array = Py_NewRef(reinterpret_cast<PyObject*>(array));
    return reinterpret_cast<PyObject*>(flags);
}

PyObject* array_setflags(PyObject* self, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords) {
    auto found = sort_arguments("setflags", {"write", "align", "uic"}, {3}, args, count, keywords);
    if (given(found[1])) set_aligned(as_array(self), flag(found[1], false));
    if (given(found[2])) set_write_back(as_array(self), flag(found[2], false));
    if (given(found[0])) set_writeable(as_array(self), flag(found[0], false));
    return Py_NewRef(Py_None);
}

bool init_flags() {
    for (std::size_t k = 0; k < std::size(kFlags); ++k) {
        flags_getset[k] = {kFlags[k].attribute, guard<get_flag>,
                           kFlags[k].set ? guard<set_flag> : nullptr, nullptr,
                           const_cast<Flag*>(&kFlags[k])};
    }
    PyGetSetDef* rest = flags_getset + std::size(kFlags);
    *rest++ = {"num", guard<flags_num>, nullptr, nullptr, nullptr};
    *rest++ = {"_writeable_no_warn", get_writeable, nullptr, nullptr, nullptr};
    *rest++ = {"_warn_on_write", nullptr, guard<set_warns>, nullptr, nullptr};
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(deallocate<FlagsObject, &FlagsObject::array>)},
                           {Py_tp_repr, slot(guard<flags_repr>)},
                           {Py_tp_richcompare, slot(flags_richcompare)},
                           {Py_tp_hash, slot(PyObject_HashNotImplemented)},
                           {Py_tp_getset, flags_getset},
                           {Py_mp_subscript, slot(guard<flags_subscript>)},
                           {Py_mp_ass_subscript, slot(guard<flags_assign_subscript>)},
                           {0, nullptr}};
    flags_type = make_type<FlagsObject>("hassium.flagsobj", kFinalType, slots);
    return flags_type != nullptr;
}

}  // namespace hassium
