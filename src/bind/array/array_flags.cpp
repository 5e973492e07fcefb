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

enum class Flag : std::uint8_t {
    CContiguous,
    FContiguous,
    OwnData,
    Writeable,
    Aligned,
    WriteBackIfCopy,
    Fnc,
    Forc,
    Behaved,
    CArray,
    FArray,
    Contiguous,
};

struct FlagName {
    const char* attribute;
    const char* keys[3];
    Flag flag;
};

constexpr FlagName kFlags[] = {
    {"c_contiguous", {"C_CONTIGUOUS", "C", "CONTIGUOUS"}, Flag::CContiguous},
    {"f_contiguous", {"F_CONTIGUOUS", "F", "FORTRAN"}, Flag::FContiguous},
    {"owndata", {"OWNDATA", "O", ""}, Flag::OwnData},
    {"writeable", {"WRITEABLE", "W", ""}, Flag::Writeable},
    {"aligned", {"ALIGNED", "A", ""}, Flag::Aligned},
    {"writebackifcopy", {"WRITEBACKIFCOPY", "X", ""}, Flag::WriteBackIfCopy},
    {"fnc", {"FNC", "", ""}, Flag::Fnc},
    {"forc", {"FORC", "", ""}, Flag::Forc},
    {"behaved", {"BEHAVED", "B", ""}, Flag::Behaved},
    {"carray", {"CARRAY", "CA", ""}, Flag::CArray},
    {"farray", {"FARRAY", "FA", ""}, Flag::FArray},
    {"contiguous", {"", "", ""}, Flag::Contiguous},
    {"fortran", {"", "", ""}, Flag::FContiguous},
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

bool value_of(const ArrayObject* array, Flag flag) {
    const View& view = array->view;
    auto is = [&](Flag f) { return value_of(array, f); };
    switch (flag) {
        case Flag::CContiguous:
        case Flag::Contiguous:
            return view.c_contiguous();
        case Flag::FContiguous:
            return view.f_contiguous();
        case Flag::OwnData:
            return array->parent == nullptr && !view.base->foreign;
        case Flag::Writeable:
            return array->writeable;
        case Flag::Aligned:
            return !array->align_cleared && aligned(view);
        case Flag::WriteBackIfCopy:
            return false;
        case Flag::Fnc:
            return is(Flag::FContiguous) && !is(Flag::CContiguous);
        case Flag::Forc:
            return is(Flag::FContiguous) || is(Flag::CContiguous);
        case Flag::Behaved:
            return is(Flag::Aligned) && is(Flag::Writeable);
        case Flag::CArray:
            return is(Flag::Behaved) && is(Flag::CContiguous);
        case Flag::FArray:
            return is(Flag::Behaved) && is(Flag::FContiguous) && !is(Flag::CContiguous);
    }
    return false;
}

// Whether writing may be allowed again. As NumPy: when the owner of the memory allows it.
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

// A program that asks whether it may write is told that it should not.
void tell_of_flag(const ArrayObject* array, Flag flag) {
    const bool asks = flag == Flag::Writeable || flag == Flag::Behaved || flag == Flag::CArray ||
                      flag == Flag::FArray;
    if (!asks || array->warns != Warns::Broadcast) return;
    check(PyErr_WarnEx(PyExc_FutureWarning,
                       "future versions will not create a writeable array from broadcast_array. "
                       "Set the writable flag explicitly to avoid this warning.",
                       1));
}

ArrayObject* array_of(PyObject* self) {
    return as_array(reinterpret_cast<FlagsObject*>(self)->array);
}

PyObject* get_flag(PyObject* self, void* closure) {
    const Flag flag = static_cast<const FlagName*>(closure)->flag;
    tell_of_flag(array_of(self), flag);
    return PyBool_FromLong(value_of(array_of(self), flag));
}

// Asked and set by NumPy's own functions only.
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

void set_named(ArrayObject* array, const FlagName& name, PyObject* value) {
    if (!value) fail(ErrorKind::Type, "Cannot delete flags");
    bool wanted = flag(value, false);
    switch (name.flag) {
        case Flag::Writeable:
            set_writeable(array, wanted);
            break;
        case Flag::Aligned:
            if (wanted && !aligned(array->view)) {
                fail(ErrorKind::Value, "cannot set aligned flag of mis-aligned array to True");
            }
            array->align_cleared = !wanted;
            break;
        case Flag::WriteBackIfCopy:
            if (wanted) fail(ErrorKind::Value, "cannot set WRITEBACKIFCOPY flag to True");
            break;
        default:
            fail(ErrorKind::Value, name.attribute, " cannot be set");
    }
}

void set_flag(PyObject* self, PyObject* value, void* closure) {
    const auto& name = *static_cast<const FlagName*>(closure);
    if (!value) {
        PyErr_Format(PyExc_AttributeError, "Cannot delete flags %s attribute", name.attribute);
        throw PythonError();
    }
    set_named(array_of(self), name, value);
}

const FlagName& find_key(PyObject* key) {
    if (PyUnicode_Check(key)) {
        const char* word = text_of(key);
        for (const FlagName& name : kFlags) {
            for (const char* candidate : name.keys) {
                if (*candidate && std::strcmp(candidate, word) == 0) return name;
            }
        }
    }
    PyErr_SetString(PyExc_KeyError, "Unknown flag");
    throw PythonError();
}

PyObject* flags_subscript(PyObject* self, PyObject* key) {
    const Flag flag = find_key(key).flag;
    tell_of_flag(array_of(self), flag);
    return PyBool_FromLong(value_of(array_of(self), flag));
}

void flags_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
    set_named(array_of(self), find_key(key), value);
}

constexpr int kWarnOnWrite = static_cast<int>(1u << 31);  // NumPy's bit, which it keeps to itself

PyObject* flags_num(PyObject* self, void*) {
    const ArrayObject* array = array_of(self);
    int bits = 0;
    if (value_of(array, Flag::CContiguous)) bits |= NPY_ARRAY_C_CONTIGUOUS;
    if (value_of(array, Flag::FContiguous)) bits |= NPY_ARRAY_F_CONTIGUOUS;
    if (value_of(array, Flag::OwnData)) bits |= NPY_ARRAY_OWNDATA;
    if (value_of(array, Flag::Writeable)) bits |= NPY_ARRAY_WRITEABLE;
    if (value_of(array, Flag::Aligned)) bits |= NPY_ARRAY_ALIGNED;
    if (array->warns == Warns::Broadcast) bits |= kWarnOnWrite;
    return PyLong_FromLong(bits);
}

PyObject* flags_repr(PyObject* self) {
    std::string text;
    for (int k = 0; k < 6; ++k) {
        const FlagName& name = kFlags[k];
        text += std::string("  ") + name.keys[0] + " : " +
                (value_of(array_of(self), name.flag) ? "True" : "False") + "\n";
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
    if (given(found[1])) set_named(as_array(self), kFlags[4], found[1]);
    if (given(found[2])) set_named(as_array(self), kFlags[5], found[2]);
    if (given(found[0])) set_writeable(as_array(self), flag(found[0], false));
    return Py_NewRef(Py_None);
}

bool init_flags() {
    for (std::size_t k = 0; k < std::size(kFlags); ++k) {
        bool settable = kFlags[k].flag == Flag::Writeable || kFlags[k].flag == Flag::Aligned ||
                        kFlags[k].flag == Flag::WriteBackIfCopy;
        flags_getset[k] = {kFlags[k].attribute, guard<get_flag>,
                           settable ? guard<set_flag> : nullptr, nullptr,
                           const_cast<FlagName*>(&kFlags[k])};
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
